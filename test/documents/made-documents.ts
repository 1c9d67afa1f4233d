import { strToU8, type Zippable, zipSync } from "fflate";

/** Documents for tests, made of parts as programs write them: small, and whole. */

export type Parts = Readonly<Record<string, string | Uint8Array>>;

const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const P = "http://schemas.openxmlformats.org/presentationml/2006/main";
const A = "http://schemas.openxmlformats.org/drawingml/2006/main";
const ODF = "urn:oasis:names:tc:opendocument:xmlns";

export function makeZip(parts: Parts): Uint8Array<ArrayBuffer> {
  const files: Zippable = {};
  for (const [name, part] of Object.entries(parts)) files[name] = typeof part === "string" ? strToU8(part) : part;
  return new Uint8Array(zipSync(files));
}

/** `relations`: type, target and, for a link, that it leads out. */
export function relations(...written: (readonly [id: string, type: string, target: string, isOut?: true])[]): string {
  const all = written.map(
    ([id, type, target, isOut]) =>
      `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${isOut ? ' TargetMode="External"' : ""}/>`,
  );
  return `<?xml version="1.0"?><Relationships xmlns="${RELATIONS}">${all.join("")}</Relationships>`;
}

export const CORE = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>The title</dc:title><dc:creator>Ada</dc:creator><cp:keywords>one, two; one</cp:keywords><dc:description>About it</dc:description><dc:language>en-GB</dc:language><dcterms:created>2024-03-05T10:00:00Z</dcterms:created><dcterms:modified>2024-04-06T11:00:00Z</dcterms:modified></cp:coreProperties>`;

function packageOf(main: string): Parts {
  return {
    "_rels/.rels": `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="${main}"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`,
    "docProps/core.xml": CORE,
  };
}

/** `body`: of `w:body`. */
export function makeDocx(body: string, parts: Parts = {}): Uint8Array<ArrayBuffer> {
  return makeZip({
    ...packageOf("word/document.xml"),
    "word/document.xml": `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="${W}" xmlns:r="${OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>${body}</w:body></w:document>`,
    ...parts,
  });
}

/** `sheets`: the content of each `worksheet`, by name. */
export function makeXlsx(sheets: Readonly<Record<string, string>>, parts: Parts = {}): Uint8Array<ArrayBuffer> {
  const names = Object.keys(sheets);
  const listed = names.map((name, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i + 1}"/>`);
  return makeZip({
    ...packageOf("xl/workbook.xml"),
    "xl/workbook.xml": `<workbook xmlns="${S}" xmlns:r="${OFFICE}"><sheets>${listed.join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(
      ...names.map((_, i) => [`s${i + 1}`, "worksheet", `worksheets/sheet${i + 1}.xml`] as const),
      ["r8", "sharedStrings", "sharedStrings.xml"],
      ["r9", "styles", "/xl/styles.xml"],
    ),
    ...Object.fromEntries(
      names.map((name, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `<worksheet xmlns="${S}" xmlns:r="${OFFICE}">${sheets[name]}</worksheet>`,
      ]),
    ),
    ...parts,
  });
}

/** `slides`: the shapes of each. */
export function makePptx(slides: readonly string[], parts: Parts = {}): Uint8Array<ArrayBuffer> {
  const ids = slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="s${i + 1}"/>`);
  return makeZip({
    ...packageOf("ppt/presentation.xml"),
    "ppt/presentation.xml": `<p:presentation xmlns:p="${P}" xmlns:r="${OFFICE}"><p:sldIdLst>${ids.join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      ...slides.map((_, i) => [`s${i + 1}`, "slide", `slides/slide${i + 1}.xml`] as const),
    ),
    ...Object.fromEntries(slides.map((slide, i) => [`ppt/slides/slide${i + 1}.xml`, slideXml(slide)])),
    ...parts,
  });
}

export function slideXml(shapes: string): string {
  return `<p:sld xmlns:p="${P}" xmlns:a="${A}" xmlns:r="${OFFICE}"><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`;
}

/** `kind`: `text`, `spreadsheet` or `presentation`. `body`: of that element. */
export function makeOdf(kind: string, body: string, styles = "", parts: Parts = {}): Uint8Array<ArrayBuffer> {
  const names = ["office", "style", "text", "table", "draw", "presentation", "meta"].map(
    (name) => `xmlns:${name}="${ODF}:${name === "draw" ? "drawing" : name}:1.0"`,
  );
  const spaces = `${names.join(" ")} xmlns:fo="${ODF}:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`;
  return makeZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    "content.xml": `<office:document-content ${spaces}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    "meta.xml": `<office:document-meta ${spaces}><office:meta><dc:title>The title</dc:title><meta:initial-creator>Ada</meta:initial-creator><meta:keyword>one</meta:keyword><meta:creation-date>2024-03-05T10:00:00</meta:creation-date><meta:document-statistic meta:page-count="7"/></office:meta></office:document-meta>`,
    ...parts,
  });
}

/** `items`: the XHTML of each item of the spine, by its name. */
export function makeEpub(items: Readonly<Record<string, string>>, parts: Parts = {}): Uint8Array<ArrayBuffer> {
  const names = Object.keys(items);
  const manifest = names.map((name, i) => `<item id="i${i}" href="${name}" media-type="application/xhtml+xml"/>`);
  return makeZip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "OEBPS/book.opf": `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><dc:title>The book</dc:title><dc:creator opf:role="aut">Ada</dc:creator><dc:creator>Bob</dc:creator><dc:language>en</dc:language><dc:date>2024-03-05</dc:date><dc:subject>Sea</dc:subject><meta property="dcterms:modified">2024-04-06T11:00:00Z</meta></metadata><manifest>${manifest.join("")}<item id="toc" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest><spine toc="toc">${names.map((_, i) => `<itemref idref="i${i}"/>`).join("")}</spine></package>`,
    ...Object.fromEntries(Object.entries(items).map(([name, item]) => [`OEBPS/${name}`, item])),
    ...parts,
  });
}
