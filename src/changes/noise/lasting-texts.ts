import { alignBlocks, type Hunk } from "../compare/align-blocks.ts";
import { hashOf, type PageVersion } from "../page-version.ts";
import { foldText } from "../template/mask-text.ts";
import { withTimes } from "../with-times.ts";

/**
 * What a page says at a place of noise may change all the same. A paragraph comes or goes beside an advertisement; or
 * one request of seven gets the price in dollars, and one day both prices are others. So each page remembers what it
 * has shown where it differs from what is stored. Told is what all looks show since some time and none did before: a
 * block that is there now, or is not; or one or two texts at a place that showed one or two others. A counter, a
 * quotation and an advertisement show more texts than that, and none of them at each look.
 */

/** Texts are known by four characters of their hash. */
export interface ShownTexts {
  /** Visits and second looks since the version was stored. */
  looks: number;
  /** Blocks that have come (`+HASH`) or gone (`-HASH`), and `looks` before the first of the looks that say so now. */
  since: Readonly<Record<string, number>>;
  /** Blocks that had come or gone, and `looks` when that ended. The latest stand last. */
  ended: Readonly<Record<string, number>>;
  /** For those that are forgotten: it ended then, or before. */
  endedBefore: number;
  /**
   * By the place in the stored version (`K+N`: N blocks from the block K on; `t`: the title), what the last looks found
   * there, one text after the other. `====` stands for what is stored. A place with more texts than four has a `*` for
   * each look instead, and begins anew after sixteen.
   */
  places: Readonly<Record<string, string>>;
}

/** Where a page differs from what is stored of it. */
interface Differing {
  key: string;
  /** The title has no blocks. */
  hunk: Hunk | null;
  text: string;
  /** The keys of the blocks that have come and gone there. */
  blocks: readonly string[];
}

const LENGTH = 4;
const STORED = "====";
const MANY = "*";
/** So many texts are two old ones and two new ones. */
const MOST_KEPT = 4;
const MAX_SHOWN = 16;
const MAX_PLACES = 6;
const MAX_BLOCKS = 24;
const MAX_ENDED = 40;
/** A page that differs in more places is another page. */
const MAX_DIFFERING = 12;
/** The last looks, all of which must show what none before them did; those before them; and all together. */
const LEAST_NEW = 5;
const LEAST_OLD = 2;
const LEAST_SHOWN = 11;
/** Where more texts are new than old ones were seen, so many looks must have seen these alone. */
const LEAST_OLD_OF_MORE = 6;
/** A block: the looks in a row that show it, or lack it, and those before them that did not. */
const LEAST_NEW_OF_BLOCK = 6;
const LEAST_OLD_OF_BLOCK = 3;
/**
 * A block that is drawn for each look with a fixed chance, whatever it is, shows two such runs with this probability at
 * most: of 6 and 6 looks, 4 and 10, or 3 and 16. Less where it has come or gone before, but not for good, so that there
 * were more runs: of 6 and 10, or 8 and 8.
 */
const MOST_BY_CHANCE = 2.5e-4;
const MOST_BY_CHANCE_AGAIN = 2.6e-5;
/** Texts that are shown in turns. */
const MOST_TEXTS = 2;
/** So many new ones are worth a second look, which shows another. */
const WORTH_A_LOOK = 3;

export interface Shown {
  texts: ShownTexts;
  /** The stored version with what has changed for good at places of noise; null if nothing has. */
  lasting: PageVersion | null;
  /** The looks that have found it since it was clear that it lasts. */
  further: number;
  /** What these looks have shown of the visit's version, which is stored if the change is told. */
  next: ShownTexts;
  /** Whether a second look would tell more. */
  wantsLook: boolean;
}

const NOTHING_SHOWN: ShownTexts = { looks: 0, since: {}, ended: {}, endedBefore: 0, places: {} };
/** So many visits that found what is stored, before one did not, say as much as more of them. */
const MOST_SAME = MAX_SHOWN - LEAST_NEW;

