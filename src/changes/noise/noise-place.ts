import { DAY_MS } from "../../core/clock.ts";

/**
 * Places whose text differs between two looks at one page a moment apart. A place is known by where it stands, never by
 * how often it has changed:
 *
 * - `n:HASH`: the numbers of a block whose masked text has this hash;
 * - `w:TEXT`: the words of a block between the parts of its text that stay (`words-pattern.ts`);
 * - `s:START>END`: the blocks between two blocks. An end is the hash of a masked block, or empty for the beginning or
 *   the end of the page. `s:START>+N` are the N blocks after one, `s:-N>END` those before one;
 * - `o:START>END`: the order of the blocks between two blocks, not what they say. It is kept with the page alone
 *   (`ToldVersions.noise`), and `i:order` is its position on each page;
 * - `t:K/N:n`, `t:K/N:w`: the numbers or the words of the part K of a title that has N parts. `t:` is the whole title;
 * - `i:K+N`: the N blocks from the block K on, without those of the template, between blocks that no other page has. It
 *   leaves nothing out: where other pages have shown it, a page that differs there at each visit needs no look of its
 *   own.
 */

/** What is known of a place. */
export interface NoiseEvidence {
  /** The last second look that found the place different: milliseconds since the epoch. */
  at: number;
  /** Where, and the beginnings of what the two looks found there. */
  url: string;
  texts: readonly [string, string];
  /** The pages where that was found, by the hash of their URL: at most three. Two make it a place of all pages. */
  pages: readonly string[];
  /** Second looks that found the place different. Absent in tables of earlier versions, where it counts as many. */
  found?: number;
  /** Second looks since then that found the same text twice. */
  steady?: number;
  /** Whether the last look that found the place different met texts alone that had come or gone before. */
  recurs?: true;
  /**
   * The first look that found the stored text, where the visit had found another one: an edit, maybe, that not all of
   * the host's caches have yet. Absent where a look has found a text that is neither.
   */
  since?: number;
}

export type NoiseTable = Readonly<Record<string, NoiseEvidence>>;

/** A place that differed between two looks. */
export interface FoundPlace {
  place: string;
  texts: readonly [string, string];
  /** The same by its position, `i:K+N`; absent for a place that is known by more. */
  position?: string;
}

/** Between the blocks of a place, in its text. */
export const BETWEEN_BLOCKS = " / ";

/** The folded blocks that a look has at a place. */
export function blocksOf(text: string): string[] {
  return text.split(BETWEEN_BLOCKS);
}

/** The position of each place that has no order. */
export const ANY_ORDER = "i:order";
/** So many pages make a place one of all pages of the host. */
const LEAST_PAGES = 2;
/** So many looks show whether the texts of a place come again. */
const LEAST_FOUND = 3;
/** So many pages make a position one where others may differ, too. */
const LEAST_POSITION_PAGES = 3;
/**
 * After this time another look must find the place different again. One look may have met a change that not all of the
 * host's caches had yet: what two looks found on one page is tested after two days, what three found after four.
 */
const RETEST_MS = 14 * DAY_MS;
const FIRST_RETEST_MS = 2 * DAY_MS;
/** So long after an edit, some caches may show the page before it. */
const CACHED_MS = 2 * DAY_MS;
/** Looks that are further apart have found the texts of two edits. */
export const OTHER_EDIT_MS = 4 * DAY_MS;
/** The time between two looks that find a place steady. */
const RETEST_AGAIN_MS = DAY_MS / 2;
/** So many looks that found the same text twice end it: of two texts, each look finds the same one in two times. */
const MOST_STEADY = 3;
const MAX_PLACES = 100;
const MAX_PAGES = 3;
const MAX_TEXT = 80;
const MAX_URL = 200;

/** Whether a place is noise on this page. `page`: the hash of its URL. */
export function isNoiseOn(evidence: NoiseEvidence, page: string): boolean {
  const { pages } = evidence;
  return pages.length >= LEAST_PAGES || (pages.includes(page) && !isTurning(evidence));
}

/**
 * Whether a place leaves out of other pages only what has come or gone between two looks: what else stands there may be
 * their own. Where looks go on to meet texts that nobody has seen before, all is left out.
 */
export function isOfKnownTexts({ found, recurs }: NoiseEvidence): boolean {
  return found !== undefined && (recurs === true || found < LEAST_FOUND);
}

/** Whether looks have found one of two texts on a single page, and not for so long that it is none of its caches. */
export function isTurning({ since, at, pages }: NoiseEvidence): boolean {
  return since !== undefined && pages.length < LEAST_PAGES && at - since < CACHED_MS;
}

/** How long ago one of these places has last shown the page one of two texts, in milliseconds. */
export function turnedAgo(table: NoiseTable, places: readonly FoundPlace[], page: string, now: number): number {
  const times = places.flatMap(({ place }) => {
    const known = table[place];
    return known?.pages.includes(page) === true && isTurning(known) ? [known.at] : [];
  });
  return now - Math.max(Number.NEGATIVE_INFINITY, ...times);
}

/** Whether another look is to say whether a place still differs. */
export function isToRetest({ at, pages, found, steady = 0 }: NoiseEvidence, now: number): boolean {
  if (steady > 0) return now - at >= RETEST_AGAIN_MS;
  const isOfAll = found === undefined || pages.length >= LEAST_PAGES;
  return now - at >= (isOfAll ? RETEST_MS : Math.min(RETEST_MS, FIRST_RETEST_MS * 2 ** Math.max(0, found - 2)));
}

/** Whether a place is a position alone, which leaves nothing out. */
export function isPosition(place: string): boolean {
  return place.startsWith("i:");
}

