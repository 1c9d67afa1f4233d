import { tidy } from "../tree/tidy.ts";
import { nameWords } from "./name-words.ts";

/** Cuts titles at the signs that set apart the name of a site or section, and removes the name of the site. */

/** The first alternative must have spaces around it. */
const SEPARATOR = /\s+(?:[-–—:/\\~>]|::|\/\/)\s+|:\s+|\s*[|｜•»«›‹]\s*|\s+·\s+|(?<=[\p{L}\p{N}])[—–]\s+|\s+_/gu;

export interface TitleParts {
  texts: string[];
  /** What stands between them: one fewer. */
  signs: string[];
}

export function splitTitle(title: string): TitleParts {
  const texts: string[] = [];
  const signs: string[] = [];
  let end = 0;
  for (const { 0: sign, index } of title.matchAll(SEPARATOR)) {
    texts.push(title.slice(end, index));
    signs.push(sign);
    end = index + sign.length;
  }
  texts.push(title.slice(end));
  return { texts, signs };
}

/** The parts from `from` to before `to`, with the signs between them. */
export function joinParts({ texts, signs }: TitleParts, from: number, to: number): string {
  let joined = texts[from] ?? "";
  for (let at = from + 1; at < to; at++) joined += `${signs[at - 1]}${texts[at]}`;
  return joined;
}

export interface Site {
  /** In the words of `nameWords`, joined by spaces. */
  names: readonly string[];
  host: string;
}

/** Words of a name that holds the name of the host. */
const MAX_SITE_WORDS = 5;

/** Whether a part of a title names the site. `isLoosely`: also if it is the name of the host and a few words more. */
export function isSite(part: string, { names, host }: Site, isLoosely: boolean): boolean {
  const words = nameWords(part);
  const name = words.join(" ");
  if (name === "" || names.includes(name)) return true;
  const run = words.join("");
  const labels = host.split(".").map((label) => label.replaceAll("-", ""));
  if (run === labels.join("") || run === labels.filter((label) => label !== "www").join("")) return true;
  return labels
    .slice(0, -1)
    .some((label) =>
      isLoosely
        ? label.length > 3 &&
          words.length <= MAX_SITE_WORDS &&
          (run.includes(label) || (run.length > 3 && label.startsWith(run)))
        : label.length > 2 && run === label,
    );
}

/** Characters. */
export const MAX_PAGE_TITLE = 500;
/** The signs that may stand before a name that nothing else in the page confirms. */
const BEFORE_NAME = /^\s*[-–—|｜•·»_]\s*$/u;
/** Words of such a name, and the fewest of the title before it. */
const MAX_NAME_WORDS = 4;
const MIN_TITLE_WORDS = 3;

/** Removes the name of the site from the end, or else from the start: one part at least remains. */
export function withoutSite(title: string, site: Site): string {
  const parts = splitTitle(title);
  const { texts, signs } = parts;
  let from = 0;
  let to = texts.length;
  while (to - from > 1 && isSite(texts[to - 1] ?? "", site, false)) to -= 1;
  if (to === texts.length) while (to - from > 1 && isSite(texts[from] ?? "", site, false)) from += 1;
  if (from === 0 && to === texts.length && to > 1) {
    const last = texts[to - 1] ?? "";
    const rest = nameWords(texts.slice(0, -1).join(" ")).length;
    const words = nameWords(last).length;
    const isName =
      BEFORE_NAME.test(signs.at(-1) ?? "") && words <= MAX_NAME_WORDS && words <= rest && rest >= MIN_TITLE_WORDS;
    if (isSite(last, site, true) || (isName && !/^[\p{N}\s]+$/u.test(last))) to -= 1;
    else if (isSite(texts[0] ?? "", site, true) && to > 1) from = 1;
  }
  return tidy(joinParts(parts, from, to), MAX_PAGE_TITLE) || title;
}