/**
 * Notes what a visit and its second look, if it had one, show where they differ from what is stored. `same`: the visits
 * that have found what is stored, where nothing is known yet.
 */
export function noteShownTexts(
  known: ShownTexts | undefined,
  same: number,
  before: PageVersion,
  after: PageVersion,
  look: PageVersion | null,
): Shown {
  const differing = findDiffering(before, after);
  const others = look === null ? null : findDiffering(before, look);
  if (Math.max(differing.length, others?.length ?? 0) > MAX_DIFFERING)
    return { texts: NOTHING_SHOWN, lasting: null, further: 0, next: NOTHING_SHOWN, wantsLook: false };
  const first = known ?? { ...NOTHING_SHOWN, looks: Math.min(same, MOST_SAME) };
  const texts = noteLook(others === null ? first : noteLook(first, others), differing);
  const changed = lastingOf(differing, texts);
  return {
    texts,
    lasting: changed.length === 0 ? null : withLasting(before, after, changed, texts),
    further: Math.min(...changed.map((one) => furtherLooks(one, texts))),
    next: changed.length === 0 ? NOTHING_SHOWN : sinceChange(texts, changed, differing),
    wantsLook: differing.some(
      ({ key, blocks }) =>
        isNew(shownAt(texts, key), WORTH_A_LOOK) ||
        blocks.some((block) => (runsOf(texts, block)?.now ?? 0) >= WORTH_A_LOOK),
    ),
  };
}

/** Notes a visit that found what is stored. */
export function noteStoredTexts(known: ShownTexts): ShownTexts {
  return noteLook(known, []);
}

function noteLook(known: ShownTexts, differing: readonly Differing[]): ShownTexts {
  const { looks, since, ended, endedBefore } = known;
  const blocks = new Set(differing.flatMap((one) => one.blocks));
  const left = Object.keys(since).filter((block) => !blocks.has(block));
  const kept = withTimes(ended, left, looks, MAX_ENDED);
  const now = [...blocks].map((block) => [block, since[block] ?? looks] as const);
  return {
    looks: looks + 1,
    since: Object.fromEntries(now.slice(0, MAX_BLOCKS)),
    ended: kept,
    endedBefore: Math.max(endedBefore, ...Object.entries(ended).map(([block, at]) => (block in kept ? 0 : at))),
    places: notePlaces(known, differing),
  };
}

function notePlaces(known: ShownTexts, differing: readonly Differing[]): Record<string, string> {
  const shown = new Map(Object.entries(known.places));
  const found = new Map(differing.map(({ key, text }) => [key, shortHash(text)]));
  for (const [key, before] of shown) {
    const text = found.get(key) ?? (touches(key, differing) ? null : STORED);
    if (before.startsWith(MANY)) shown.set(key, before.length < MAX_SHOWN ? before + MANY : "");
    else shown.set(key, text === null ? MANY : bounded(before + text));
  }
  for (const one of differing)
    if (!shown.has(one.key))
      shown.set(one.key, STORED.repeat(Math.min(looksAsStored(one, known), MOST_SAME)) + shortHash(one.text));
  return Object.fromEntries([...shown].slice(-MAX_PLACES));
}

/** The looks in a row that have found what is stored at a place, as far as that is known. */
function looksAsStored({ hunk, blocks }: Differing, { looks, since, ended, endedBefore }: ShownTexts): number {
  if (hunk === null) return looks;
  if (blocks.some((block) => block in since)) return 0;
  // Nothing is stored there that could have gone.
  const isBetween = hunk.beforeStart === hunk.beforeEnd;
  return (
    looks - Math.max(endedBefore, ...(isBetween ? Object.values(ended) : blocks.map((block) => ended[block] ?? 0)))
  );
}

function bounded(shown: string): string {
  const kept = shown.slice(-MAX_SHOWN * LENGTH);
  return new Set(textsOf(kept)).size > MOST_KEPT ? MANY : kept;
}

function textsOf(shown: string): string[] {
  return shown.match(/.{4}/g) ?? [];
}

