import { general, numberFormat, type ShowNumber } from "../number-format.ts";
import { readXml } from "../read-xml.ts";

/** The parts that the sheets of a workbook share. ECMA-376 part 1, 18.2, 18.4 and 18.8. */

interface SheetName {
  name: string;
  /** The id of its relation. */
  id: string;
}

interface SharedTexts {
  texts: readonly string[];
  /** The limit that was reached; null if all are there. */
  truncated: string | null;
}

/** All together; a sheet shows each as often as it likes, and what is written is limited by itself. */
const MAX_SHARED_CHARACTERS = 8_000_000;
const MAX_SHARED_TEXTS = 400_000;
const MAX_SHEETS = 1_000;
const MAX_FORMATS = 100_000;
/** As many as a cell may have: 32,767. */
const MAX_TEXT = 32_767;

export function readWorkbook(chunks: Iterable<Uint8Array>): { sheets: SheetName[]; is1904: boolean } {
  const sheets: SheetName[] = [];
  let is1904 = false;
  readXml(chunks, {
    open(name, attributes) {
      if (name === "workbookpr") is1904 = /^(?:1|true)$/.test(attributes.get("date1904") ?? "");
      else if (name === "sheet" && sheets.length < MAX_SHEETS)
        sheets.push({ name: attributes.get("name") ?? "", id: attributes.get("r:id") ?? "" });
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { sheets, is1904 };
}

/** Phonetic guides are left out. */
export function readSharedTexts(chunks: Iterable<Uint8Array>): SharedTexts {
  const texts: string[] = [];
  let characters = 0;
  let text = "";
  let isText = false;
  let guides = 0;
  let truncated: string | null = null;
  readXml(chunks, {
    get isDone() {
      return truncated !== null;
    },
    open(name) {
      if (name === "si") text = "";
      else if (name === "rph") guides += 1;
      else if (name === "t") isText = guides === 0;
    },
    close(name) {
      if (name === "t") isText = false;
      else if (name === "rph") guides -= 1;
      else if (name === "si") {
        texts.push(text);
        characters += text.length;
        if (characters > MAX_SHARED_CHARACTERS || texts.length > MAX_SHARED_TEXTS)
          truncated ??= "cut: its shared texts are larger than the limit";
      }
    },
    text(part) {
      if (isText && text.length < MAX_TEXT) text += part;
    },
  });
  return { texts, truncated };
}

/** How the cells of a style show their numbers, by the style's index. */
export function readCellFormats(chunks: Iterable<Uint8Array>, is1904: boolean): (style: number) => ShowNumber {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isInCells = false;
  readXml(chunks, {
    open(name, attributes) {
      const id = Number(attributes.get("numfmtid")) || 0;
      if (name === "numfmt" && codes.size < MAX_FORMATS) codes.set(id, attributes.get("formatcode") ?? "");
      else if (name === "cellxfs") isInCells = true;
      else if (name === "xf" && isInCells && ids.length < MAX_FORMATS) ids.push(id);
    },
    close(name) {
      if (name === "cellxfs") isInCells = false;
    },
    text: () => undefined,
  });
  const known = new Map<number, ShowNumber>();
  return (style) => {
    const id = ids[style] ?? 0;
    const code = codes.get(id) ?? null;
    const show = known.get(id) ?? (id === 0 && code === null ? general : numberFormat(id, code, is1904));
    known.set(id, show);
    return show;
  };
}