/** Whether a place is a part of the title: it is the same on each page. */
export function isOfTitle(place: string): boolean {
  return place.startsWith("t:");
}

/** Whether a place is kept with its page, not with its host. */
export function isOfPage(place: string): boolean {
  return place.startsWith("o:");
}

/** Whether a place leaves something out, or leads to that on other pages. */
export function isInForce(place: string, { pages }: NoiseEvidence): boolean {
  return !isPosition(place) || place === ANY_ORDER || pages.length >= LEAST_POSITION_PAGES;
}

/** Whether a look at another page has lately found noise at the position of a place. */
export function isPossible(table: NoiseTable, { place, position = "" }: FoundPlace, now: number): boolean {
  const known = table[isOfTitle(place) ? place : position];
  return known !== undefined && now - known.at < RETEST_MS;
}

/** Whether looks at several have, so that it is likely there. */
export function isLikely(table: NoiseTable, place: FoundPlace, now: number): boolean {
  const { position = "" } = place;
  const known = table[position];
  return known !== undefined && known.pages.length >= LEAST_POSITION_PAGES && isPossible(table, place, now);
}

/** Whether looks at several pages have lately found one place different, so that hardly any page is twice the same. */
export function isRestless(table: NoiseTable = {}, now: number): boolean {
  return Object.values(table).some(({ pages, at }) => pages.length >= MAX_PAGES && now - at < RETEST_MS);
}

/** The look that found places. */
interface FoundBy {
  /** The hash of the page's URL. */
  page: string;
  url: string;
  now: number;
  /** The mean time between two visits. */
  everyMs: number;
  /** Whether the second look found what is stored. */
  isStored: boolean;
  /** Whether a block has come or gone between two looks before. */
  isKnown(text: string): boolean;
}

/** Notes what two looks at a page found: the places that differed. Returns a new table. */
export function noteNoise(
  table: NoiseTable,
  found: readonly FoundPlace[],
  { page, url, now, everyMs, isStored, isKnown }: FoundBy,
): NoiseTable {
  const noted = new Map(Object.entries(table));
  const sinceOf = (known: NoiseEvidence | undefined): Pick<NoiseEvidence, "since"> => {
    if (!isStored) return {};
    const isOther = known === undefined || now - known.at > Math.max(OTHER_EDIT_MS, 2 * everyMs);
    const since = isOther ? now : known.since;
    return since === undefined ? {} : { since };
  };
  const note = (place: string, texts: readonly [string, string]) => {
    const known = noted.get(place);
    const pages = known?.pages ?? [];
    const count = known !== undefined && known.found === undefined ? {} : { found: (known?.found ?? 0) + 1 };
    noted.set(place, {
      ...shownOf(texts, url),
      at: now,
      pages: pages.includes(page) ? pages : [...pages, page].slice(-MAX_PAGES),
      ...count,
      ...(texts.flatMap(blocksOf).every((text) => text === "" || isKnown(text)) ? { recurs: true as const } : {}),
      ...sinceOf(known),
    });
  };
  for (const { place, texts, position } of found) {
    if (!isOfPage(place)) note(place, texts);
    if (position !== undefined) note(position, texts);
  }
  return boundNoise(noted);
}

/** Notes a place where pages that are visited one after the other agree, and differ from one hour to the next. */
export function notePulsing(
  table: NoiseTable,
  { place, texts }: FoundPlace,
  { pages, url, now }: Pick<FoundBy, "url" | "now"> & { pages: readonly string[] },
): NoiseTable {
  return boundNoise(new Map(Object.entries(table)).set(place, { ...shownOf(texts, url), at: now, pages }));
}

/** Whether that is known of a place, and no second look found it different. So are places of earlier versions. */
export function isOfPulse(evidence: NoiseEvidence | undefined): boolean {
  return evidence !== undefined && evidence.found === undefined;
}

/** What is kept for people. */
function shownOf([first, second]: FoundPlace["texts"], url: string): Pick<NoiseEvidence, "url" | "texts"> {
  return { url: url.slice(0, MAX_URL), texts: [first.slice(0, MAX_TEXT), second.slice(0, MAX_TEXT)] };
}

/** Notes that these places differ still, without what a look at them may teach of others. */
export function renew(table: NoiseTable, places: readonly FoundPlace[], now: number): NoiseTable {
  const renewed = places.flatMap(({ place }) => {
    const known = table[place];
    if (known === undefined) return [];
    const { steady: _, ...evidence } = known;
    return [[place, { ...evidence, at: now }] as const];
  });
  return { ...table, ...Object.fromEntries(renewed) };
}

/** Notes a look that found the same text twice at these places. One that was steady often enough is noise no more. */
export function noteSteady(table: NoiseTable, places: readonly string[], now: number): NoiseTable {
  const noted = new Map(Object.entries(table));
  for (const place of places) {
    const known = noted.get(place);
    if (known === undefined) continue;
    const steady = (known.steady ?? 0) + 1;
    if (steady >= MOST_STEADY) noted.delete(place);
    else noted.set(place, { ...known, at: now, steady });
  }
  return Object.fromEntries(noted);
}

/** Keeps places of all pages before those of one, and the newest of each. */
function boundNoise(table: ReadonlyMap<string, NoiseEvidence>): NoiseTable {
  if (table.size <= MAX_PLACES) return Object.fromEntries(table);
  const isOfAll = ({ pages }: NoiseEvidence) => Number(pages.length >= LEAST_PAGES);
  const kept = [...table].sort(([, a], [, b]) => isOfAll(b) - isOfAll(a) || b.at - a.at);
  return Object.fromEntries(kept.slice(0, (MAX_PLACES * 3) / 4));
}