function shownAt({ places }: ShownTexts, key: string): string[] {
  return textsOf(places[key] ?? "");
}

/** Whether a place that is known touches one that differs, so that nothing says what it shows. */
function touches(key: string, differing: readonly Differing[]): boolean {
  const [start = 0, count = 0] = key.split("+").map(Number);
  return differing.some(({ hunk }) => hunk !== null && hunk.beforeStart <= start + count && start <= hunk.beforeEnd);
}

/** Whether the last texts, `least` or more, are none of those before them. */
function isNew(shown: readonly string[], least: number): boolean {
  return newOf(shown, least).length > 0;
}

/** The last texts, `least` or more, if they are none of those before them; empty if they are not. */
function newOf(shown: readonly string[], least: number): readonly string[] {
  for (let from = LEAST_OLD; from <= shown.length - least; from++) {
    const [old, now] = [new Set(shown.slice(0, from)), new Set(shown.slice(from))];
    if (Math.max(old.size, now.size) > MOST_TEXTS || [...now].some((text) => old.has(text))) continue;
    const isEnough = shown.length >= LEAST_SHOWN && (now.size <= old.size || from >= LEAST_OLD_OF_MORE);
    if (isEnough || least < LEAST_NEW) return shown.slice(from);
  }
  return [];
}

/**
 * The looks in a row that show a block, or lack it, and those in a row before them that did not. Null where these were
 * too few.
 */
function runsOf({ since, ended, endedBefore, looks }: ShownTexts, block: string): { old: number; now: number } | null {
  const from = since[block];
  if (from === undefined) return null;
  const old = from - (ended[block] ?? endedBefore);
  return old < LEAST_OLD_OF_BLOCK ? null : { old, now: looks - from };
}

function findDiffering(before: PageVersion, after: PageVersion): Differing[] {
  const [one, other] = [before, after].map(({ blocks }) => blocks.map(foldText)) as [string[], string[]];
  const hunks = alignBlocks(one, other);
  const gone = (hunk: Hunk) => one.slice(hunk.beforeStart, hunk.beforeEnd).map(shortHash);
  const come = (hunk: Hunk) => other.slice(hunk.afterStart, hunk.afterEnd).map(shortHash);
  // What has another place alone has neither come nor gone.
  const isGone = new Set(hunks.flatMap(gone));
  const isCome = new Set(hunks.flatMap(come));
  const found: Differing[] = hunks.map((hunk) => ({
    key: `${hunk.beforeStart}+${hunk.beforeEnd - hunk.beforeStart}`,
    hunk,
    text: other.slice(hunk.afterStart, hunk.afterEnd).join("\n"),
    blocks: [
      ...gone(hunk).flatMap((hash) => (isCome.has(hash) ? [] : [`-${hash}`])),
      ...come(hunk).flatMap((hash) => (isGone.has(hash) ? [] : [`+${hash}`])),
    ],
  }));
  const title = after.title ?? "";
  return (before.title ?? "") === title ? found : [...found, { key: "t", hunk: null, text: title, blocks: [] }];
}

function shortHash(text: string): string {
  return hashOf(text).slice(0, LENGTH);
}

/** Whether a block has come or gone for good. */
function isLasting(texts: ShownTexts, block: string): boolean {
  return furtherLooksOfBlock(texts, block) >= 0;
}

/** The looks since a block has come or gone for good; negative if it has not. */
function furtherLooksOfBlock(texts: ShownTexts, block: string): number {
  const runs = runsOf(texts, block);
  if (runs === null) return -1;
  const isFirst = (texts.ended[block] ?? texts.endedBefore) === 0;
  const most = isFirst ? MOST_BY_CHANCE : MOST_BY_CHANCE_AGAIN;
  let least = LEAST_NEW_OF_BLOCK;
  while (least <= runs.now && byChance({ old: runs.old, now: least }) > most) least += 1;
  return runs.now - least;
}

