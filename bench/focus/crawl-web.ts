/**
 * Crawls a web in memory as the pipeline would: few URLs are in motion, the others wait best first, and a batch of 25
 * is fetched at once. A priority is a whole number, and is given when a URL is found.
 */
import { priorityOf } from "./priority.ts";
import type { WebPage } from "./web.ts";

/** URLs in motion at most, as in a crawl with a subject. */
const MAX_QUEUED = 50;
const BATCH = 25;

export interface Found {
  target: number;
  /** 0 to 1. A page that waits moves up if it is found again with a higher one and `isRaised`. */
  score: number;
}

export interface Strategy {
  name: string;
  /** Reads a batch of pages and scores the links that they have. `isNew`: whether a page is not known yet. */
  read(batch: readonly number[], isNew: (page: number) => boolean): Found[];
  /** Whether a higher score moves up a page that waits. The ledger never does that: it costs a row. */
  isRaised?: boolean;
}

interface Waiting {
  page: number;
  priority: number;
  depth: number;
  order: number;
}

/** Returns the pages in the order in which they were fetched. */
export function crawlWeb(
  web: readonly WebPage[],
  seeds: readonly number[],
  strategy: Strategy,
  limit: number,
): number[] {
  const fetched: number[] = [];
  const isFetched = new Set<number>();
  const depths = new Map<number, number>(seeds.map((seed) => [seed, 0]));
  const priorities = new Map<number, number>();
  const heap = new Heap();
  let order = 0;
  const moving: number[] = [...seeds];
  for (const seed of seeds) isFetched.add(seed);
  while (fetched.length < limit) {
    while (moving.length < MAX_QUEUED) {
      const next = heap.pop();
      if (next === undefined) break;
      if (isFetched.has(next.page)) continue;
      isFetched.add(next.page);
      moving.push(next.page);
    }
    const batch = moving.splice(0, BATCH);
    if (batch.length === 0) break;
    fetched.push(...batch);
    const depthOf = new Map<number, number>();
    for (const page of batch)
      for (const { target } of web[page]?.links ?? []) {
        const depth = (depths.get(page) ?? 0) + 1;
        if (depth < (depthOf.get(target) ?? Number.POSITIVE_INFINITY)) depthOf.set(target, depth);
      }
    for (const { target, score } of strategy.read(batch, (page) => !depths.has(page))) {
      const priority = priorityOf(score);
      const isKnown = depths.has(target);
      if (isFetched.has(target)) continue;
      if (isKnown && (strategy.isRaised !== true || priority <= (priorities.get(target) ?? 0))) continue;
      if (!isKnown) depths.set(target, depthOf.get(target) ?? 0);
      priorities.set(target, priority);
      heap.push({ page: target, priority, depth: depths.get(target) ?? 0, order: order++ });
    }
  }
  return fetched.slice(0, limit);
}

/** By priority, then depth, then order of discovery, as the ledger moves URLs up. */
function isBefore(a: Waiting, b: Waiting): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.depth === b.depth ? a.order < b.order : a.depth < b.depth;
}

class Heap {
  private readonly items: Waiting[] = [];

  push(item: Waiting): void {
    let at = this.items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfBefore(at, parent)) break;
      at = parent;
    }
  }

  pop(): Waiting | undefined {
    const first = this.items[0];
    const last = this.items.pop();
    if (last === undefined || this.items.length === 0) return first;
    this.items[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const best = this.isBeforeAt(right, left) ? right : left;
      if (!this.swapIfBefore(best, at)) break;
      at = best;
    }
    return first;
  }

  private isBeforeAt(a: number, b: number): boolean {
    const [one, other] = [this.items[a], this.items[b]];
    return one !== undefined && other !== undefined && isBefore(one, other);
  }

  private swapIfBefore(a: number, b: number): boolean {
    if (!this.isBeforeAt(a, b)) return false;
    [this.items[a], this.items[b]] = [this.items[b] as Waiting, this.items[a] as Waiting];
    return true;
  }
}
