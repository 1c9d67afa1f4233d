import { termsOf } from "./terms.ts";

/**
 * What a page is compared by: how often each term is in its text, its title, its URL, and the links that lead to it.
 */

export interface PageTerms {
  /** The most frequent ones of title and text, without stop words. */
  text: TermCounts;
  /** The words of the title, and likewise of the URL, with stop words and numbers. */
  title: TermCounts;
  /** The folders of the URL count as words, too. */
  url: TermCounts;
  /** How many of the different texts of links to the page have the word. */
  anchors: TermCounts;
}

/** The most frequent first; equally frequent ones in the order of the page. */
type TermCounts = [term: string, count: number][];

/** Terms of a text that are kept: some 3 KB a page. */
const MAX_TEXT_TERMS = 400;
/** Of each of the others. */
const MAX_SHORT_TERMS = 60;
const MAX_WORD = 24;
/** In the text, the title counts as much as three mentions. */
export const TITLE_MENTIONS = 3;

/** `anchors`: different texts of links to the page. */
export function countPageTerms(page: {
  url: string;
  title: string | null;
  text: string;
  anchors: readonly string[];
}): PageTerms {
  const { url, title, text, anchors } = page;
  const counts = new Map<string, number>();
  for (const term of termsOf(title ?? "")) add(term, TITLE_MENTIONS, counts);
  for (const term of termsOf(text)) add(term, 1, counts);
  return {
    text: mostFrequent(counts, MAX_TEXT_TERMS),
    title: countWords([title ?? ""]),
    url: mostFrequent(new Map(wordsOfUrl(url).map((word) => [word, 1])), MAX_SHORT_TERMS),
    anchors: countWords(anchors),
  };
}

/** In how many of these short texts each word is. */
function countWords(texts: readonly string[]): TermCounts {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of shortTerms(text)) add(word, 1, counts);
  return mostFrequent(counts, MAX_SHORT_TERMS);
}

/** In a short text each word says something: the `how to` of a title, the `1` of `git-add(1)`. */
function shortTerms(text: string): Set<string> {
  const words =
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return new Set([...termsOf(text), ...words.map((word) => word.slice(0, MAX_WORD).toWellFormed())]);
}

/** The words of host, path and query, without scheme and top-level domain, and each folder from the root on. */
function wordsOfUrl(url: string): string[] {
  const { hostname = "", pathname = "", search = "" } = URL.parse(url) ?? {};
  const path = decode(`${hostname.replace(/\.[^.]*$/, "")} ${pathname} ${search}`)
    .replace(/\.(?:html?|php|aspx?|jsp)(?= |$)/gi, " ")
    // parseHTML has two words.
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replaceAll("_", " ");
  const folders = pathname.split("/").slice(1, -1);
  return [...shortTerms(path), ...folders.map((_, i) => `/${folders.slice(0, i + 1).join("/")}/`)];
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function add(term: string, weight: number, counts: Map<string, number>): void {
  counts.set(term, (counts.get(term) ?? 0) + weight);
}

function mostFrequent(counts: ReadonlyMap<string, number>, most: number): TermCounts {
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, most);
}
