import { readXml, type XmlReader } from "../read-xml.ts";

/** What the styles of an ODF document say: ODF 1.3 part 3, 16. Automatic styles stand before the content. */

interface Style {
  parent: string;
  displayName: string;
  isBold: boolean | null;
  isItalic: boolean | null;
  isHidden: boolean;
}

/** Styles may name each other in a circle. */
const MAX_PARENTS = 20;
/** LibreOffice writes a style for each paragraph that looks unlike others. */
const MAX_STYLES = 50_000;
const CODE_NAME = /^(?:Preformatted[ _]Text|Source[ _]Code|Plain[ _]Text)$/i;
const QUOTE_NAME = /^Quotations$/i;
const TITLE_NAME = /^Title$/i;

export class OdfStyles {
  readonly #styles = new Map<string, Style>();
  /** Whether a level of a list is numbered, by the list's style and the level from 1. */
  readonly #ordered = new Map<string, boolean>();
  #style: Style | null = null;
  #list = "";

  /** Reads `styles.xml`. */
  read(chunks: Iterable<Uint8Array>): void {
    const reader: XmlReader = {
      open: (name, attributes) => this.open(name, attributes),
      close: (name) => this.close(name),
      text: () => undefined,
    };
    readXml(chunks, reader);
  }

  /** Each element of `styles.xml` and `content.xml` comes here. */
  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === "style:style" && this.#styles.size < MAX_STYLES) {
      this.#style = {
        parent: attributes.get("style:parent-style-name") ?? "",
        displayName: nameOf(attributes.get("style:display-name") ?? attributes.get("style:name") ?? ""),
        isBold: null,
        isItalic: null,
        isHidden: false,
      };
      this.#styles.set(keyOf(attributes.get("style:family") ?? "", attributes.get("style:name") ?? ""), this.#style);
    } else if (name === "style:text-properties" && this.#style !== null) {
      const weight = attributes.get("fo:font-weight");
      const slope = attributes.get("fo:font-style");
      if (weight !== undefined) this.#style.isBold = weight === "bold" || Number(weight) >= 600;
      if (slope !== undefined) this.#style.isItalic = slope === "italic" || slope === "oblique";
      if (attributes.get("text:display") === "none") this.#style.isHidden = true;
    } else if (name === "text:list-style") this.#list = attributes.get("style:name") ?? "";
    else if (name.startsWith("text:list-level-style-") && this.#ordered.size < MAX_STYLES) {
      // A number without a format shows nothing.
      const isOrdered = name.endsWith("-number") && (attributes.get("style:num-format") ?? "") !== "";
      this.#ordered.set(`${this.#list} ${attributes.get("text:level") ?? ""}`, isOrdered);
    }
  }

  close(name: string): void {
    if (name === "style:style") this.#style = null;
  }

  isOrdered(list: string, level: number): boolean {
    return this.#ordered.get(`${list} ${level}`) ?? false;
  }

  paragraph(name: string): { isTitle: boolean; isCode: boolean; isQuote: boolean } {
    const names = this.#chain("paragraph", name).map(({ displayName }) => displayName);
    return {
      isTitle: names.some((one) => TITLE_NAME.test(one)),
      isCode: names.some((one) => CODE_NAME.test(one)),
      isQuote: names.some((one) => QUOTE_NAME.test(one)),
    };
  }

  span(name: string): { isBold: boolean | null; isItalic: boolean | null; isHidden: boolean } {
    const chain = this.#chain("text", name);
    const first = (of: (style: Style) => boolean | null) => chain.map(of).find((value) => value !== null) ?? null;
    return {
      isBold: first(({ isBold }) => isBold),
      isItalic: first(({ isItalic }) => isItalic),
      isHidden: chain.some(({ isHidden }) => isHidden),
    };
  }

  #chain(family: string, name: string): Style[] {
    const chain: Style[] = [];
    let style = this.#styles.get(keyOf(family, name));
    while (style !== undefined && chain.length < MAX_PARENTS) {
      chain.push(style);
      style = this.#styles.get(keyOf(family, style.parent));
    }
    return chain;
  }
}

function keyOf(family: string, name: string): string {
  return `${family} ${name}`;
}

/** Names write a space as `_20_`. */
function nameOf(written: string): string {
  return written.replaceAll("_20_", " ");
}
