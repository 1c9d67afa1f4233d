import type { Block } from "../../html/tree/document-writer.ts";
import { headingLevel, outlineLevel } from "../ooxml/docx-styles.ts";
import { encodingOfCharset } from "./rtf-encodings.ts";

/** What the header of an RTF file lists: fonts, styles, lists. The paragraphs of the body name them by numbers. */

export interface RtfParagraph {
  style: number;
  outline: number | null;
  list: number;
  level: number;
  isInTable: boolean;
}

interface Style {
  name: string;
  outline: number | null;
  list: number;
  level: number;
}

const CODE_NAME = /^(?:html preformatted|preformatted text|source code|plain text)$/i;
const QUOTE_NAME = /^(?:quote|intense quote|quotations|block text)$/i;
/** Formats of a number that show none: a bullet, and nothing. */
const UNNUMBERED = new Set([23, 255]);
const MAX_NAME = 1_000;
/** Of fonts, of styles and of lists. */
const MAX_LISTED = 10_000;

/** The groups that are read here. */
export const TABLE_GROUPS: ReadonlySet<string> = new Set("fonttbl stylesheet listtable listoverridetable".split(" "));

export class RtfTables {
  readonly #fonts = new Map<number, string>();
  readonly #styles = new Map<number, Style>();
  #style = newStyle();
  #styleNumber = 0;
  #name = "";
  /** Whether the levels of a list are ordered, by its id, and lists by their overrides, which paragraphs name. */
  readonly #lists = new Map<number, boolean[]>();
  readonly #overrides = new Map<number, number>();
  #levels: boolean[] = [];
  #listId = 0;

  /** A control word in one of the groups. `font`: the one that is described. */
  control(group: string, word: string, parameter: number | null, font: number): void {
    if (group === "fonttbl") this.#readFont(word, parameter ?? 0, font);
    else if (group === "stylesheet") this.#readStyle(word, parameter);
    else if (group === "listtable") this.#readList(word, parameter ?? 0);
    else if (word === "listid") this.#listId = parameter ?? 0;
    else if (word === "ls" && this.#overrides.size < MAX_LISTED) this.#overrides.set(parameter ?? 0, this.#listId);
  }

  /** Text in one of the groups. The name of a style ends with a semicolon. */
  text(group: string, text: string): void {
    if (group !== "stylesheet") return;
    if (this.#name.length < MAX_NAME) this.#name += text;
    if (!text.includes(";")) return;
    const name = this.#name.replace(/;.*$/s, "").trim();
    if (this.#styleNumber >= 0 && this.#styles.size < MAX_LISTED)
      this.#styles.set(this.#styleNumber, { ...this.#style, name });
    this.#name = "";
    this.#style = newStyle();
    this.#styleNumber = 0;
  }

  /** Null for a font with the encoding of the document. */
  encodingOf(font: number): string | null {
    return this.#fonts.get(font) ?? null;
  }

  blockOf({ style, outline, list, level }: RtfParagraph): Block {
    const styled = this.#styles.get(style) ?? newStyle();
    const heading = outlineLevel(outline) ?? headingLevel(styled.name) ?? outlineLevel(styled.outline);
    if (heading !== null) return { heading };
    const own = list > 0 ? { list, level } : styled;
    if (own.list === 0) return { isCode: CODE_NAME.test(styled.name), isQuote: QUOTE_NAME.test(styled.name) };
    const levels = this.#lists.get(this.#overrides.get(own.list) ?? 0);
    return { list: { level: own.level, isOrdered: levels?.[own.level] ?? false } };
  }

  #readFont(word: string, parameter: number, font: number): void {
    const encoding = word === "fcharset" ? encodingOfCharset(parameter) : null;
    if (encoding !== null && this.#fonts.size < MAX_LISTED) this.#fonts.set(font, encoding);
  }

  #readStyle(word: string, parameter: number | null): void {
    if (word === "s") this.#styleNumber = parameter ?? 0;
    else if (word === "outlinelevel") this.#style.outline = parameter;
    else if (word === "ls") this.#style.list = parameter ?? 0;
    else if (word === "ilvl") this.#style.level = parameter ?? 0;
    // Styles of characters, tables and sections have numbers of their own.
    else if (word === "cs" || word === "ts" || word === "ds") this.#styleNumber = -1;
  }

  #readList(word: string, parameter: number): void {
    if (word === "list") this.#levels = [];
    else if (word === "levelnfc") this.#addLevel(!UNNUMBERED.has(parameter));
    else if (word === "listid" && this.#lists.size < MAX_LISTED) this.#lists.set(parameter, this.#levels);
  }

  /** A list has nine levels. */
  #addLevel(isOrdered: boolean): void {
    if (this.#levels.length < 9) this.#levels.push(isOrdered);
  }
}

function newStyle(): Style {
  return { name: "", outline: null, list: 0, level: 0 };
}