/** Likewise of a place that has changed for good. */
function furtherLooks({ key, blocks }: Differing, texts: ShownTexts): number {
  const shown = shownAt(texts, key);
  const found = newOf(shown, LEAST_NEW).length;
  const ofPlace = found === 0 ? -1 : Math.min(found - LEAST_NEW, shown.length - LEAST_SHOWN);
  return Math.max(ofPlace, ...blocks.map((block) => furtherLooksOfBlock(texts, block)));
}

/** The likelihood of two runs under the chance that makes it greatest: the share of looks that show the block. */
function byChance({ old, now }: { old: number; now: number }): number {
  const all = old + now;
  return (old / all) ** old * (now / all) ** now;
}

/** Where the page has changed for good. */
function lastingOf(differing: readonly Differing[], texts: ShownTexts): Differing[] {
  return differing.filter(
    ({ key, blocks }) => isNew(shownAt(texts, key), LEAST_NEW) || blocks.some((block) => isLasting(texts, block)),
  );
}

/**
 * What the looks that found a change say of the version that is stored now, so that the next change need not wait until
 * others have said the same again.
 */
function sinceChange(texts: ShownTexts, changed: readonly Differing[], differing: readonly Differing[]): ShownTexts {
  const looksOf = ({ key, blocks }: Differing) =>
    newOf(shownAt(texts, key), LEAST_NEW).length || Math.max(...blocks.map((block) => runsOf(texts, block)?.now ?? 0));
  const looks = Math.min(...changed.map(looksOf));
  const places = differing.map(({ key, hunk, text }) => {
    const found = newOf(shownAt(texts, key), LEAST_NEW).slice(-looks);
    const stored = shortHash(text);
    const { afterStart = 0, afterEnd = 0 } = hunk ?? {};
    const place = hunk === null ? key : `${afterStart}+${afterEnd - afterStart}`;
    // Where others are shown in turns, nothing is known of what is stored.
    return [place, found.length === 0 ? MANY : found.map((one) => (one === stored ? STORED : one)).join("")];
  });
  // What has come for good since is no longer gone, and the other way round.
  const from = texts.looks - looks;
  const ended = [
    ...Object.entries(texts.ended),
    ...Object.entries(texts.since).map(([block, at]) => [oppositeOf(block), at] as const),
  ].flatMap(([block, at]) => (at > from ? [[block, at - from] as const] : []));
  return {
    looks,
    since: {},
    ended: Object.fromEntries(ended.slice(-MAX_ENDED)),
    endedBefore: Math.max(0, texts.endedBefore - from),
    places: Object.fromEntries(places.slice(-MAX_PLACES)),
  };
}

function oppositeOf(block: string): string {
  return `${block.startsWith("+") ? "-" : "+"}${block.slice(1)}`;
}

/** The stored version with what has changed for good. */
function withLasting(
  before: PageVersion,
  after: PageVersion,
  changed: readonly Differing[],
  texts: ShownTexts,
): PageVersion {
  const hasChanged = (key: string) => isNew(shownAt(texts, key), LEAST_NEW);
  const blocks = [...before.blocks];
  let { title, headings } = before;
  for (const { key, hunk } of changed.toReversed()) {
    if (hunk === null) {
      title = after.title;
      continue;
    }
    const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
    const [had, has] = [blocks.slice(beforeStart, beforeEnd), after.blocks.slice(afterStart, afterEnd)];
    const is = (sign: "+" | "-") => (text: string) => isLasting(texts, sign + shortHash(foldText(text)));
    const shown = hasChanged(key) ? has : [...has.filter(is("+")), ...had.filter((text) => !is("-")(text))];
    blocks.splice(beforeStart, beforeEnd - beforeStart, ...shown);
    const more = shown.length - had.length;
    headings = headings.flatMap(([index, level]) =>
      index < beforeStart ? [[index, level] as const] : index < beforeEnd ? [] : [[index + more, level] as const],
    );
  }
  const { pageText } = after;
  return { ...before, title, blocks, headings, ...(pageText === undefined ? {} : { pageText }) };
}
