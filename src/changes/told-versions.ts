import { DAY_MS } from "../core/clock.ts";
import { noteStoredTexts, type ShownTexts } from "./noise/lasting-texts.ts";
import { withTimes } from "./with-times.ts";

/**
 * Decides whether a version of a page is told. One that is not there for good (`waits`) is held, and told if the next
 * visits find another one than the one told last, too. Nothing else is held: a page that returns to what it was has
 * changed each time. Two servers that take turns are found out by a second look (compare/judge-look.ts).
 */

/** A page's memory of its versions, by their content hashes. A few hundred bytes. */
export interface ToldVersions {
  /** The version that was told last. */
  told: string;
  /** Versions told before it, the latest last. */
  former: readonly string[];
  /**
   * The version that is held, the visits in a row that held it, and those that held any. The last number is absent in
   * rows of earlier versions.
   */
  back: { hash: string; visits: number; all?: number } | null;
  /** How many times a former version was told again. */
  returns: number;
  /** When a visit last found each of `former`: milliseconds since the epoch. Absent in rows of earlier versions. */
  seen?: Readonly<Record<string, number>>;
  /** Versions that are shown in turns with the one told last, and the visits in a row that found one of them. */
  turns?: readonly string[];
  inTurn?: number;
  /** Places where a second look found the same, and when. */
  steady?: Readonly<Record<string, number>>;
  /** The texts that came to most pages at once, or went, and that the last visit found so: their hashes. */
  everywhere?: readonly string[];
  /** Places of noise that are kept with the page (`Judgement.noise`), and when they were found. */
  noise?: Readonly<Record<string, number>>;
  /** What it shows at places of noise, since its last version was stored. */
  shown?: ShownTexts;
}

export type Telling = "nothing" | "tell" | "hold";

/** Visits in a row that hold versions, one after the other. */
const MOST_HELD = 4;
const MAX_FORMER = 8;
const MAX_TURNS = 4;
/** After so many visits in a row that found the other of two versions, it may have stayed: another look decides. */
const MOST_IN_TURN = 6;
const MAX_STEADY = 6;
const MAX_NOISE = 4;
const MAX_EVERYWHERE = 24;
/** So long places of noise that are kept with a page are known. */
const NOISE_LASTS_MS = 14 * DAY_MS;
/** Visits in a row, each with another version. */
const LEAST_OTHERS = 3;

/** `hash`: the page's first version. */
export function firstVersion(hash: string): ToldVersions {
  return { told: hash, former: [], back: null, returns: 0 };
}

/** What is known of the version that a visit found. */
export interface FoundHash {
  hash: string;
  /** The visits for which it waits at most; 0 if it is told now. */
  waits: number;
  /** The last visit that found the version told last. */
  lastAt: number;
}

/**
 * Call it at each visit that found another version, and keep what it returns. `tell`: tell the change from the version
 * told last; `backTo` is when the page said this last, null if it has not or that is not known. `hold`: the version may
 * not stay.
 */
export function decideTelling(
  versions: ToldVersions,
  { hash, waits, lastAt }: FoundHash,
): { telling: Telling; versions: ToldVersions; backTo: number | null } {
  const { told, back } = versions;
  if (hash === told || isInTurn(versions, hash))
    return { telling: "nothing", versions: withoutHeld(versions), backTo: null };
  const held = back?.hash === hash ? back.visits : 0;
  const all = back === null ? 0 : (back.all ?? back.visits);
  if (held < waits && all < Math.max(MOST_HELD, waits))
    return { telling: "hold", versions: { ...versions, back: { hash, visits: held + 1, all: all + 1 } }, backTo: null };
  const isBack = isFormer(versions, hash);
  const next = tellNow(versions, hash, lastAt);
  const returns = versions.returns + (isBack ? 1 : 0);
  return { telling: "tell", versions: { ...next, returns }, backTo: isBack ? (versions.seen?.[hash] ?? null) : null };
}

/** The version is told, or for another reason than its text, such as a field that has changed, the one told last. */
export function tellNow(versions: ToldVersions, hash: string, lastAt: number): ToldVersions {
  const { told, former, returns, steady, noise } = versions;
  if (hash === told) return withoutHeld(versions);
  const kept = [...former.filter((one) => one !== hash), told].slice(-MAX_FORMER);
  const times = { ...versions.seen, [told]: lastAt };
  const seen = Object.fromEntries(kept.flatMap((one) => (times[one] === undefined ? [] : [[one, times[one]]])));
  const places = { ...(steady === undefined ? {} : { steady }), ...(noise === undefined ? {} : { noise }) };
  return { told: hash, former: kept, back: null, returns, seen, ...places };
}

