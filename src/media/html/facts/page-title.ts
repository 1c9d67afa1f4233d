import { tidy } from "../tree/tidy.ts";
import { nameWords, sharedWords } from "./name-words.ts";
import type { ShownHeading } from "./shown-facts.ts";

/**
 * Chooses the title of a page: its headline, without the name of the site. A `title` element is written for a list of
 * search results, and may say it in other words.
 */

export interface TitleFacts {
  /** The text of the `title` element. */
  element: string | null;
  /** `og:title`, `twitter:title`, and the `headline` of JSON-LD. */
  openGraph: string | null;
  /** The name of a work, for libraries: Dublin Core, or a citation. */
  work: ReadFact | null;
  twitter: string | null;
  headline: string | null;
  headings: readonly ShownHeading[];
  /** The first `h1`. */
  h1: string | null;
  site: Site;
  /** Whether it calls itself an article. */
  isArticle: boolean;
}

export interface ReadFact {
  value: string;
  /** Where it was read, as `PageMetadata.sources` has it. */
  source: string;
}

const MAX_TITLE = 500;
/** Signs that set apart the name of a site or section. The first alternative must have spaces around it. */
const SEPARATOR = /\s+(?:[-–—:/\\~>]|::|\/\/)\s+|:\s+|\s*[|｜•»«›‹]\s*|\s+·\s+|(?<=[\p{L}\p{N}])[—–]\s+|\s+_/gu;
/** Of these signs, the ones after which a name stands that nothing else in the page confirms. */
const BEFORE_NAME = /^\s*[-–—|｜•·»_]\s*$/u;
/** Words of such a name, and the fewest of the title before it. */
const MAX_NAME_WORDS = 4;
const MIN_TITLE_WORDS = 3;
/** Words of a name that holds the name of the host. */
const MAX_SITE_WORDS = 5;
/** The share of words that a heading has in common with the title if it says the same. An article's may differ more. */
const ALIKE = 0.4;
const ALIKE_IN_ARTICLE = 0.25;

/**
 * Returns null if the page has no title. One without a `title` element is called by the first title that it has, as it
 * stands: versions of such a page are compared by it (changes/page-version.ts).
 */
export function readTitle(facts: TitleFacts): ReadFact | null {
  const { element, openGraph, work, twitter, headline, site } = facts;
  if (element === null) return firstOf(facts);
  const headings = facts.headings.filter(({ level, text }) => level === 1 && !isSite(text, site, false));
  const stated = [element, work?.value ?? null, openGraph, twitter, headline].filter((one) => one !== null);
  const own = headings.find(({ text }) => stated.some((title) => isPartOf(text, title)));
  if (own !== undefined) return { value: own.text, source: "h1" };

  if (work !== null) return work;

  const named = openGraph === null ? null : withoutSite(openGraph, site);
  const titled = withoutSite(element, site);
  const ways = [titled, named ?? titled].map(nameWords);
  const least = facts.isArticle ? ALIKE_IN_ARTICLE : ALIKE;
  const alike = mostAlike(headings, ways);
  if (alike !== null && alike.likeness >= least) return { value: alike.text, source: "h1" };
  return named !== null && sharedWords(ways[0] ?? [], ways[1] ?? []) > 0
    ? { value: named, source: "meta og:title" }
    : { value: titled, source: "title" };
}

/** Which heading has most words in common with one of the ways to say it. */
function mostAlike(
  headings: readonly ShownHeading[],
  ways: readonly string[][],
): { text: string; likeness: number } | null {
  let most: { text: string; likeness: number } | null = null;
  for (const { text } of headings) {
    const words = nameWords(text);
    const likeness = Math.max(...ways.map((way) => sharedWords(words, way)));
    if (likeness > (most?.likeness ?? -1)) most = { text, likeness };
  }
  return most;
}

function firstOf({ openGraph, twitter, h1 }: TitleFacts): ReadFact | null {
  if (openGraph !== null) return { value: openGraph, source: "meta og:title" };
  if (twitter !== null) return { value: twitter, source: "meta twitter:title" };
  return h1 === null ? null : { value: h1, source: "h1" };
}

interface Parts {
  texts: string[];
  /** What stands between them: one fewer. */
  signs: string[];
}

function split(title: string): Parts {
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

/** Whether a heading is one of the parts of the title, or several in a row. */
function isPartOf(heading: string, title: string): boolean {
  const wanted = joinWords(heading);
  if (wanted === "") return false;
  const parts = split(title).texts.map(joinWords);
  return parts.some((_, from) => {
    let run = "";
    for (const part of parts.slice(from)) {
      run = run === "" ? part : part === "" ? run : `${run} ${part}`;
      if (run === wanted) return true;
      if (run.length > wanted.length) return false;
    }
    return false;
  });
}

export interface Site {
  /** In the words of `nameWords`, joined by spaces. */
  names: readonly string[];
  host: string;
}

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

/** Removes the name of the site from the end, or else from the start: one at least remains. */
function withoutSite(title: string, site: Site): string {
  const { texts, signs } = split(title);
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
  let kept = texts[from] ?? "";
  for (let at = from + 1; at < to; at++) kept += `${signs[at - 1]}${texts[at]}`;
  return tidy(kept, MAX_TITLE) || title;
}

function joinWords(text: string): string {
  return nameWords(text).join(" ");
}
