/** The part of a crawl's knowledge that a page fetcher needs. Plain data of at most 32 KB. */
import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { evidenceOf, readEvidence } from "../link-names.ts";
import { strongestTerms } from "../page-vector.ts";
import { type IdfTable, idfTableOf, readIdfTable } from "../weights/background.ts";
import { WordForms } from "../word-forms.ts";
import { meanRelevance, type TopicState, type WeightedTerm } from "./topic-state.ts";

export interface TopicLens {
  /** The digest of the rest: a lens is read once, however many pages come with a copy of it. */
  id: string;
  /** The terms of the words that name the subject, weighted by their idf. The sum is 1; empty without words. */
  words: WeightedTerm[];
  /** The share of the words that a page on the subject has as often as not; 1 says all, very often. */
  coverageAtHalf: number;
  /** The subject's profile: words, examples and the best pages, as a vector of length 1. */
  profile: WeightedTerm[];
  /** How much likeness to the profile counts beside the words, 0 to 1. */
  profileShare: number;
  /** The likeness to the profile at which a page is relevant as often as not. */
  likenessAtHalf: number;
  idf: IdfTable;
  /** What words of links say, packed (link-names.ts). */
  names: string;
}

const MAX_PROFILE = 160;
/** The most that the best pages make of the profile; what the user said makes the rest. */
const MAX_BEST_SHARE = 0.7;
/** They make half of that at this number of them. */
const BEST_PAGES_AT_HALF = 8;
/** One example counts as much as so many of the best pages. */
const PAGES_PER_EXAMPLE = 2;

export function lensOf(state: TopicState): TopicLens {
  const table = idfTableOf(state.background);
  const words = tellingWords(state, readIdfTable(table));
  const pages = state.bestPages + state.exampleCount * PAGES_PER_EXAMPLE;
  const lens = {
    words,
    coverageAtHalf: coverageAtHalf(words),
    profile: profileOf(state, words),
    profileShare: words.length === 0 ? 1 : round((MAX_PROFILE_SHARE * pages) / (pages + PROFILE_PAGES_AT_HALF)),
    likenessAtHalf: likenessAtHalf(pages),
    idf: table,
    names: evidenceOf(state.names, meanRelevance(state)),
  };
  return { id: createHash("sha256").update(JSON.stringify(lens)).digest("base64url"), ...lens };
}

/** The subject's words by how much they tell. The sum is 1; empty without words. */
export function tellingWords(state: TopicState, idf = readIdfTable(idfTableOf(state.background))): WeightedTerm[] {
  const weighted = state.words.map(
    ([term, weight], i): WeightedTerm => [term, weight * idf(term) * tellingShare(state, i)],
  );
  const sum = weighted.reduce((total, [, weight]) => total + weight, 0);
  return sum > 0 ? weighted.map(([term, weight]): WeightedTerm => [term, round(weight / sum)]) : [];
}

/** The most that a word loses, and the pages after which it has lost half of that. */
const [MAX_COMMON_LOSS, PAGES_AT_HALF_LOSS] = [0.8, 10];

/**
 * Less for a word that most pages of the crawl have: on a site about files, "file monitor" is about monitors. Where all
 * words are on all pages, as in a crawl that succeeds, all lose the same, and the weights stay as they are.
 */
function tellingShare({ wordPages, pages }: TopicState, word: number): number {
  return 1 - (MAX_COMMON_LOSS * (wordPages?.[word] ?? 0)) / (pages + PAGES_AT_HALF_LOSS);
}

/** Rocchio, "Relevance feedback in information retrieval", 1971: what the user said, and the mean of the best pages. */
function profileOf({ examples, best, bestPages }: TopicState, words: readonly WeightedTerm[]): WeightedTerm[] {
  const said = [words, examples].filter((terms) => terms.length > 0);
  const bestShare = best.length === 0 ? 0 : (MAX_BEST_SHARE * bestPages) / (bestPages + BEST_PAGES_AT_HALF);
  const sum = new Map<string, number>();
  const add = (terms: readonly WeightedTerm[], share: number) => {
    const length = lengthOf(terms);
    for (const [term, weight] of terms) sum.set(term, (sum.get(term) ?? 0) + (share * weight) / length);
  };
  for (const terms of said) add(terms, (1 - bestShare) / said.length);
  add(best, said.length === 0 ? 1 : bestShare);
  const terms = strongestTerms(sum, MAX_PROFILE);
  const length = lengthOf(terms);
  return terms.map(([term, weight]) => [term, round(weight / length)]);
}

function lengthOf(terms: readonly WeightedTerm[]): number {
  return Math.max(Math.hypot(...terms.map(([, weight]) => weight)), Number.MIN_VALUE);
}

/** The most that likeness to the profile counts, and the number of pages in it at which it counts half of that. */
const [MAX_PROFILE_SHARE, PROFILE_PAGES_AT_HALF] = [0.9, 5];

/** Of two words a page says one of them often, or both twice. Of many words it says a part. */
const [COVERAGE_OF_TWO, MIN_COVERAGE] = [0.46, 0.2];

function coverageAtHalf(words: readonly WeightedTerm[]): number {
  // As many words of one weight would say as much.
  const count =
    1 /
    Math.max(
      words.reduce((sum, [, weight]) => sum + weight * weight, 0),
      0.001,
    );
  return round(Math.max(MIN_COVERAGE, COVERAGE_OF_TWO * Math.sqrt(2 / Math.max(2, count))));
}

/** The mean of many pages is more like each page than one page is. */
const [LIKENESS_OF_MANY, LESS_OF_ONE, PAGES_AT_HALF] = [0.13, 0.06, 5];

function likenessAtHalf(pages: number): number {
  return round(LIKENESS_OF_MANY - (LESS_OF_ONE * PAGES_AT_HALF) / (pages + PAGES_AT_HALF));
}

function round(value: number): number {
  return Number(value.toFixed(4));
}

/** A lens that is ready for lookups. */
interface ReadLens {
  words: ReadonlyMap<string, number>;
  forms: WordForms;
  profile: ReadonlyMap<string, number>;
  idf: (term: string) => number;
  names: ReadonlyMap<number, number>;
}

/** In bytes each is about 300 KB. */
const readLenses = new LRUCache<string, ReadLens>({ max: 8 });

export function readLens(lens: TopicLens): ReadLens {
  const known = readLenses.get(lens.id);
  if (known !== undefined) return known;
  const { words, profile, idf, names } = lens;
  const read = {
    words: new Map(words),
    forms: new WordForms(words.map(([word]) => word)),
    profile: new Map(profile),
    idf: readIdfTable(idf),
    names: readEvidence(names),
  };
  readLenses.set(lens.id, read);
  return read;
}
