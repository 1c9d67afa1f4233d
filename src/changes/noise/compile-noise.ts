import { hashOf } from "../page-version.ts";
import { maskText } from "../template/mask-text.ts";
import { isNoiseOn, isPosition, isToRetest, type NoiseTable } from "./noise-place.ts";
import { compilePatterns } from "./words-pattern.ts";

/** Makes what is known of noise ready for use on one page. */

export interface CompiledNoise {
  /** For a block that begins a slot, the blocks that may end it. */
  slots: ReadonlyMap<string, ReadonlySet<string>>;
  /** The number of blocks that differ after a block, or before it. */
  after: ReadonlyMap<string, number>;
  before: ReadonlyMap<string, number>;
  /** Likewise of those that differ if they are known to come and go. */
  knownAfter: ReadonlyMap<string, number>;
  knownBefore: ReadonlyMap<string, number>;
  /** The blocks between which the order of others is left out. */
  unordered: readonly (readonly [start: string, end: string])[];
  /** A folded text without what differs in it. */
  cutText(folded: string): string;
  /** Likewise for one of `count` parts of a title. */
  cutTitle(folded: string, at: number, count: number): string;
}

export const NO_NOISE: CompiledNoise = {
  slots: new Map(),
  after: new Map(),
  before: new Map(),
  knownAfter: new Map(),
  knownBefore: new Map(),
  unordered: [],
  cutText: (folded) => folded,
  cutTitle: (folded) => folded,
};

/** The places that are noise on a page. `retestedAt`: without those that must be looked at again then. */
export function noiseOn(table: NoiseTable, page: string, retestedAt: number | null = null): string[] {
  return Object.entries(table).flatMap(([place, evidence]) =>
    !isPosition(place) && isNoiseOn(evidence, page) && (retestedAt === null || !isToRetest(evidence, retestedAt))
      ? [place]
      : [],
  );
}

/** `isOfKnown`: whether a place holds only what is known to come and go. */
export function compileNoise(places: readonly string[], isOfKnown = (_: string) => false): CompiledNoise {
  if (places.length === 0) return NO_NOISE;
  const of = (kind: string) =>
    places.filter((place) => place.startsWith(`${kind}:`)).map((place) => place.slice(kind.length + 1));
  const numbers = new Set(of("n"));
  const cutWords = compilePatterns(of("w"));
  const titles = new Set(of("t"));
  const slots = new Map<string, Set<string>>();
  const newCounts = () => new Map<string, number>();
  const counts = { after: newCounts(), before: newCounts(), knownAfter: newCounts(), knownBefore: newCounts() };
  const raise = (side: keyof typeof counts, hash: string, count: string) =>
    counts[side].set(hash, Math.max(counts[side].get(hash) ?? 0, Number(count)));
  for (const slot of of("s")) {
    const [start = "", end = ""] = slot.split(">");
    // A hash has eight characters.
    if (end.startsWith("+") && end.length < 8)
      raise(isOfKnown(`s:${slot}`) ? "knownAfter" : "after", start, end.slice(1));
    else if (start.startsWith("-") && start.length < 8)
      raise(isOfKnown(`s:${slot}`) ? "knownBefore" : "before", end, start.slice(1));
    else slots.set(start, (slots.get(start) ?? new Set()).add(end));
  }
  const unordered = of("o").map((run) => run.split(">") as [string, string]);
  return {
    slots,
    ...counts,
    unordered,
    cutText(folded) {
      if (numbers.size > 0) {
        const masked = maskText(folded);
        if (numbers.has(hashOf(masked))) return masked;
      }
      return cutWords(folded);
    },
    cutTitle(folded, at, count) {
      if (titles.has("") || titles.has(`${at}/${count}:w`)) return "";
      return titles.has(`${at}/${count}:n`) ? maskText(folded) : folded;
    },
  };
}
