import type { Random } from "./random.ts";
import type { Answer } from "./web.ts";

/**
 * A site whose pages have other forms, each by a parameter. A form shows the same as its page, except on a few pages.
 * Some of these sites also give each link a session of its own.
 */

const HOST = "https://h0.test";
/** Shares of the pages on which a form shows more. */
const SHARES = [0, 0.005, 0.01, 0.02, 0.05];
const FORMS = ["view=full", "tint=red"];
/** Long enough to be an example. */
const LONG = "something that is long enough, ".repeat(8);
/** The tests of a rule (scope/choose-withheld.ts). */
const MIN_TESTS = 100;
/** A probability so small that no run of the tests meets it. */
const NEVER = 1e-5;

interface Form {
  part: string;
  /** The URLs that show more than their page does. */
  different: string[];
  /** Whether the tests at the end find one of these. */
  isFound: boolean;
}

export interface SamePageSite {
  pages: string[];
  forms: Form[];
  web(url: string): Answer;
}

export function drawSamePageSite(random: Random): SamePageSite {
  const size = random.between(60, 260);
  const pages = Array.from({ length: size }, (_, page) => `${HOST}/item-${page}`);
  const queries = FORMS.slice(0, random.oneOf([1, 1, 2]));
  const forms = queries.map((query): Form => {
    const share = random.oneOf(SHARES);
    const different = pages.filter(() => random.chance(share)).map((page) => `${page}?${query}`);
    const missesAll = size <= MIN_TESTS ? 0 : (1 - MIN_TESTS / size) ** different.length;
    return { part: `?${query.split("=")[0]}`, different, isFound: missesAll < NEVER };
  });
  const showsMore = new Set(forms.flatMap(({ different }) => different));
  const hasSessions = random.chance(0.3);
  let sessions = 0;
  const linksTo = (page: string) => {
    sessions += 1;
    return [page, ...queries.map((query) => `${page}?${query}`), ...(hasSessions ? [`${page}?zs=k${sessions}f`] : [])];
  };
  const web = (url: string): Answer => {
    if (url.endsWith("/robots.txt")) return { kind: "status", status: 404 };
    const page = Number(/item-(\d+)/.exec(url)?.[1] ?? -1);
    const links = [1, 2].flatMap((step) => linksTo(pages[(page + step) % size] as string));
    return { kind: "page", links, body: `page ${page} ${LONG} ${showsMore.has(url) ? `and more of ${url}` : ""}` };
  };
  return { pages, forms, web };
}
