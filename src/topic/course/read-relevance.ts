import { TITLE_MENTIONS } from "../page-terms.ts";

/** How relevant a page is for the subject. */
import { countTerms, toVector } from "../page-vector.ts";
import { sampleOf, type TermSample } from "../term-sample.ts";
import { namedTermsOf } from "../terms.ts";
import type { WordForms } from "../word-forms.ts";
import { readLens, type TopicLens } from "./topic-lens.ts";

/** BM25's k1 and b, and the terms of an average page. */
const [K1, B, AVERAGE_TERMS] = [1.2, 0.5, 300];
/** How steeply relevance rises at the half. */
const [COVERAGE_STEEPNESS, LIKENESS_STEEPNESS] = [2, 3];

/** The share of all terms from which named words count as stuffed: of one word, and for each further one. */
const [MAX_NAMED, MAX_NAMED_MORE] = [0.14, 0.02];
const [MIN_STUFFED_TERMS, STUFFED_STEEPNESS] = [60, 3];

export interface PageText {
  title: string | null;
  /** The main text. */
  text: string;
}

/** 0 to 1; pages of at least 0.5 are on the subject. `sample` is for `learnTopic`. */
export function readRelevance(lens: TopicLens, page: PageText): { relevance: number; sample: TermSample } {
  const { words, forms, profile, idf } = readLens(lens);
  const terms = namedTermsOf(page.text);
  const counts = countTerms(terms);
  const title = namedTermsOf(page.title ?? "");
  countTerms(title, TITLE_MENTIONS, counts);
  const vector = toVector(counts, idf);
  const mentions = mentionsOf(forms, counts);
  const likeness = Math.min(1, dot(profile, vector));
  const share = lens.profileShare;
  const relevance =
    (1 - share) * rise(coverage(words, mentions, terms.length), lens.coverageAtHalf, COVERAGE_STEEPNESS) +
    share * rise(likeness, lens.likenessAtHalf, LIKENESS_STEEPNESS);
  const believed = relevance * honesty(words, mentions, terms.length);
  return { relevance: Number(Math.min(1, believed).toFixed(3)), sample: sampleOf(vector, title) };
}

/** How often each of the subject's words is there, in any form. */
function mentionsOf(forms: WordForms, counts: ReadonlyMap<string, number>): Map<string, number> {
  const mentions = new Map<string, number>();
  for (const [term, count] of counts) {
    const form = forms.formOf(term);
    if (form !== null) mentions.set(form.word, (mentions.get(form.word) ?? 0) + count * form.strength);
  }
  return mentions;
}

/**
 * Less than 1 for a text that is stuffed with the subject's words. In manuals 97 of 100 pages are below the limit.
 */
function honesty(words: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>, length: number): number {
  if (length < MIN_STUFFED_TERMS) return 1;
  let named = 0;
  for (const term of words.keys()) named += counts.get(term) ?? 0;
  const most = MAX_NAMED + MAX_NAMED_MORE * (words.size - 1);
  return Math.min(1, (most / Math.max(named / length, most)) ** STUFFED_STEEPNESS);
}

/** From 0 by 0.5 at `half` towards 1. */
function rise(value: number, half: number, steepness: number): number {
  const power = value ** steepness;
  return power / (power + half ** steepness);
}

/** The share of the words that the page says, each as BM25 counts repetitions. */
function coverage(words: ReadonlyMap<string, number>, counts: ReadonlyMap<string, number>, length: number): number {
  // A short page is not better: one mention is never enough.
  const norm = K1 * (1 - B + B * Math.max(1, length / AVERAGE_TERMS));
  let sum = 0;
  for (const [term, weight] of words) {
    const count = counts.get(term) ?? 0;
    sum += weight * (count / (count + norm));
  }
  return sum;
}

function dot(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [term, weight] of one) sum += weight * (other.get(term) ?? 0);
  return sum;
}
