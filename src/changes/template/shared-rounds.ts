import { DAY_MS } from "../../core/clock.ts";
import { isRestless } from "../noise/noise-place.ts";
import { hashOf } from "../page-version.ts";
import type { HostTemplate } from "./host-template.ts";
import { maskText } from "./mask-text.ts";
import { forgetPlace, isOwnPlace, noteSingle, noteSteadyLook } from "./own-places.ts";
import type { Round, RoundTable } from "./round.ts";
import { SHARED_BLOCK } from "./template-blocks.ts";

/**
 * Rounds: whether a change of what pages have in common changes on most pages at once, as a new menu does, or on one
 * page alone, which is that page's change. That is known only when other pages have been visited, so a change waits for
 * its page's next visit, some hours later.
 */

/** A change of a block that pages have in common, or of one beside such a block. */
export interface SharedEdit {
  /**
   * `+` or `-` with the hash of a block or a part of the title that came or went, `n` with that of a masked block whose
   * numbers changed.
   */
  key: string;
  /** For people. */
  text: string;
  /**
   * The block that a page must have had to show the change, by its key with `n`, or the line, by its key with `-`; null
   * if any page may.
   */
  had: string | null;
  /** The share of the host's pages that have it, 0 to 1. */
  share: number;
  /** The hash by which the template knows what came. Absent: that of the block. */
  learns?: string;
  /** What of the template it stands beside (own-places.ts). Absent for a change of the template itself. */
  place?: string;
}

/** So many visits of pages that might show a change decide, or all pages but one. */
const LEAST_SEEN = 6;
const FEWEST_SEEN = 3;
/** Where less than half of the host's pages might show a change, fewer visits than `LEAST_SEEN` say nothing of most. */
const LEAST_COMMON_SHARE = 0.5;
/** So many, however few pages might show it, for a change that has been one of single pages before. */
const LEAST_SEEN_AGAIN = 12;
/** Where so few pages are visited that half an interval later no more have been. */
const LEAST_SEEN_LATER = 2;
const LEAST_SHARE = 0.75;
/** Numbers that many pages show, such as counts, need not change on all of them: so many visits tell that, too. */
const LEAST_NUMBER_SHARE = 0.5;
const LEAST_NUMBERS_SEEN = 16;
/** From this share on it is known how many pages have something. */
const LEAST_KNOWN_SHARE = 0.1;
/** After so many rounds of few pages, and none of most, a text that comes or goes again is one of a page's states. */
const LEAST_ROUNDS = 3;
/** What a visit counts that was answered with 304. */
const VALIDATED_WEIGHT = 1 / 2;
/** So many pages without a change, and as many as have it, make it one of single pages. */
const LEAST_OTHERS = 3;
/** So many second looks that found the same are no chance. */
const LEAST_LOOKS = 6;
/** A page shows a change of most pages within so many intervals, or days if these are longer. */
const ARRIVES_INTERVALS = 4;
/** A change that was not seen for so long is forgotten. */
const MAX_AGE_MS = 60 * DAY_MS;
const MAX_ROUNDS = 150;
const MAX_ROUND_PAGES = 64;
const MAX_TEXT = 80;
const MAX_URL = 200;

/** A page for which a change of most pages may count. */
export interface SharedPage {
  /** When its stored version was stored; null if it is not known. */
  storedAt: number | null;
  /** Absent: whatever came to most pages since then is no change of it. */
  visit?: {
    now: number;
    /** The mean time between two visits of a page. */
    everyMs: number;
    /** The changes of most pages that it showed at its last visit (`ToldVersions.everywhere`). */
    everywhere: readonly string[];
  };
}

/** A visit of one page. */
export interface RoundVisit extends SharedPage {
  url: string;
  now: number;
  everyMs: number;
  /**
   * Keys of its stored version: of its blocks with `n`, of all its lines with `a` where numbers are asked for, and of
   * all that it showed with `-` (`shows`). Null if that was not read.
   */
  had: ReadonlySet<string> | null;
  /**
   * The keys with `+` of what the page shows, around its content too: the reader takes a banner for content on some
   * pages alone. Null if that was not read.
   */
  shows: ReadonlySet<string> | null;
  /** The keys with `n` of the blocks whose numbers are others than in its stored version; null if that was not read. */
  numbers: ReadonlySet<string> | null;
  /** How much it counts where it does not show a change: 0 to 1. Absent: 1. */
  weight?: number;
}

/** A visit that found its page unchanged. */
export type SameVisit = Pick<RoundVisit, "url" | "now" | "everyMs" | "storedAt">;

