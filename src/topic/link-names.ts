/**
 * Which words of titles and URLs lead to relevant pages. A site writes its name into both, and the names of its parts
 * into anchor texts. Chakrabarti, Punera and Subramanyam, "Accelerated focused crawling through online relevance
 * feedback", 2002, learn the same from the words near links.
 */
import { fromLogOdds, toLogOdds } from "./weights/log-odds.ts";
import { packNumbers, unpackNumbers } from "./weights/packed-numbers.ts";

/** Packed hashes of terms, each with the pages that have it and the sum of their relevances, in twentieths. */
export type NameCounts = string;

const PARTS_OF_PAGE = 20;
const MAX_NAMES = 450;
/** A term in fewer pages says nothing. */
const MIN_PAGES = 2;
/** A term is taken to be as the crawl's mean is, with the weight of so many pages. */
const PRIOR_PAGES = 3;
/** What is not known is taken for as good as this where a crawl finds less: else nothing would speak against a term. */
const LEAST_MEAN = 0.3;
/** From so many pages with one term on, all counts are halved. */
const MEMORY_PAGES = 2_000;
/** The least and the greatest evidence of one term. */
const MAX_EVIDENCE = 3;
/** Evidence is stored in hundredths above this. */
const ZERO = 1_000;

export function addNames(
  counts: NameCounts,
  pages: readonly { hashes: readonly number[]; relevance: number }[],
): NameCounts {
  const sums = readSums(counts);
  for (const { hashes, relevance } of pages)
    for (const hash of hashes) {
      const { count, sum } = sums.get(hash) ?? { count: 0, sum: 0 };
      sums.set(hash, { count: count + 1, sum: sum + relevance });
    }
  const most = [...sums].sort(([a, more], [b, less]) => less.count - more.count || a - b).slice(0, MAX_NAMES);
  const halving = (most[0]?.[1].count ?? 0) > MEMORY_PAGES ? 0.5 : 1;
  const toParts = (value: number) => Math.min(0xffffff, Math.round(value * halving * PARTS_OF_PAGE));
  return packNumbers(most.flatMap(([hash, { count, sum }]) => [hash, toParts(count), toParts(sum)]));
}

function readSums(counts: NameCounts): Map<number, { count: number; sum: number }> {
  const numbers = unpackNumbers(counts);
  const sums = new Map<number, { count: number; sum: number }>();
  for (let at = 0; at + 2 < numbers.length; at += 3) {
    const [hash, count, sum] = numbers.slice(at, at + 3) as [number, number, number];
    sums.set(hash, { count: count / PARTS_OF_PAGE, sum: sum / PARTS_OF_PAGE });
  }
  return sums;
}

/** For a lens: packed hashes of terms, each with its evidence. `ofCrawl`: the mean relevance of its pages. */
export function evidenceOf(counts: NameCounts, ofCrawl: number): string {
  const mean = Math.max(LEAST_MEAN, ofCrawl);
  const numbers: number[] = [];
  for (const [hash, { count, sum }] of readSums(counts)) {
    if (count < MIN_PAGES) continue;
    const expected = (sum + mean * PRIOR_PAGES) / (count + PRIOR_PAGES);
    const evidence = Math.min(MAX_EVIDENCE, Math.max(-MAX_EVIDENCE, toLogOdds(expected) - toLogOdds(mean)));
    numbers.push(hash, ZERO + Math.round(evidence * 100));
  }
  return packNumbers(numbers);
}

/** The evidence of each term, as a logarithm of odds. */
export function readEvidence(packed: string): Map<number, number> {
  const numbers = unpackNumbers(packed);
  const evidence = new Map<number, number>();
  for (let at = 0; at + 1 < numbers.length; at += 2)
    evidence.set(numbers[at] as number, ((numbers[at + 1] as number) - ZERO) / 100);
  return evidence;
}

/** Corrects a score (0 to 1) by evidence. */
export function correctBy(evidence: number, score: number): number {
  return fromLogOdds(toLogOdds(score) + evidence);
}
