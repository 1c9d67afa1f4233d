/** Cuts the files of manuals into pages of a few paragraphs, each with the title of its section. */
import { filesOf, type Manual } from "./manuals.ts";
import { type ManualFile, readHtml } from "./read-html.ts";

export interface Piece {
  manual: string;
  /** The path of its file in the manual. */
  path: string;
  title: string;
  text: string;
}

const MAX_TITLE = 80;
/** UTF-16 code units of a page. A character without spaces around it says more. */
const [LONG, SHORT] = [
  { min: 300, max: 2_000 },
  { min: 120, max: 700 },
];
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Manuals that are half translated have pages in English: these do not count as pages in the language. */
const UNSPACED_MANUAL = /-(?:ja|zh)$/;
const MIN_UNSPACED = 0.3;

/** At most `max` pages, from all over the manual. */
export function cutManual(manual: Manual & { path: string }, max: number, files = filesOf(manual)): Piece[] {
  const pieces: Piece[] = [];
  // Files from all over the manual, in an order that is always the same.
  const step = 7;
  const order = Array.from({ length: step }, (_, i) => files.filter((_, k) => k % step === i)).flat();
  for (const path of order) {
    if (pieces.length >= max) break;
    pieces.push(...cutFile(manual.name, path, readHtml(manual.path, path)));
  }
  return pieces.slice(0, max);
}

export function cutFile(manual: string, path: string, file: ManualFile): Piece[] {
  const size = UNSPACED_MANUAL.test(manual) ? SHORT : LONG;
  const pieces: Piece[] = [];
  for (const { heading, text } of file.sections) {
    const title = titleOf(file.title, heading);
    let part = "";
    for (const line of text.split("\n")) {
      part += `${line.slice(0, size.max)}\n`;
      if (part.length < size.max) continue;
      pieces.push({ manual, path, title, text: part });
      part = "";
    }
    if (part.length >= size.min) pieces.push({ manual, path, title, text: part });
  }
  return size === LONG ? pieces : pieces.filter(({ text }) => isUnspaced(text));
}

/** As a page's title has it: the document, and the section if it has another name. */
function titleOf(title: string, heading: string): string {
  if (heading === "" || title.includes(heading)) return title.slice(0, MAX_TITLE);
  return `${heading.slice(0, MAX_TITLE / 2)} - ${title}`.slice(0, MAX_TITLE);
}

function isUnspaced(text: string): boolean {
  return (text.match(UNSPACED)?.length ?? 0) >= MIN_UNSPACED * text.length;
}