/** Notes what a visit found: these changes, and none of the others that are open. Returns a new table. */
export function noteRound(template: HostTemplate, edits: readonly SharedEdit[], visit: RoundVisit): HostTemplate {
  const { url, now, everyMs } = visit;
  const page = hashOf(url);
  const known = Object.entries(template.rounds ?? {});
  const isCounted = (key: string, round: Round) => isOpen(round, now, everyMs) || isOfNumbers(key, round);
  if (edits.length === 0 && !known.some(([key, round]) => isCounted(key, round))) return template;
  const rounds = new Map(known.map(([key, round]) => [key, isOfNumbers(key, round) ? judgeAnew(round, visit) : round]));
  let { blocks, ownPlaces = {} } = template;
  const found = new Set(edits.map(({ key }) => key));
  for (const [key, round] of rounds) {
    if (now - round.seen > MAX_AGE_MS) rounds.delete(key);
    else if (!found.has(key) && isCounted(key, round)) {
      rounds.set(key, isShown(key, visit) ? withPage(round, page) : withOther(key, round, visit));
    }
  }
  for (const { key, text, had, share, learns, place } of edits) {
    const before = rounds.get(key);
    const isGoing = before !== undefined && (isSharedFor(before, key, visit) || isOpen(before, now, everyMs));
    const singles = singlesBefore(before);
    const begun = {
      at: now,
      seen: now,
      pages: [],
      others: 0,
      url: url.slice(0, MAX_URL),
      had,
      share,
      text,
      ...(place === undefined ? {} : { place }),
      ...hasAlready(key, text, template),
      ...singles,
    };
    const round: Round = isGoing ? before : begun;
    const next = { ...withPage(round, page), seen: now, text: text.slice(0, MAX_TEXT) };
    const isShared = round.isShared ?? isOnMost(key, next, template.pages, visit);
    rounds.set(key, isShared ? { ...next, isShared: true, sharedAt: round.sharedAt ?? now } : next);
    if (isShared && key.startsWith("+") && !round.isShared)
      blocks = { ...blocks, [learns ?? hashOf(maskText(text))]: SHARED_BLOCK };
    if (isShared && place !== undefined) ownPlaces = forgetPlace(ownPlaces, place);
  }
  for (const [key, round] of rounds) {
    const { place, isSingle } = round;
    if (place === undefined || isSingle === true || !isOfOnePage(round)) continue;
    rounds.set(key, { ...round, isSingle: true });
    ownPlaces = noteSingle(ownPlaces, place, now);
  }
  const places = Object.keys(ownPlaces).length === 0 ? {} : { ownPlaces };
  const { ownPlaces: _, ...others } = template;
  return { ...others, ...places, blocks, rounds: boundRounds(rounds) };
}

/**
 * Notes a visit that found its page unchanged. `isValidated`: by its validators alone, as 304 says. They may lie, so
 * that counts less than what a visit has read. On a host whose pages show other texts to each request, no page can have
 * the same bytes, so there it says nothing.
 */
export function noteSame(template: HostTemplate, visit: SameVisit, isValidated: boolean): HostTemplate {
  if (isValidated && isRestless(template.noise, visit.now)) return template;
  const weight = isValidated ? VALIDATED_WEIGHT : 1;
  return noteRound(template, [], { ...visit, had: null, shows: null, numbers: null, weight });
}

/** Whether it is known that other pages do not show a change, and no second one does. */
function isOfOnePage(round: Round): boolean {
  return round.isShared !== true && round.pages.length === 1 && seenIn(round) >= LEAST_SEEN;
}

/**
 * Whether the host has numbers that are template for now, or may become it: whether they change is to be known of each
 * visit.
 */
export function asksForNumbers({ rounds = {} }: HostTemplate, now: number, everyMs: number): boolean {
  return Object.entries(rounds).some(
    ([key, round]) => isOfNumbers(key, round) || (key.startsWith("n") && isOpen(round, now, everyMs)),
  );
}

/** Whether it is one of numbers that are the template as long as most pages go on to show others. */
function isOfNumbers(key: string, { isShared }: Round): boolean {
  return isShared === true && key.startsWith("n");
}

/**
 * After each interval, the visits of its pages decide whether numbers are still the template: some pages whose own
 * numbers changed on one day by chance are not most of them on the next days.
 */
function judgeAnew(round: Round, { now, everyMs }: RoundVisit): Round {
  if (now - round.at < Math.max(everyMs, DAY_MS)) return round;
  const seen = seenIn(round);
  const isRefuted = seen >= FEWEST_SEEN && round.pages.length < LEAST_NUMBER_SHARE * seen;
  const next = { ...round, at: now, pages: [], others: 0, unread: 0 };
  const { isShared: _, sharedAt: __, ...single } = next;
  return isRefuted ? single : next;
}

