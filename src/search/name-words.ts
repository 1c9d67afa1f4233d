import { BREAK, breakScripts, hasUnspaced, runsOf } from "./scripts.ts";

/** Splits titles, ends of URLs and queries into words that can be compared. Only the order of hits depends on it. */

/** Characters of a title or of a URL's last part that are read. */
const MAX_NAME = 300;
const MARKS = /\p{M}/gu;
const ENGLISH_ENDING = /(?<=.{3})(?:ies|ing|es|ed|s|e|y)$/;
const DOUBLED_END = /(\p{L})\1$/u;
const FILE_EXTENSION = /(?<=.)\.(?:[sx]?html?|php\d?|aspx?|jspx?|cgi|md|txt)$/i;
const INDEX_PAGE = /^(?:index|default|home|welcome)$/i;

/**
 * The words in lower case, without accents and without common English endings, in their order. In scripts without
 * spaces each character counts as a word.
 */
export function wordsOf(text: string): string[] {
  const folded = breakScripts(text.slice(0, MAX_NAME).normalize("NFC")).split(BREAK).flatMap(runsOf);
  return folded.flatMap((run) => (hasUnspaced(run) ? [...run] : [toStem(run)]));
}

/** Cuts less than Porter's stemmer, which the index uses: a page that matches is found in any case. */
function toStem(word: string): string {
  const plain = word.normalize("NFD").replace(MARKS, "").toLowerCase();
  return plain.replace(ENGLISH_ENDING, "").replace(DOUBLED_END, "$1");
}

/** The last part of a URL's path that names something, decoded, without its extension; empty for a home page. */
export function lastPartOf(url: string): string {
  const parts = (URL.parse(url)?.pathname ?? "").split("/").filter((part) => part !== "");
  const names = parts.map((part) => decode(part).replace(FILE_EXTENSION, ""));
  return names.findLast((name) => !INDEX_PAGE.test(name)) ?? "";
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A percent sign that encodes nothing.
    return part;
  }
}
