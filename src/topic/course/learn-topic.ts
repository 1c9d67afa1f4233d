/** What a crawl learns of its subject from the pages that it fetched, and from what people say about them. */

import { addNames } from "../link-names.ts";
import { strongestTerms } from "../page-vector.ts";
import type { TermSample } from "../term-sample.ts";
import { hashTerm, namedTermsOf } from "../terms.ts";
import { addPages } from "../weights/background.ts";
import { addLinks, weightsOf } from "../weights/link-weights.ts";
import { unpackNumbers } from "../weights/packed-numbers.ts";
import { addToHarvest } from "./harvest.ts";
import { changeHosts } from "./host-records.ts";
import { type LinkScore, wordsOfUrl } from "./score-link.ts";
import { tellingWords } from "./topic-lens.ts";
import { MAX_BEST_TERMS, RECENT_PAGES, RELEVANT, type TopicState, type WeightedTerm } from "./topic-state.ts";

/** A page that was fetched. */
export interface PageLesson {
  url: string;
  host: string;
  relevance: number;
  sample: TermSample;
  /** The score with which it was found; null for a seed. */
  found: LinkScore | null;
}

/** A person's word on a page. */
export interface TopicMark {
  url: string;
  isRelevant: boolean;
  sample: TermSample;
}

/** A mark counts as much as so many pages. */
const PAGES_PER_MARK = 5;
/** From so many of the best pages on, their sum is halved. */
const MEMORY_BEST = 400;
/** A page that may be on the subject does not count as background, or the subject's own words would become common. */
const SUBJECT_CAUTION = 3;
/**
 * A page that is like the best ones but says few of the subject's words teaches less, and counts as background in part.
 * Else the words that all pages of a site have become the subject, and all of its pages relevant.
 */
const [LEAST_LESSON, LEAST_CAUTION] = [0.5, 0.3];

/** A batch of lessons. Their order within and between batches hardly matters, and a lost batch does no harm. */
export function learnTopic(state: TopicState, pages: readonly PageLesson[]): TopicState {
  const saidBy = readSaid(state);
  const lessons = pages.map((page) => ({ ...page, said: saidBy(page.sample) }));
  const good = lessons.filter(({ relevance }) => relevance >= RELEVANT);
  const weighted = good.map(({ sample, relevance, said }) => ({
    sample,
    weight: relevance * atLeast(LEAST_LESSON, said),
  }));
  const linkFit = addLinks(
    state.linkFit,
    lessons.flatMap(({ found, relevance }) => (found === null ? [] : [{ found, relevance }])),
  );
  const hundredths = lessons.map(({ relevance }) => Math.round(relevance * 100));
  return {
    ...state,
    ...addBest(state, weighted),
    wordPages: countWords(state, lessons),
    background: addPages(
      state.background,
      lessons.map(({ sample, relevance, said }) => ({
        hashes: unpackNumbers(sample.seen),
        share: Math.max(0, 1 - relevance * SUBJECT_CAUTION * atLeast(LEAST_CAUTION, said)),
      })),
    ),
    names: addNames(
      state.names,
      lessons.map(({ url, sample, relevance }) => ({
        hashes: [...new Set([...namedTermsOf(wordsOfUrl(url)).map(hashTerm), ...unpackNumbers(sample.title)])],
        relevance,
      })),
    ),
    linkFit,
    weights: weightsOf(linkFit),
    hosts: changeHosts(
      state.hosts,
      lessons.map(({ host, relevance, found }) => {
        const promised = found?.text ?? 0;
        return { host, pages: 1, relevance, waiting: -1, promised, kept: promised * relevance };
      }),
    ),
    pages: state.pages + lessons.length,
    relevant: state.relevant + good.length,
    relevanceSum: round(state.relevanceSum + lessons.reduce((sum, { relevance }) => sum + relevance, 0)),
    recent: [...state.recent, ...hundredths].slice(-RECENT_PAGES),
    harvest: addToHarvest(
      state.harvest,
      lessons.map(({ relevance }) => relevance),
    ),
  };
}

/** How much of the subject's words a page says, 0 to 1: the square of their share by weight; 1 without words. */
function readSaid(state: TopicState): (sample: TermSample) => number {
  const words = tellingWords(state).map(([term, weight]) => ({ hash: hashTerm(term), weight }));
  if (words.length === 0) return () => 1;
  return ({ seen }) => {
    const hashes = new Set(unpackNumbers(seen));
    return words.reduce((sum, { hash, weight }) => sum + (hashes.has(hash) ? weight : 0), 0) ** 2;
  };
}

function atLeast(least: number, share: number): number {
  return least + (1 - least) * share;
}

function countWords({ words, wordPages = [] }: TopicState, lessons: readonly PageLesson[]): number[] {
  const seen = lessons.map(({ sample }) => new Set(unpackNumbers(sample.seen)));
  return words.map(([word], i) => {
    const hash = hashTerm(word);
    return (wordPages[i] ?? 0) + seen.filter((hashes) => hashes.has(hash)).length;
  });
}

/** URLs of each host that were found and now wait. */
export function learnWaiting(state: TopicState, found: ReadonlyMap<string, number>): TopicState {
  const changes = [...found].map(([host, waiting]) => ({
    host,
    pages: 0,
    relevance: 0,
    waiting,
    promised: 0,
    kept: 0,
  }));
  return { ...state, hosts: changeHosts(state.hosts, changes) };
}

/** The marks change the profile, and with it the lens of the next batch. */
export function learnMarks(state: TopicState, marks: readonly TopicMark[]): TopicState {
  const weighted = marks.map(({ sample, isRelevant }) => ({
    sample,
    weight: isRelevant ? PAGES_PER_MARK : -PAGES_PER_MARK,
  }));
  return { ...state, ...addBest(state, weighted) };
}

interface WeightedSample {
  sample: TermSample;
  /** Negative for a page that is not on the subject. */
  weight: number;
}

function addBest(
  { best, bestPages }: TopicState,
  samples: readonly WeightedSample[],
): { best: WeightedTerm[]; bestPages: number } {
  const sum = new Map(best);
  let pages = bestPages;
  for (const { sample, weight } of samples) {
    pages += Math.max(0, weight);
    for (const [term, share] of sample.terms) sum.set(term, (sum.get(term) ?? 0) + share * weight);
  }
  const halving = pages > MEMORY_BEST ? 0.5 : 1;
  for (const [term, weight] of sum) sum.set(term, weight * halving);
  return { best: strongestTerms(sum, MAX_BEST_TERMS), bestPages: round(pages * halving) };
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
