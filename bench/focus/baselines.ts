/** Other orders, for comparison. */
import type { Found, Strategy } from "./crawl-web.ts";
import { Dice } from "./random.ts";
import type { WebPage } from "./web.ts";

function linksOf(web: readonly WebPage[], batch: readonly number[]): number[] {
  return batch.flatMap((page) => web[page]?.links.map(({ target }) => target) ?? []);
}

export function breadthFirst(web: readonly WebPage[]): Strategy {
  return { name: "breadth-first", read: (batch) => linksOf(web, batch).map((target) => ({ target, score: 0 })) };
}

export function randomly(web: readonly WebPage[], seed: number): Strategy {
  const dice = new Dice(seed);
  return { name: "random", read: (batch) => linksOf(web, batch).map((target) => ({ target, score: dice.next() })) };
}

/**
 * Pages with most links so far go first: Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering", 1998.
 */
export function inLinksFirst(web: readonly WebPage[]): Strategy {
  const counts = new Map<number, number>();
  return {
    name: "in-links first",
    isRaised: true,
    read(batch): Found[] {
      return linksOf(web, batch).map((target) => {
        const count = (counts.get(target) ?? 0) + 1;
        counts.set(target, count);
        return { target, score: 1 - 1 / (1 + count) };
      });
    },
  };
}

/**
 * Knows of each discovered URL whether its page is on the subject, and nothing of pages that no link was seen to. Pages
 * on the subject go first; both they and the others go breadth-first among themselves.
 */
export function oracle(web: readonly WebPage[], isRelevant: (page: number) => boolean): Strategy {
  const read = (batch: readonly number[]) =>
    linksOf(web, batch).map((target) => ({ target, score: isRelevant(target) ? 1 : 0 }));
  return { name: "oracle", read };
}

/** Knows the whole web: which pages are on the subject, what each links to, and how far it is from the next one. */
export function allKnowing(web: readonly WebPage[], isRelevant: (page: number) => boolean): Strategy {
  const distances = distancesTo(web, isRelevant);
  const known = new Set<number>();
  const read = (batch: readonly number[]) => {
    const targets = linksOf(web, batch);
    for (const target of targets) known.add(target);
    return targets.map((target) => {
      const fresh = web[target]?.links.filter((link) => isRelevant(link.target) && !known.has(link.target)).length ?? 0;
      const promise = fresh > 0 ? 0.6 + Math.min(fresh, 10) / 50 : 0.5 / (1 + (distances[target] ?? 9));
      return { target, score: isRelevant(target) ? 0.9 + Math.min(fresh, 10) / 100 : promise };
    });
  };
  return { name: "all-knowing", read };
}

/** For each page, the number of links to the nearest relevant one; Infinity if there is none. */
export function distancesTo(web: readonly WebPage[], isRelevant: (page: number) => boolean): number[] {
  const parents: number[][] = web.map(() => []);
  for (const [page, { links }] of web.entries()) for (const { target } of links) parents[target]?.push(page);
  const distances = web.map((_, page) => (isRelevant(page) ? 0 : Number.POSITIVE_INFINITY));
  let edge = [...web.keys()].filter(isRelevant);
  for (let distance = 1; edge.length > 0; distance++) {
    const next: number[] = [];
    for (const parent of edge.flatMap((page) => parents[page] ?? [])) {
      if ((distances[parent] ?? 0) <= distance) continue;
      distances[parent] = distance;
      next.push(parent);
    }
    edge = next;
  }
  return distances;
}
