import type { ZipFile } from "../../kind/zip.ts";
import { readXml } from "../read-xml.ts";

/** What the styles and lists of a Word document say about its paragraphs. ECMA-376 part 1, 17.7 and 17.9. */

export interface ParagraphStyle {
  /** 1 to 6. */
  heading: number | null;
  isCode: boolean;
  isQuote: boolean;
  list: { numId: string; level: number } | null;
}

interface WrittenStyle {
  name: string;
  basedOn: string;
  outline: number | null;
  numId: string | null;
  level: number;
}

const CODE_NAME = /^(?:html preformatted|preformatted text|source code|code|plain text|verbatim|macro text)$/i;
const QUOTE_NAME = /^(?:quote|intense quote|quotations|block text)$/i;
/** Styles may be based on each other in a circle. */
const MAX_BASES = 20;
/** Honest documents have some hundreds. */
const MAX_STYLES = 10_000;

/** By the style's id. */
export function readParagraphStyles(chunks: Iterable<Uint8Array>): (id: string) => ParagraphStyle {
  const written = new Map<string, WrittenStyle>();
  let style: WrittenStyle | null = null;
  readXml(chunks, {
    open(name, attributes) {
      const value = attributes.get("w:val") ?? "";
      if (name === "w:style") {
        style = { name: "", basedOn: "", outline: null, numId: null, level: 0 };
        if (attributes.get("w:type") === "paragraph" && written.size < MAX_STYLES)
          written.set(attributes.get("w:styleid") ?? "", style);
      } else if (style === null) return;
      else if (name === "w:name") style.name = value;
      else if (name === "w:basedon") style.basedOn = value;
      else if (name === "w:outlinelvl") style.outline = Number(value);
      else if (name === "w:numid") style.numId = value;
      else if (name === "w:ilvl") style.level = Number(value) || 0;
    },
    close(name) {
      if (name === "w:style") style = null;
    },
    text: () => undefined,
  });
  const known = new Map<string, ParagraphStyle>();
  return (id) => {
    const found = known.get(id) ?? settleStyle(written, id);
    known.set(id, found);
    return found;
  };
}

function settleStyle(written: ReadonlyMap<string, WrittenStyle>, id: string): ParagraphStyle {
  const settled: ParagraphStyle = { heading: null, isCode: false, isQuote: false, list: null };
  let style = written.get(id);
  for (let bases = 0; style !== undefined && bases < MAX_BASES; bases++) {
    settled.heading ??= headingLevel(style.name) ?? outlineLevel(style.outline);
    settled.isCode ||= CODE_NAME.test(style.name);
    settled.isQuote ||= QUOTE_NAME.test(style.name);
    if (style.numId !== null) settled.list ??= { numId: style.numId, level: style.level };
    style = written.get(style.basedOn);
  }
  return settled;
}

/** Built-in styles have English names in every language, whatever their ids are. */
export function headingLevel(name: string): number | null {
  const level = /^heading ?([1-9])$/i.exec(name)?.[1];
  if (level !== undefined) return Math.min(Number(level), 6);
  return /^title$/i.test(name) ? 1 : null;
}

/** `outline`: from 0; 9 is body text. */
export function outlineLevel(outline: number | null): number | null {
  return outline === null || !(outline >= 0 && outline <= 8) ? null : Math.min(outline + 1, 6);
}

/** How the lists of `numbering.xml` number their levels: bulleted, ordered, or without any mark. */
export type ListMarks = (numId: string, level: number) => "bullet" | "ordered" | "none";

export function readListMarks(zip: ZipFile, part: string | null): ListMarks {
  const formats = new Map<string, string>();
  const abstractOf = new Map<string, string>();
  let list = "";
  let isAbstract = false;
  let level = "";
  readXml(part === null ? [] : zip.chunks(part), {
    open(name, attributes) {
      const value = attributes.get("w:val") ?? "";
      if (name === "w:abstractnum") [list, isAbstract] = [attributes.get("w:abstractnumid") ?? "", true];
      else if (name === "w:num") [list, isAbstract] = [attributes.get("w:numid") ?? "", false];
      else if (name === "w:lvl") level = attributes.get("w:ilvl") ?? "";
      else if (name === "w:numfmt" && isAbstract && formats.size < MAX_STYLES) formats.set(`${list} ${level}`, value);
      else if (name === "w:abstractnumid" && abstractOf.size < MAX_STYLES) abstractOf.set(list, value);
    },
    close: () => undefined,
    text: () => undefined,
  });
  return (numId, at) => {
    const format = formats.get(`${abstractOf.get(numId)} ${at}`) ?? "bullet";
    return format === "bullet" || format === "none" ? format : "ordered";
  };
}
