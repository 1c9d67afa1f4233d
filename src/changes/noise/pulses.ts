import { hashOf } from "../page-version.ts";
import { withoutTime } from "../template/mask-text.ts";
import { blocksOf, type FoundPlace } from "./noise-place.ts";

/**
 * Places where all pages of a host show one text, and some time later all of them another one: the weather of the hour,
 * the time, the news of the house. Two looks a moment apart find the same there. But pages that are visited one after
 * the other agree, and those of other hours do not; texts of the pages' own agree by chance alone, at any time.
 */

/** What changed visits have found. */
export interface Pulses {
  /** By the place (noise-place.ts). The newest stand last. */
  places: Readonly<Record<string, PulseRun[]>>;
  /**
   * The page of the last visit, by the hash of its URL, and the hashes of its new lines. `around`: those around its
   * content; absent in tables of earlier versions.
   */
  last: { page: string; texts: readonly string[]; around?: readonly string[] };
  /** The new lines around the content of the page that was visited before that one; absent where none is known. */
  other?: readonly string[];
}

/**
 * A text, by its hash; how many visits in a row have found it where other pages had just shown it; when the first of
 * them was, in milliseconds since the epoch; at which page, by the hash of its URL; and the hash of the text's first
 * block. The last two are absent in tables of earlier versions.
 */
type PulseRun = readonly [text: string, agreed: number, at: number, page?: string, first?: string];

export const NO_PULSES: Pulses = { places: {}, last: { page: "", texts: [] } };

/** A place of all pages is met at each visit. */
const MAX_PLACES = 12;
const MAX_RUNS = 20;
const MAX_LINES = 80;
/**
 * Of twenty texts, so many that another page had just shown, and so many that are different ones. Where each page has
 * one of K texts by itself, few texts agree often and many agree seldom: both come together for no K.
 */
const LEAST_SHARED = 8;
const LEAST_DISTINCT = 15;
/** They have come within so many intervals. A text that stays for an interval is on most pages (shared-rounds.ts). */
const MOST_INTERVALS = 6;
/**
 * Pages that agree on all of a list do not by chance, so fewer lists show it: of the last ones, which all begin with
 * another text, so many that another page had just shown, on so many pages. The list of a front page, which the others
 * have beside their text, is on one; lists that each page makes of few texts begin with few.
 */
const LIST_BLOCKS = 4;
const LIST_RUNS = 6;
const LEAST_SHARED_LISTS = 2;
const LEAST_LIST_PAGES = 3;
const MOST_LIST_INTERVALS = 3;

/**
 * Notes where the content of a page differs from what is stored of it. `lines`: its folded lines, in the content and
 * around it, that the stored version has not. What is content on one page is around the content of another one.
 * `around`: those around it.
 */
export function notePulses(
  pulses: Pulses,
  differing: readonly FoundPlace[],
  { page, now, lines, around }: { page: string; now: number; lines: readonly string[]; around: readonly string[] },
): Pulses {
  if (differing.length === 0 && lines.length === 0) return pulses;
  const { last } = pulses;
  const places = new Map(Object.entries(pulses.places));
  const hasShown = last.page === page ? [] : last.texts;
  const shown = new Set(lines.map(hashOf));
  for (const { place, texts } of differing) {
    const blocks = blocksOf(texts[1]).map(hashOf);
    for (const block of blocks) shown.add(block);
    const runs = places.get(place) ?? [];
    places.delete(place);
    const [first = ""] = blocks;
    const isAgreed = isInOrder(blocks, hasShown);
    places.set(place, withText(runs, [hashOf(texts[1]), 0, now, page, first], isAgreed));
  }
  const other = aroundOther(pulses, page);
  return {
    places: differing.length === 0 ? pulses.places : Object.fromEntries([...places].slice(-MAX_PLACES)),
    last: { page, texts: [...shown].slice(0, MAX_LINES), around: aroundOf(around) },
    ...(other === undefined ? {} : { other }),
  };
}

/** The hashes of lines around the content. Where they have the time, it is another one some minutes later. */
function aroundOf(lines: readonly string[]): string[] {
  const texts = lines.flatMap((line) => {
    const day = withoutTime(line);
    return day === null ? [line] : [line, day];
  });
  return texts.slice(0, MAX_LINES).map(hashOf);
}

/** Whether another page has just shown the same day around its content, with another time. */
export function isTimeIn(elsewhere: ReadonlySet<string>, text: string): boolean {
  const day = withoutTime(text);
  return day !== null && elsewhere.has(hashOf(day));
}

/** The hashes of what the page that was visited before this one has newly shown around its content. */
export function newElsewhere(pulses: Pulses, page: string): ReadonlySet<string> {
  return new Set(aroundOther(pulses, page));
}

/** Whether all of these are among those of a page, in the same order. One that comes twice counts once. */
function isInOrder(blocks: readonly string[], shown: readonly string[]): boolean {
  const positions = [...new Set(blocks)].map((block) => shown.indexOf(block));
  return positions.every((position, at) => position > (positions[at - 1] ?? -1));
}

function aroundOther({ last, other }: Pulses, page: string): readonly string[] | undefined {
  return last.page === page ? other : last.around;
}

function withText(runs: PulseRun[], found: PulseRun, isAgreed: boolean): PulseRun[] {
  const last = runs.at(-1);
  const isSame = last !== undefined && last[0] === found[0];
  const [text, agreed, ...when] = isSame ? last : found;
  const all: PulseRun[] = [...(isSame ? runs.slice(0, -1) : runs), [text, agreed + Number(isAgreed), ...when]];
  // Only the last ones are asked for more.
  const shortened = all.slice(-MAX_RUNS, -LIST_RUNS).map(([text, agreed, at]): PulseRun => [text, agreed, at]);
  return [...shortened, ...all.slice(-LIST_RUNS)];
}

/**
 * Whether what a place shows is a matter of the hour. `everyMs`: the mean time between two visits of a page. `blocks`:
 * how many it has.
 */
export function isPulsing(runs: readonly PulseRun[], everyMs: number, blocks: number): boolean {
  if (blocks >= LIST_BLOCKS && isPulsingList(runs.slice(-LIST_RUNS), everyMs)) return true;
  if (runs.length < MAX_RUNS) return false;
  const { shared, distinct, lasted } = describeRuns(runs);
  return shared >= LEAST_SHARED && distinct >= LEAST_DISTINCT && lasted <= MOST_INTERVALS * everyMs;
}

function isPulsingList(runs: readonly PulseRun[], everyMs: number): boolean {
  const { shared, lasted } = describeRuns(runs);
  const pages = new Set(runs.flatMap(([, , , page]) => page ?? []));
  const firstBlocks = new Set(runs.flatMap(([, , , , first]) => first ?? []));
  if (firstBlocks.size < LIST_RUNS || pages.size < LEAST_LIST_PAGES) return false;
  return shared >= LEAST_SHARED_LISTS && lasted <= MOST_LIST_INTERVALS * everyMs;
}

function describeRuns(runs: readonly PulseRun[]): { shared: number; distinct: number; lasted: number } {
  const [, , firstAt = 0] = runs[0] ?? [];
  const [, , lastAt = 0] = runs.at(-1) ?? [];
  return {
    shared: runs.filter(([, agreed]) => agreed > 0).length,
    distinct: new Set(runs.map(([text]) => text)).size,
    lasted: lastAt - firstAt,
  };
}

/** Whether another page has just shown the last text. */
export function hasAgreed(runs: readonly PulseRun[]): boolean {
  return (runs.at(-1)?.[1] ?? 0) > 0;
}
