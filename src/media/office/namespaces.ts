/**
 * The prefixes by which the readers here know the vocabularies of office documents. A document may choose its own:
 * Python's standard library writes `ns0`, some programs write `x:row`.
 */

const TRANSITIONAL = "http://schemas.openxmlformats.org/";
const STRICT = "http://purl.oclc.org/ooxml/";
const ODF = "urn:oasis:names:tc:opendocument:xmlns:";

/** Empty: names without a prefix. */
const OWN: Readonly<Record<string, string>> = {
  ...ooxml("wordprocessingml/2006/main", "wordprocessingml/main", "w"),
  ...ooxml("spreadsheetml/2006/main", "spreadsheetml/main", ""),
  ...ooxml("presentationml/2006/main", "presentationml/main", "p"),
  ...ooxml("drawingml/2006/main", "drawingml/main", "a"),
  ...ooxml("drawingml/2006/wordprocessingDrawing", "drawingml/wordprocessingDrawing", "wp"),
  ...ooxml("drawingml/2006/diagram", "drawingml/diagram", "dgm"),
  ...ooxml("officeDocument/2006/relationships", "officeDocument/relationships", "r"),
  ...ooxml("officeDocument/2006/math", "officeDocument/math", "m"),
  ...ooxml("officeDocument/2006/extended-properties", "officeDocument/extendedProperties", ""),
  [`${TRANSITIONAL}package/2006/relationships`]: "",
  [`${TRANSITIONAL}package/2006/metadata/core-properties`]: "cp",
  "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
  "http://purl.org/dc/elements/1.1/": "dc",
  "http://purl.org/dc/terms/": "dcterms",
  "http://www.w3.org/1999/xlink": "xlink",
  ...Object.fromEntries(
    ["office", "style", "text", "table", "meta", "presentation", "manifest"].map((name) => [`${ODF}${name}:1.0`, name]),
  ),
  [`${ODF}drawing:1.0`]: "draw",
  [`${ODF}xsl-fo-compatible:1.0`]: "fo",
  "http://www.idpf.org/2007/opf": "",
  "http://www.idpf.org/2007/ops": "epub",
  "urn:oasis:names:tc:opendocument:xmlns:container": "",
  "http://www.daisy.org/z3986/2005/ncx/": "",
};

function ooxml(transitional: string, strict: string, prefix: string): Record<string, string> {
  return { [TRANSITIONAL + transitional]: prefix, [STRICT + strict]: prefix };
}

/** Gives elements and attributes their known prefix. Prefixes are taken for the whole document, wherever they stand. */
export class Prefixes {
  /** By the document's prefix: the known one. Only those that differ. */
  readonly #known = new Map<string, string>();

  /** Learns from the attributes of an element, whose names are in lower case. */
  learn(attributes: ReadonlyMap<string, string>): void {
    for (const [name, uri] of attributes) {
      if (!name.startsWith("xmlns")) continue;
      const prefix = name.slice("xmlns:".length);
      const own = OWN[uri];
      if (own !== undefined && own !== prefix) this.#known.set(prefix, own);
      // A prefix that names something else further down is rare, and an unknown vocabulary has unknown names.
    }
  }

  get areUsual(): boolean {
    return this.#known.size === 0;
  }

  rename(name: string): string {
    const colon = name.indexOf(":");
    const own = this.#known.get(colon === -1 ? "" : name.slice(0, colon));
    if (own === undefined) return name;
    const local = name.slice(colon + 1);
    return own === "" ? local : `${own}:${local}`;
  }

  /** Attributes without a prefix belong to no vocabulary. */
  renameAttributes(attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    return new Map([...attributes].map(([name, value]) => [name.includes(":") ? this.rename(name) : name, value]));
  }
}