/** Whether this visit and those before it, half a day apart, have each found another version. */
export function isOtherEachTime(versions: ToldVersions | null, hash: string): boolean {
  const back = versions?.back ?? null;
  return back !== null && back.hash !== hash && back.visits === 1 && (back.all ?? 1) >= LEAST_OTHERS - 1;
}

/** Notes what a page with noise shows where it differs from what is stored. */
export function noteShown(versions: ToldVersions, shown: ShownTexts | undefined): ToldVersions {
  return shown === undefined ? versions : { ...versions, shown };
}

/** Another version is stored from now on: what differed from the one before says nothing of it. */
export function withoutShown({ shown, ...versions }: ToldVersions): ToldVersions {
  return versions;
}

/** The visit found what is stored. */
export function noteStored(versions: ToldVersions): ToldVersions {
  const { shown } = versions;
  return withoutHeld(shown === undefined ? versions : { ...versions, shown: noteStoredTexts(shown) });
}

/** What an unchanged visit has told of its page. */
export interface FoundUnchanged {
  /** The content hash of the version told last. */
  hash: string;
  /** Places of noise that are kept with the page. */
  noise: readonly string[];
  /** The changes of most pages that it shows. */
  everywhere: readonly string[];
  shown?: ShownTexts | undefined;
}

/** Notes a visit that found the version told last. Null, for a page of which nothing was told, if nothing is noted. */
export function noteUnchanged(
  versions: ToldVersions | null,
  { hash, noise, everywhere, shown }: FoundUnchanged,
  now: number,
): ToldVersions | null {
  if (noise.length + everywhere.length === 0 && shown === undefined) return versions && withoutHeld(versions);
  const known = noteShown({ ...(versions ?? firstVersion(hash)), told: hash }, shown);
  return noteEverywhere(withoutHeld(noteNoiseOfPage(known, noise, now)), everywhere);
}

/** Notes the changes of most pages that a visit found. */
export function noteEverywhere(versions: ToldVersions, texts: readonly string[]): ToldVersions {
  const { everywhere, ...others } = versions;
  if (texts.length > 0) return { ...others, everywhere: texts.slice(0, MAX_EVERYWHERE) };
  return everywhere === undefined ? versions : others;
}

/** The places of noise that are known of the page by its row. */
export function noiseOfPage(versions: ToldVersions | null, now: number): string[] {
  const noise = versions?.noise ?? {};
  return Object.keys(noise).filter((place) => now - (noise[place] ?? 0) < NOISE_LASTS_MS);
}

/** Notes places of noise that are kept with the page. */
export function noteNoiseOfPage(versions: ToldVersions, places: readonly string[], now: number): ToldVersions {
  if (places.length === 0) return versions;
  return { ...versions, noise: withTimes(versions.noise, places, now, MAX_NOISE) };
}

/** Notes the places where a second look found the same. */
export function noteSteadyPlaces(versions: ToldVersions, places: readonly string[], now: number): ToldVersions {
  if (places.length === 0) return versions;
  return { ...versions, steady: withTimes(versions.steady, places, now, MAX_STEADY) };
}

/** Whether the page said this before the version told last, as far as is known. */
export function isFormer({ former }: ToldVersions, hash: string): boolean {
  return former.includes(hash);
}

/** Whether a version is shown in turns with the one told last, as far as is known. */
export function isInTurn({ turns, inTurn = 0 }: ToldVersions, hash: string): boolean {
  return turns?.includes(hash) === true && inTurn < MOST_IN_TURN;
}

/** Notes a visit that found a version that is shown in turns with the one told last. */
export function noteTurn(versions: ToldVersions, hash: string): ToldVersions {
  const { turns = [], inTurn = 0 } = versions;
  // A second look has found again that they take turns.
  const count = inTurn >= MOST_IN_TURN ? 1 : inTurn + 1;
  const others = turns.filter((one) => one !== hash);
  return { ...versions, back: null, turns: [...others, hash].slice(-MAX_TURNS), inTurn: count };
}

/** The version told last is there, so none is held, and no other one has stayed. */
export function withoutHeld(versions: ToldVersions): ToldVersions {
  const { inTurn, everywhere, ...others } = versions;
  const isAtRest = versions.back === null && inTurn === undefined && everywhere === undefined;
  return isAtRest ? versions : { ...others, back: null };
}
