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
 * A text, by its hash; how many visits in a row have found it where other pages had just shown it; and when the first
 * of them was, in milliseconds since the epoch.
 */
type PulseRun = readonly [text: string, agreed: number, at: number];

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
  const hasShown = new Set(last.page === page ? [] : last.texts);
  const shown = new Set(lines.map(hashOf));
  for (const { place, texts } of differing) {
    const blocks = blocksOf(texts[1]).map(hashOf);
    for (const block of blocks) shown.add(block);
    const runs = places.get(place) ?? [];
    places.delete(place);
    const isAgreed = blocks.every((block) => hasShown.has(block));
    places.set(place, withText(runs, hashOf(texts[1]), { isAgreed, now }));
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

function aroundOther({ last, other }: Pulses, page: string): readonly string[] | undefined {
  return last.page === page ? other : last.around;
}

function withText(runs: PulseRun[], text: string, { isAgreed, now }: { isAgreed: boolean; now: number }): PulseRun[] {
  const [shown = "", agreed = 0, at = now] = runs.at(-1) ?? [];
  const more = Number(isAgreed);
  if (shown === text) return [...runs.slice(0, -1), [text, agreed + more, at]];
  return [...runs, [text, more, now] as const].slice(-MAX_RUNS);
}

/** Whether what a place shows is a matter of the hour. `everyMs`: the mean time between two visits of a page. */
export function isPulsing(runs: readonly PulseRun[], everyMs: number): boolean {
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined || runs.length < MAX_RUNS) return false;
  const shared = runs.filter(([, agreed]) => agreed > 0).length;
  const distinct = new Set(runs.map(([text]) => text)).size;
  return shared >= LEAST_SHARED && distinct >= LEAST_DISTINCT && last[2] - first[2] <= MOST_INTERVALS * everyMs;
}

/** Whether another page has just shown the last text. */
export function hasAgreed(runs: readonly PulseRun[]): boolean {
  return (runs.at(-1)?.[1] ?? 0) > 0;
}
