/**
 * How promising a link is: a weighted mean of the relevance of its page, of its words, and of the record of its host,
 * as in Hersovici et al., "The shark-search algorithm", 1998, but of log-odds, as in naive Bayes.
 */

import { correctBy } from "../link-names.ts";
import { countTerms } from "../page-vector.ts";
import { hashTerm, namedTermsOf } from "../terms.ts";
import { weighLink } from "../weights/link-weights.ts";
import type { WordForms } from "../word-forms.ts";
import { readHost } from "./host-records.ts";
import { readLens, type TopicLens } from "./topic-lens.ts";
import { meanRelevance, type TopicState } from "./topic-state.ts";

interface LinkWords {
  url: string;
  /** The anchor text. */
  text: string;
  /** The words around it; may be empty. */
  around: string;
  /** The title of the page that has the link, if it is in its content. */
  title?: string | null;
}

/** What a link's score is made of: stored with its URL, for people and for `learnTopic`. All but `hops` are 0 to 1. */
export interface LinkScore {
  score: number;
  /** The relevance of the page that has the link. */
  page: number;
  /** The score of its words. */
  text: number;
  /** The mean relevance of its host. */
  host: number;
  /** Irrelevant pages in a row that led here. */
  hops: number;
  /** Whether the hash of its URL lifts it. */
  isLucky: boolean;
  /** The seed from which it was reached, by its hash. Absent where there is one seed, and from earlier versions. */
  seed?: number;
  /** Whether its seed's turn lifts it (seed-turns.ts). */
  isTurn?: true;
}

export interface FoundLink {
  url: string;
  host: string;
  /** Of `scoreLinkText`. */
  textScore: number;
  /** The relevance of the page that has the link. */
  pageRelevance: number;
  /** Irrelevant pages in a row that led here, the page that has the link among them. */
  hops: number;
  /** The score with which the page that has the link was found itself; absent for a seed. */
  from?: LinkScore | null;
}

/** UTF-16 code units that are read of each part of a link. */
const MAX_PART = 300;
/** What a term counts for in the anchor text, around it, and in the URL. */
const FIELDS = { text: 1, around: 0.35, url: 0.7, title: 0.1 };
/** Two words of the subject beside each other, as in the subject, make up for so much of what is not said. */
const PHRASE_GAIN = 0.5;
/** BM25's k1: how little more a second mention counts. */
const K1 = 0.6;
/** The profile's terms count so much beside the words. */
const PROFILE_GAIN = 1.2;

/** How far what was learned of words is believed: words of one title do not say different things. */
const EVIDENCE = 0.7;
/**
 * The score of words that say nothing. It stands above 0, so that words whose pages were off the subject fall below
 * words that no page had yet.
 */
const LEAST_SCORE = 0.05;
/** Through more irrelevant pages nothing is inherited. */
const MAX_HOPS = 3;
/** One link in so many is lifted, by this much. */
const [LUCKY_EVERY, LUCKY_LIFT] = [10, 0.05];
/** The most that a host with very many waiting URLs loses. */
const MAX_CROWDING = 0.3;
/** Each doubling of the waiting URLs costs a tenth of that. */
const CROWDING_DOUBLINGS = 12;

/** 0 to 1: what the anchor text, the words around it and the words of its URL say about the subject. */
export function scoreLinkText(lens: TopicLens, { url, text, around, title }: LinkWords): number {
  const { words, forms, profile, names } = readLens(lens);
  const [inText, inUrl] = [namedTermsOf(text.slice(0, MAX_PART)), namedTermsOf(wordsOfUrl(url))];
  const nearby = namedTermsOf(around.slice(0, MAX_PART));
  const counts = countTerms(inText, FIELDS.text);
  countTerms(nearby, FIELDS.around, counts);
  countTerms(inUrl, FIELDS.url, counts);
  if (title != null) countTerms(termsOfTitle(title), FIELDS.title, counts);
  let [named, like] = [0, 0];
  const mentions = new Map<string, number>();
  for (const [term, count] of counts) {
    const form = forms.formInName(term);
    if (form !== null) mentions.set(form.word, (mentions.get(form.word) ?? 0) + count * form.strength);
    like += (profile.get(term) ?? 0) * saturate(count);
  }
  for (const [word, count] of mentions) named += (words.get(word) ?? 0) * saturate(count);
  const said = [
    [inText, FIELDS.text],
    [nearby, FIELDS.around],
    [inUrl, FIELDS.url],
  ] as const;
  let phrased = 0;
  for (const [terms, weight] of said) phrased += weight * phrasesIn(terms, words, forms);
  named += Math.max(0, 1 - named) * Math.min(1, PHRASE_GAIN * phrased);
  const gained = like * PROFILE_GAIN;
  const score =
    words.size === 0 ? gained : Math.max(named, (1 - lens.profileShare) * named + lens.profileShare * gained);
  return round(correct(Math.min(1, score), [...inText, ...inUrl], names));
}

