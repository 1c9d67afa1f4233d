import { UNSPACED } from "../core/unspaced-scripts.ts";

/** Finds words in a page's Markdown as a reader would: white space, case, and signs of Markdown do not count. */

/** A text without what does not count, and the offset of each of its characters. */
export interface FoldedText {
  text: string;
  written: string;
  at: number[];
}

export interface FoundWords {
  /** In UTF-16 code units of the text as written. */
  at: number;
  /** As written. */
  words: string;
}

/** Signs of Markdown that stand between words, those that stand within them, and what nobody sees. */
const BETWEEN = /[\s|#>]/;
const WITHIN = /[*_`\\~[\]\u00ad\u200b-\u200f\u2060\ufeff]/;
const ALIKE = new Map([..."‘’‚‛′'"].map((sign) => [sign, "'"]));
for (const sign of "“”„‟″«»") ALIKE.set(sign, '"');
for (const sign of "‐‑‒–—−") ALIKE.set(sign, "-");
const WORD = /[\p{L}\p{N}]/u;
const UNSPACED_WORD = new RegExp(`[${UNSPACED}]`, "u");

/** `hasLinks`: the targets of links count, too. */
export function foldText(written: string, hasLinks: boolean): FoldedText {
  let text = "";
  const at: number[] = [];
  const add = (folded: string, offset: number) => {
    text += folded;
    for (let i = 0; i < folded.length; i++) at.push(offset);
  };
  for (let i = 0; i < written.length; i++) {
    const sign = written[i] as string;
    if (!hasLinks && sign === "(" && written[i - 1] === "]") {
      const end = written.indexOf(")", i);
      if (end !== -1) {
        i = end;
        continue;
      }
    }
    if (BETWEEN.test(sign)) {
      if (text !== "" && !text.endsWith(" ")) add(" ", i);
    } else if (!WITHIN.test(sign)) add((ALIKE.get(sign) ?? sign).toLowerCase(), i);
  }
  return { text, written, at };
}

/** The first place where the words stand as whole words; null if there is none. */
export function findWords(page: FoldedText, words: string): FoundWords | null {
  const wanted = foldText(words, true).text.trim();
  if (wanted === "") return null;
  for (let from = page.text.indexOf(wanted); from !== -1; from = page.text.indexOf(wanted, from + 1)) {
    const end = from + wanted.length;
    if (isCutIn(page.text, from) || isCutIn(page.text, end)) continue;
    const at = page.at[from] as number;
    return { at, words: page.written.slice(at, (page.at[end - 1] as number) + 1) };
  }
  return null;
}

/** Whether a place stands in the middle of a word or of a number. */
function isCutIn(text: string, place: number): boolean {
  const [before = "", after = ""] = [text[place - 1], text[place]];
  if (/\d/.test(before) && /[.,]/.test(after)) return /\d/.test(text[place + 1] ?? "");
  if (/[.,]/.test(before) && /\d/.test(after)) return /\d/.test(text[place - 2] ?? "");
  if (!WORD.test(before) || !WORD.test(after)) return false;
  return !UNSPACED_WORD.test(before) && !UNSPACED_WORD.test(after);
}
