/**
 * How promising a link is: a weighted mean of the relevance of its page, of its words, and of the record of its host,
 * as in Hersovici et al., "The shark-search algorithm", 1998, but of log-odds, as in naive Bayes.
 */

import { correctBy } from "../link-names.ts";
import { countTerms } from "../page-vector.ts";
import { hashTerm, termsOf } from "../terms.ts";
import { weighLink } from "../weights/link-weights.ts";
import { readHost } from "./host-records.ts";
import { readLens, type TopicLens } from "./topic-lens.ts";
import { meanRelevance, type TopicState } from "./topic-state.ts";

interface LinkWords {
  url: string;
  /** The anchor text. */
  text: string;
  /** The words around it; may be empty. */
  around: string;
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
const FIELDS = { text: 1, around: 0.35, url: 0.7 };
/** BM25's k1: how little more a second mention counts. */
const K1 = 0.6;
/** The profile's terms count so much beside the words. */
const PROFILE_GAIN = 1.2;

/** How far what was learned of words is believed: words of one title do not say different things. */
const EVIDENCE = 0.7;
/** What evidence lifts a link from whose words say nothing. */
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
export function scoreLinkText(lens: TopicLens, { url, text, around }: LinkWords): number {
  const { words, profile, names } = readLens(lens);
  const [inText, inUrl] = [termsOf(text.slice(0, MAX_PART)), termsOf(wordsOfUrl(url))];
  const counts = countTerms(inText, FIELDS.text);
  countTerms(termsOf(around.slice(0, MAX_PART)), FIELDS.around, counts);
  countTerms(inUrl, FIELDS.url, counts);
  let [named, like] = [0, 0];
  for (const [term, count] of counts) {
    const repeated = (count * (1 + K1)) / (count + K1);
    named += (words.get(term) ?? 0) * repeated;
    like += (profile.get(term) ?? 0) * repeated;
  }
  const gained = like * PROFILE_GAIN;
  const score =
    words.size === 0 ? gained : Math.max(named, (1 - lens.profileShare) * named + lens.profileShare * gained);
  return round(correct(Math.min(1, score), [...inText, ...inUrl], names));
}

/** By what pages with such words in title and URL turned out to be. */
function correct(score: number, terms: readonly string[], names: ReadonlyMap<number, number>): number {
  if (names.size === 0) return score;
  let [sum, known] = [0, 0];
  for (const hash of new Set(terms.map(hashTerm))) {
    const evidence = names.get(hash);
    if (evidence === undefined) continue;
    sum += evidence;
    known += 1;
  }
  return known === 0 ? score : correctBy((EVIDENCE * sum) / Math.sqrt(known), Math.max(score, LEAST_SCORE));
}

export function wordsOfUrl(url: string): string {
  const { hostname = "", pathname = "", search = "" } = URL.parse(url) ?? {};
  const name = hostname.split(".").slice(0, -1).join(" ");
  return `${name} ${decode(`${pathname}${search}`)}`.slice(0, MAX_PART).replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing, or bytes of another encoding.
    return text;
  }
}

/** `waiting`: URLs of its host that wait, where the caller knows better than the state. */
export function scoreLink(state: TopicState, link: FoundLink, waiting?: number): LinkScore {
  const mean = meanRelevance(state);
  const host = readHost(state.hosts, link.host, Math.max(mean, 0.3));
  const page = inheritedFrom(link);
  const said = { page: page * host.trust, text: link.textScore * credit(link) * host.trust };
  const promise = weighLink(state.weights, { ...said, host: host.relevance });
  const crowding = Math.min(1, Math.log2(1 + (waiting ?? host.waiting)) / CROWDING_DOUBLINGS);
  const isLucky = hashTerm(link.url) % LUCKY_EVERY === 0;
  const score = (promise + (isLucky ? LUCKY_LIFT : 0)) * (1 - MAX_CROWDING * crowding);
  return {
    score: round(Math.min(1, Math.max(0, score))),
    page: round(page),
    text: round(link.textScore),
    host: round(host.relevance),
    hops: link.hops,
    isLucky,
  };
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
