import { ANY_ORDER, isInForce, type NoiseEvidence, type NoiseTable } from "./noise/noise-place.ts";
import type { Round, RoundTable } from "./template/round.ts";
import { isOpenRound } from "./template/shared-rounds.ts";

/** What a host's table says of changes that were told of no page, for people: why, and by what evidence. */

/**
 * - `noise`: two looks at a page, a moment apart, found different texts there; or all pages show one text there, and an
 *   hour later another one;
 * - `everywhere`: it came to most pages of the host at once, as a banner or a new menu does;
 * - `undecided`: it stands beside what pages have in common, and the next visits of other pages decide.
 */
export type HeldWhy = "noise" | "everywhere" | "undecided";

/** Something that differed, and was told of no page. Times are milliseconds since the epoch. */
export interface HeldBack {
  why: HeldWhy;
  /** What it is, in words. */
  place: string;
  /**
   * Pages that showed it until that was known. Of noise at most three are kept, of the others 64.
   */
  pages: number;
  /** Visits of pages that might have shown it, and did not. Null for noise. */
  others: number | null;
  /** One of these pages. Null where an earlier version of the program noted it. */
  url: string | null;
  /** When it was seen first. Null for noise. */
  since: number | null;
  /** When it was last seen. */
  at: number;
  /** When it was known that it came to most pages. Null for the others. */
  sharedAt: number | null;
  /**
   * For noise, the beginnings of what the two looks found; for the others, of what was there before, and what is now.
   */
  before: string | null;
  after: string | null;
}

export interface HeldByHost extends HeldBack {
  host: string;
}

/** A host's tables, and how many pages it has learned from. */
export interface HostEvidence {
  host: string;
  pages: number;
  noise: NoiseTable;
  rounds: RoundTable;
}

/** What was seen since this time, the newest first. A change that is told of its page is none of it. */
export function heldBack(
  { pages, noise, rounds }: Omit<HostEvidence, "host">,
  { since, now, everyMs }: { since: number; now: number; everyMs: number },
): HeldBack[] {
  const places = Object.entries(noise)
    .filter(([place, evidence]) => isInForce(place, evidence))
    .map(([place, evidence]) => ofNoise(place, evidence));
  const shared = Object.entries(rounds).flatMap(([key, round]) => {
    if (round.isShared === true) return [ofRound(key, round, "everywhere")];
    return isOpenRound(key, round, pages, now, everyMs) ? [ofRound(key, round, "undecided")] : [];
  });
  return [...shared, ...places].filter(({ at }) => at >= since).toSorted((a, b) => b.at - a.at);
}

/** The same of several hosts, host by host. */
export function heldByHost(tables: readonly HostEvidence[], times: Parameters<typeof heldBack>[1]): HeldByHost[] {
  return tables.flatMap(({ host, ...evidence }) => heldBack(evidence, times).map((held) => ({ host, ...held })));
}

function ofNoise(place: string, { at, url, texts: [before, after], pages }: NoiseEvidence): HeldBack {
  const held = { pages: pages.length, others: null, since: null, sharedAt: null };
  return { why: "noise", place: nameOfPlace(place), ...held, url, at, before, after };
}

/** The kinds of places are those of noise-place.ts. */
function nameOfPlace(place: string): string {
  switch (place[0]) {
    case "n":
      return "numbers of a text";
    case "w":
      return "words of a text";
    case "t":
      return place.endsWith(":n") ? "numbers of the title" : "the title";
    case "i":
      if (place === ANY_ORDER) return "the order of texts";
      return "texts at one position of several pages";
    default:
      return "texts between others";
  }
}

function ofRound(key: string, { at, seen, pages, others, url, text, sharedAt }: Round, why: HeldWhy): HeldBack {
  const kind = key[0];
  const place = kind === "+" ? "a new text" : kind === "-" ? "a text that went" : "numbers of a text";
  const [before, after] = kind === "-" ? [text, null] : [null, text];
  const times = { since: at, at: seen, sharedAt: why === "everywhere" ? (sharedAt ?? at) : null };
  return { why, place, pages: pages.length, others, url: url ?? null, ...times, before, after };
}