/** The title of the page whose links are scored: the same for each of them. */
let lastTitle: { title: string; terms: string[] } = { title: "", terms: [] };

function termsOfTitle(title: string): string[] {
  if (title !== lastTitle.title) lastTitle = { title, terms: namedTermsOf(title.slice(0, MAX_PART)) };
  return lastTitle.terms;
}

/** The weights of the subject's pairs of words that follow each other here as they do there, each once. */
function phrasesIn(terms: readonly string[], words: ReadonlyMap<string, number>, forms: WordForms): number {
  const order = [...words.keys()];
  const found = new Set<number>();
  let before = -1;
  for (const term of terms) {
    const at = order.indexOf(forms.formOf(term)?.word ?? "");
    if (at > 0 && at === before + 1) found.add(at);
    before = at === -1 ? -2 : at;
  }
  let sum = 0;
  for (const at of found) sum += ((words.get(order[at - 1] ?? "") ?? 0) + (words.get(order[at] ?? "") ?? 0)) / 2;
  return sum;
}

/** A first mention counts 1, and each further one less. */
function saturate(count: number): number {
  return (count * (1 + K1)) / (count + K1);
}

/** By what pages with such words in title and URL turned out to be. */
function correct(said: number, terms: readonly string[], names: ReadonlyMap<number, number>): number {
  const score = Math.max(said, LEAST_SCORE);
  if (names.size === 0) return score;
  let [sum, known] = [0, 0];
  for (const hash of new Set(terms.map(hashTerm))) {
    const evidence = names.get(hash);
    if (evidence === undefined) continue;
    sum += evidence;
    known += 1;
  }
  return known === 0 ? score : correctBy((EVIDENCE * sum) / Math.sqrt(known), score);
}

export function wordsOfUrl(url: string): string {
  const { hostname = "", pathname = "", search = "" } = URL.parse(url) ?? {};
  const name = hostname.split(".").slice(0, -1).join(" ");
  return `${name} ${decode(`${pathname}${search}`)}`.slice(0, MAX_PART);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing, or bytes of another encoding.
    return text;
  }
}

/**
 * `more`: URLs of its host that wait and that the state does not count yet. So hosts take turns within a batch, too.
 */
export function scoreLink(state: TopicState, link: FoundLink, more = 0): LinkScore {
  const mean = meanRelevance(state);
  const host = readHost(state.hosts, link.host, Math.max(mean, 0.3));
  const page = inheritedFrom(link);
  const said = { page: page * host.trust, text: link.textScore * credit(link) * host.trust };
  const promise = weighLink(state.weights, { ...said, host: host.relevance });
  const isLucky = hashTerm(link.url) % LUCKY_EVERY === 0;
  return {
    score: scoreOf(promise, isLucky, host.waiting + more),
    page: round(page),
    text: round(link.textScore),
    host: round(host.relevance),
    hops: link.hops,
    isLucky,
  };
}

/** `waiting`: URLs of the host that wait. */
function scoreOf(promise: number, isLucky: boolean, waiting: number): number {
  const crowding = Math.min(1, Math.log2(1 + waiting) / CROWDING_DOUBLINGS);
  const score = (promise + (isLucky ? LUCKY_LIFT : 0)) * (1 - MAX_CROWDING * crowding);
  return round(Math.min(1, Math.max(0, score)));
}

/** A relevant page passes on its relevance; another one half of what it inherited, or its relevance if that is more. */
function inheritedFrom(link: FoundLink): number {
  const { pageRelevance, hops, from } = link;
  const passedOn = hops > MAX_HOPS ? 0 : ((from?.page ?? 0) / 2) * credit(link);
  return hops === 0 ? pageRelevance : Math.max(pageRelevance, passedOn);
}

/** A page that is not what the words of its own link promised is not believed: so a link farm ends at its border. */
function credit({ pageRelevance, from }: FoundLink): number {
  return 1 - (from?.text ?? 0) * (1 - pageRelevance);
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
