import { compareText } from "../../core/compare-text.ts";
import type { Hunk } from "../compare/align-blocks.ts";
import { countTexts } from "../page-lines.ts";
import { hashOf } from "../page-version.ts";
import { foldText, maskText } from "../template/mask-text.ts";
import type { CompiledNoise } from "./compile-noise.ts";

/** Lists that each request shows in another order: what they hold counts, and its order does not. */

/** The blocks of one look, as places know them. */
export interface LookedBlocks {
  folded: readonly string[];
  /** The hashes of the masked blocks. */
  hashes: readonly string[];
}

export function lookAt(blocks: readonly string[]): LookedBlocks {
  const folded = blocks.map(foldText);
  return { folded, hashes: folded.map((text) => hashOf(maskText(text))) };
}

const MAX_RUNS = 30;

/** Blocks that two looks have in two orders. */
export interface MovedRun extends Hunk {
  /**
   * `START>END`: the nearest blocks around it that stay, and that each look has once; empty for the beginning or the
   * end of the page.
   */
  ends: string;
}

/**
 * The runs of blocks that two looks have in two orders: from the first block that moved to the last one, in both. A
 * run ends where both have shown the same blocks, but for their numbers.
 */
export function findMovedRuns(hunks: readonly Hunk[], [one, other]: readonly [LookedBlocks, LookedBlocks]): MovedRun[] {
  const gone = ({ beforeStart, beforeEnd }: Hunk) => one.hashes.slice(beforeStart, beforeEnd);
  const come = ({ afterStart, afterEnd }: Hunk) => other.hashes.slice(afterStart, afterEnd);
  const balance = new Balance();
  for (const hunk of hunks) {
    for (const hash of gone(hunk)) balance.add(hash, 1);
    for (const hash of come(hunk)) balance.add(hash, -1);
  }
  const hasMoved = (hash: string) => balance.of(hash) === 0;
  const runs: MovedRun[] = [];
  const isOnce = isOnceInEach(one, other);
  const isEnd = (hash: string) => isOnce(hash) && balance.of(hash) === null;
  let open: { start: Hunk; left: Balance } | null = null;
  for (const hunk of hunks) {
    if (runs.length === MAX_RUNS) break;
    if (![...gone(hunk), ...come(hunk)].every(hasMoved)) {
      open = null;
      continue;
    }
    open ??= { start: hunk, left: new Balance() };
    const { start, left } = open;
    for (const hash of gone(hunk)) left.add(hash, 1);
    for (const hash of come(hunk)) left.add(hash, -1);
    if (!left.isEven) continue;
    // Numbers alone have changed in a hunk by itself.
    if (start !== hunk) {
      const { beforeStart, afterStart } = start;
      const [head, tail] = [one.hashes.slice(0, beforeStart), one.hashes.slice(hunk.beforeEnd)];
      const ends = `${head.findLast(isEnd) ?? ""}>${tail.find(isEnd) ?? ""}`;
      runs.push({ ...hunk, beforeStart, afterStart, ends });
    }
    open = null;
  }
  return runs;
}

/** How often texts have gone and come. */
class Balance {
  readonly #counts = new Map<string, number>();
  #uneven = 0;

  add(hash: string, count: 1 | -1): void {
    const before = this.#counts.get(hash) ?? 0;
    this.#counts.set(hash, before + count);
    this.#uneven += Math.abs(Math.sign(before + count)) - Math.abs(Math.sign(before));
  }

  /** Null for a text that has neither gone nor come. */
  of(hash: string): number | null {
    return this.#counts.get(hash) ?? null;
  }

  /** Whether all that has gone has come. */
  get isEven(): boolean {
    return this.#uneven === 0;
  }
}

function isOnceInEach(...looks: readonly LookedBlocks[]): (hash: string) => boolean {
  const counts = looks.map(({ hashes }) => countTexts(hashes));
  return (hash) => counts.every((times) => times.get(hash) === 1);
}

/**
 * A page's blocks in the order in which they are compared: between the two ends of a place without an order they are
 * sorted by their text. An item that is new may look like one of the ends, so the first block that may begin the
 * place does, and the last one that may end it. `indexes`: for each of the blocks, its index in `looked`.
 */
export function inOrder(
  looked: LookedBlocks,
  { unordered, cutText }: CompiledNoise,
): LookedBlocks & { indexes: readonly number[] } {
  const { folded, hashes } = looked;
  const indexes = [...folded.keys()];
  if (unordered.length === 0) return { ...looked, indexes };
  const texts = folded.map(cutText);
  for (const [start, end] of joined(unordered.flatMap((ends) => runBetween(ends, hashes)))) {
    const run = indexes.slice(start, end).toSorted((a, b) => compareText(texts[a] ?? "", texts[b] ?? ""));
    indexes.splice(start, end - start, ...run);
  }
  return { folded: indexes.map((at) => folded[at] ?? ""), hashes: indexes.map((at) => hashes[at] ?? ""), indexes };
}

type Run = readonly [start: number, end: number];

/** The blocks between two others, or between one and the beginning or the end of the page. */
function runBetween([first, last]: readonly [string, string], hashes: readonly string[]): Run[] {
  const start = first === "" ? 0 : hashes.indexOf(first) + 1;
  const end = last === "" ? hashes.length : hashes.lastIndexOf(last);
  return (start > 0 || first === "") && start < end ? [[start, end]] : [];
}

/** Those that overlap are one. */
function joined(runs: readonly Run[]): Run[] {
  const found: Run[] = [];
  for (const [start, end] of runs.toSorted(([a], [b]) => a - b)) {
    const [lastStart, lastEnd] = found.at(-1) ?? [0, 0];
    if (start < lastEnd) found.splice(-1, 1, [lastStart, Math.max(lastEnd, end)]);
    else found.push([start, end]);
  }
  return found;
}
