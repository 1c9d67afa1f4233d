/** All that a crawl has learned of its subject. Plain JSON of at most 64 KB. */

import type { NameCounts } from "../link-names.ts";
import { countTerms, strongestTerms, toVector } from "../page-vector.ts";
import { namedTermsOf, subjectTermsOf } from "../terms.ts";
import { type Background, EMPTY_BACKGROUND, idfTableOf, readIdfTable } from "../weights/background.ts";
import { type LinkFit, type LinkWeights, NO_LINKS, STARTING_WEIGHTS } from "../weights/link-weights.ts";
import { EMPTY_HARVEST, type HarvestSeries } from "./harvest.ts";
import type { HostRecord } from "./host-records.ts";

export type WeightedTerm = [term: string, weight: number];

export interface TopicState {
  version: 1;
  /** The terms of the words that name the subject. Weights are at most 1. */
  words: WeightedTerm[];
  /** How many of the pages so far have each of the words, in their order. Absent before the first page. */
  wordPages?: number[];
  /** The terms of the example pages: their mean, a vector of length 1 or less; empty without examples. */
  examples: WeightedTerm[];
  exampleCount: number;
  /** The terms of the best pages so far, as a sum of vectors; their number stands in `bestPages`. */
  best: WeightedTerm[];
  bestPages: number;
  background: Background;
  /** How relevant pages were by the words of their titles and URLs. */
  names: NameCounts;
  weights: LinkWeights;
  linkFit: LinkFit;
  hosts: HostRecord[];
  /** Pages that were learned from, and those of them with a relevance of at least 0.5. */
  pages: number;
  relevant: number;
  relevanceSum: number;
  /** The relevances of the last 200 pages, in hundredths, oldest first. */
  recent: number[];
  harvest: HarvestSeries;
}

/** Relevance from which a page is on the subject. */
export const RELEVANT = 0.5;
/** Terms of the words that name the subject; later ones are ignored. */
const MAX_WORDS = 48;
const MAX_EXAMPLE_TERMS = 120;
export const MAX_BEST_TERMS = 150;
export const RECENT_PAGES = 200;
const MAX_EXAMPLES = 100;

/**
 * `words`: what the user wrote, or "". `examples`: texts of pages that are on the subject. Without any term in them, no
 * page is relevant.
 */
export function beginTopic({ words, examples }: { words: string; examples: readonly string[] }): TopicState {
  const idf = readIdfTable(idfTableOf(EMPTY_BACKGROUND));
  const named = [...subjectTermsOf(words)].slice(0, MAX_WORDS);
  const vectors = examples
    .slice(0, MAX_EXAMPLES)
    .map((text) => toVector(countTerms(namedTermsOf(text)), idf))
    .filter(({ size }) => size > 0);
  const mean = new Map<string, number>();
  for (const vector of vectors)
    for (const [term, weight] of vector) mean.set(term, (mean.get(term) ?? 0) + weight / vectors.length);
  return {
    version: 1,
    words: named,
    examples: strongestTerms(mean, MAX_EXAMPLE_TERMS),
    exampleCount: vectors.length,
    best: [],
    bestPages: 0,
    background: EMPTY_BACKGROUND,
    names: "",
    weights: STARTING_WEIGHTS,
    linkFit: NO_LINKS,
    hosts: [],
    pages: 0,
    relevant: 0,
    relevanceSum: 0,
    recent: [],
    harvest: EMPTY_HARVEST,
  };
}

/** The mean relevance of the pages so far, 0 to 1. */
export function meanRelevance({ pages, relevanceSum }: TopicState): number {
  return pages === 0 ? 0 : relevanceSum / pages;
}