/**
 * The visits of pages that have what changed: as many as are known, or as are likely among all visits. What few pages
 * have is on none of the sampled ones by chance, so of those each visit counts for itself.
 */
function seenIn({ pages, others, unread = 0, share }: Round): number {
  const known = pages.length + others;
  return share < LEAST_KNOWN_SHARE ? known + share * unread : Math.max(known, share * (known + unread));
}

function withOther(key: string, round: Round, visit: RoundVisit): Round {
  const { weight = 1 } = visit;
  const isUnread = round.had !== null && visit.had === null;
  if (isUnread && !round.pages.includes(hashOf(visit.url))) return { ...round, unread: (round.unread ?? 0) + weight };
  return { ...round, others: round.others + weight * mightShow(key, round, visit) };
}

/** The share of the pages that have a text, as far as is known, before it comes to others. */
function hasAlready(key: string, text: string, { blocks, pages }: HostTemplate): Pick<Round, "has"> {
  const [count = 0] = blocks[hashOf(maskText(text))] ?? [];
  const has = Math.min(1, count / Math.max(pages, 1));
  return key.startsWith("+") && has > 0 ? { has } : {};
}

function withPage(round: Round, page: string): Round {
  const { pages } = round;
  return pages.includes(page) ? round : { ...round, pages: [...pages, page].slice(-MAX_ROUND_PAGES) };
}

/**
 * Whether second looks have found a change so often that no other one is needed. Two servers that take turns show one
 * look in two the same.
 */
export function isSteadyRound(round: Round | undefined): boolean {
  return (round?.looks ?? 0) >= LEAST_LOOKS;
}

/** Notes that a second look found these changes, too. */
export function noteLooked(template: HostTemplate, edits: readonly SharedEdit[], now: number): HostTemplate {
  const rounds = new Map(Object.entries(template.rounds ?? {}));
  let { ownPlaces } = template;
  for (const { key, place } of edits) {
    const round = rounds.get(key);
    if (round !== undefined) rounds.set(key, { ...round, looks: (round.looks ?? 0) + 1 });
    if (ownPlaces !== undefined && place !== undefined) ownPlaces = noteSteadyLook(ownPlaces, place, now);
  }
  return { ...template, ...(ownPlaces === undefined ? {} : { ownPlaces }), rounds: Object.fromEntries(rounds) };
}

/** How often a change has been one of single pages, after another round that it was. */
function singlesBefore(before: Round | undefined): Pick<Round, "singles" | "ofFew"> {
  if (before === undefined) return {};
  const { isShared, singles = 0, ofFew = 0 } = before;
  const next =
    isShared === true ? { singles, ofFew: 0 } : { singles: singles + 1, ofFew: ofFew + Number(isOfFew(before)) };
  return {
    ...(next.singles === 0 ? {} : { singles: next.singles }),
    ...(next.ofFew === 0 ? {} : { ofFew: next.ofFew }),
  };
}

/**
 * Whether a change came to most pages at once, so that it is no change of this page. A page that was stored since then
 * has got it by itself, and so has one that shows it first after many intervals: "Sold out" may come to most pages on
 * one day, and to single ones on others. Numbers of a block that change on most pages are the template.
 */
export function isSharedFor({ isShared, at }: Round, key: string, { storedAt, visit }: SharedPage): boolean {
  if (isShared !== true || key.startsWith("n")) return isShared === true;
  if (storedAt !== null && storedAt >= at + DAY_MS) return false;
  if (visit === undefined) return true;
  const { now, everyMs, everywhere } = visit;
  return now - at < ARRIVES_INTERVALS * Math.max(everyMs, DAY_MS) || everywhere.includes(key.slice(1));
}

/** The same of a change that may come, or go again. What came to most pages at once is no page's own when it goes. */
export function isEverywhere(rounds: RoundTable, key: string, page: SharedPage): boolean {
  const keys = key.startsWith("n") ? [key] : ["+", "-"].map((sign) => sign + key.slice(1));
  if (keys.some((known) => isState(known, rounds[known]))) return false;
  return keys.some((known) => rounds[known] !== undefined && isSharedFor(rounds[known], known, page));
}

/** Whether a text has so often come or gone on few pages that it is one of the states of a page. */
function isState(key: string, round: Round | undefined): boolean {
  return !key.startsWith("n") && round?.isShared !== true && (round?.ofFew ?? 0) >= LEAST_ROUNDS;
}

/** Those of these changes that did not come to most pages at once, and whether that is still open for some of them. */
export function ownOf(
  { rounds = {}, pages, ownPlaces }: HostTemplate,
  edits: readonly SharedEdit[],
  page: SharedPage & { now: number },
): { own: SharedEdit[]; isUnclear: boolean } {
  const own = edits.filter(({ key }) => !isEverywhere(rounds, key, page));
  // A second page that shows the same makes it open again.
  const isOfPage = ({ key, place }: SharedEdit) =>
    isOwnPlace(ownPlaces, place, page.now) && (rounds[key]?.pages.length ?? 0) <= 1;
  const isOpenStill = (edit: SharedEdit) => !isOfPage(edit) && isUnclear(edit.key, rounds[edit.key], pages);
  return { own, isUnclear: own.length > 0 && own.every(isOpenStill) };
}

/** Whether a change waits for visits of other pages, and was seen lately. A decided one of a single page is told. */
export function isOpenRound(key: string, round: Round, pages: number, now: number, everyMs: number): boolean {
  return now - round.seen < 2 * Math.max(everyMs, DAY_MS) && isUnclear(key, round, pages);
}

function isUnclear(key: string, round: Round | undefined, pages: number): boolean {
  if (round === undefined) return true;
  if (isState(key, round) || isOfFew(round)) return false;
  const seen = seenIn(round);
  return seen < leastSeen(key, round, pages) || round.pages.length >= leastShare(key) * seen;
}

/** Whether it is known that most pages do not show a change. */
function isOfFew(round: Round): boolean {
  const seen = seenIn(round);
  return seen - round.pages.length >= LEAST_OTHERS && round.pages.length < seen / 2;
}

/** Whether a visit shows a change around the content of its page, where it is no edit. */
function isShown(key: string, { had, shows, numbers }: RoundVisit): boolean {
  if (key.startsWith("n")) return numbers?.has(key) === true;
  if (had === null || shows === null) return false;
  const [hadIt, hasIt] = [had.has(`-${key.slice(1)}`), shows.has(`+${key.slice(1)}`)];
  return key.startsWith("-") ? hadIt && !hasIt : hasIt && !hadIt;
}

/** 1 if the page might have shown the change, 0 if it could not, and what is likely if that is not known. */
function mightShow(key: string, { had, share, has = 0, pages }: Round, visit: RoundVisit): number {
  if (pages.includes(hashOf(visit.url))) return 0;
  // What has been there cannot come.
  if (key.startsWith("+") && visit.had?.has(`-${key.slice(1)}`) === true) return 0;
  // A page that was not read may have it already.
  if (had === null) return visit.had === null ? 1 - has : 1;
  if (visit.had === null) return share;
  // Numbers around the content change like those within it.
  return Number(visit.had.has(had) || (key.startsWith("n") && visit.had.has(`a${had.slice(1)}`)));
}

/** Whether visits still decide on a change. */
export function hasOpenRound({ rounds = {} }: HostTemplate, now: number, everyMs: number): boolean {
  return Object.values(rounds).some((round) => isOpen(round, now, everyMs));
}

function isOpen({ at, isShared }: Round, now: number, everyMs: number): boolean {
  return isShared !== true && now - at < Math.max(everyMs, DAY_MS);
}

function isOnMost(key: string, round: Round, pages: number, { now, everyMs }: RoundVisit): boolean {
  const seen = seenIn(round);
  const isOld = now - round.at >= Math.max(DAY_MS, everyMs / 2);
  const least = isOld && !isOfSingles(key, round) ? LEAST_SEEN_LATER : leastSeen(key, round, pages);
  const isMost = (share: number) => round.pages.length >= Math.max(2, share * seen);
  return (seen >= least && isMost(LEAST_SHARE)) || (seen >= LEAST_NUMBERS_SEEN && isMost(leastShare(key)));
}

function leastShare(key: string): number {
  return key.startsWith("n") ? LEAST_NUMBER_SHARE : LEAST_SHARE;
}

/** Whether a text has come or gone on single pages before. Numbers that change each day are seen so at first, too. */
function isOfSingles(key: string, { singles = 0 }: Round): boolean {
  return singles > 0 && !key.startsWith("n");
}

function leastSeen(key: string, round: Round, pages: number): number {
  if (isOfSingles(key, round)) return LEAST_SEEN_AGAIN;
  const { share } = round;
  if (share < LEAST_COMMON_SHARE) return LEAST_SEEN;
  return Math.min(LEAST_SEEN, Math.max(FEWEST_SEEN, Math.round(share * pages) - 1));
}

function boundRounds(rounds: ReadonlyMap<string, Round>): RoundTable {
  if (rounds.size <= MAX_ROUNDS) return Object.fromEntries(rounds);
  const kept = [...rounds].sort(([, a], [, b]) => b.seen - a.seen);
  return Object.fromEntries(kept.slice(0, (MAX_ROUNDS * 3) / 4));
}
