/** Crawls a web for one subject by each order, and measures what came when. */
import { readRelevance } from "../../src/topic/course/read-relevance.ts";
import { lensOf, type TopicLens } from "../../src/topic/course/topic-lens.ts";
import { beginTopic, RELEVANT } from "../../src/topic/course/topic-state.ts";
import { allKnowing, breadthFirst, distancesTo, inLinksFirst, oracle, randomly } from "./baselines.ts";
import { crawlWeb, type Strategy } from "./crawl-web.ts";
import { Focused } from "./focused.ts";
import { Dice } from "./random.ts";
import type { Subject } from "./subjects.ts";
import type { WebPage } from "./web.ts";

export interface Score {
  /** Relevant pages among the first R, where R is how many there are; the mean of the rounds. */
  found: number;
  /** The area under the curve of relevant pages, by that of the oracle. The goal is about this one. */
  area: number;
  /** The same by the order that knows the whole web. */
  areaByAllKnowing: number;
}

export interface Judgement {
  precision: number;
  recall: number;
}

export interface SubjectResult {
  name: string;
  pages: number;
  /** The number of links from the nearest seed to the subject, in each round. */
  distances: number[];
  scores: Record<string, Score>;
  /** Ours by breadth-first's; null if neither found any. */
  ratio: number | null;
  /** Of relevance >= 0.5 in the whole web, by what the last crawl has learned. */
  judged: Judgement;
  /** The same before it learned anything. */
  begun: Judgement;
  /** The same among the pages that were fetched, as they were judged then. */
  fetched: Judgement;
  /** The share of pages of the link farm among the first R; null without one. */
  farmShare: number | null;
}

const SEEDS = 5;
/** Pages off the subject that relevance is measured on. */
const OTHERS = 3_000;
/** A far subject's seeds are at least so many links away from it, if there are such pages. */
const FAR = 4;
/** The curve is measured over so many pages at least: a crawl first has to find the subject. */
const MIN_CURVE = 500;

export function measureSubject(
  web: readonly WebPage[],
  subject: Subject,
  rounds: number,
  given?: number[],
): SubjectResult {
  const about = [...web.keys()].filter((i) => subject.isAbout(web[i] as WebPage));
  const relevant = new Set(about);
  const isRelevant = (page: number) => relevant.has(page);
  const fromSubject = distancesTo(web, isRelevant);
  const limit = Math.max(2 * about.length, MIN_CURVE);
  const found: Record<string, number> = {};
  const areas: Record<string, number> = {};
  const distances: number[] = [];
  let farm = 0;
  let [judged, begun, fetched] = [NOTHING, NOTHING, NOTHING];
  for (let round = 1; round <= rounds; round++) {
    const dice = new Dice(100 * round + subject.pages);
    const seeds = given ?? chooseSeeds(web, fromSubject, subject, dice);
    distances.push(Math.min(...seeds.map((seed) => fromSubject[seed] ?? 0)));
    const examples = dice.some(about, subject.examples).map((i) => web[i]?.text ?? "");
    const focused = new Focused(web, beginTopic({ words: subject.words, examples }));
    const before = lensOf(focused.state);
    const strategies: Strategy[] = [
      focused,
      oracle(web, isRelevant),
      allKnowing(web, isRelevant),
      breadthFirst(web),
      randomly(web, round),
      inLinksFirst(web),
    ];
    for (const strategy of strategies) {
      const order = crawlWeb(web, seeds, strategy, limit);
      const first = order.slice(0, about.length);
      found[strategy.name] = (found[strategy.name] ?? 0) + first.filter(isRelevant).length;
      areas[strategy.name] = (areas[strategy.name] ?? 0) + areaOf(order, isRelevant, limit);
      if (strategy === focused) farm += first.filter((page) => web[page]?.manual === "").length / first.length;
    }
    if (round < rounds) continue;
    const others = dice.some(
      [...web.keys()].filter((i) => !isRelevant(i)),
      OTHERS,
    );
    const weight = (web.length - about.length) / others.length;
    judged = judge(web, about, others, lensOf(focused.state), weight);
    begun = judge(web, about, others, before, weight);
    fetched = judgeFetched(focused.relevances, isRelevant);
  }
  const scoreOf = (name: string): Score => ({
    found: (found[name] ?? 0) / rounds,
    area: (areas[name] ?? 0) / Math.max(areas.oracle ?? 0, 1),
    areaByAllKnowing: (areas[name] ?? 0) / Math.max(areas["all-knowing"] ?? 0, 1),
  });
  const [ours, theirs] = [found.ours ?? 0, found["breadth-first"] ?? 0];
  return {
    name: subject.name,
    pages: about.length,
    distances,
    scores: Object.fromEntries(Object.keys(found).map((name) => [name, scoreOf(name)])),
    ratio: ours + theirs === 0 ? null : ours / Math.max(1, theirs),
    judged,
    begun,
    fetched,
    farmShare: web.some(({ manual }) => manual === "") ? farm / rounds : null,
  };
}

const NOTHING: Judgement = { precision: 0, recall: 0 };

/** Home pages of any subject; for a far subject, pages that are far away. */
function chooseSeeds(web: readonly WebPage[], distances: readonly number[], { isFar }: Subject, dice: Dice): number[] {
  const pages = [...distances.keys()];
  if (isFar !== true)
    return dice.some(
      pages.filter((page) => web[page]?.manual === "home"),
      SEEDS,
    );
  const finite = pages.filter((page) => Number.isFinite(distances[page]));
  const reach = Math.min(FAR, Math.max(...finite.map((page) => distances[page] ?? 0)));
  return dice.some(
    finite.filter((page) => (distances[page] ?? 0) >= reach),
    SEEDS,
  );
}

function areaOf(order: readonly number[], isRelevant: (page: number) => boolean, limit: number): number {
  let [found, area] = [0, 0];
  for (let at = 0; at < limit; at++) {
    const page = order[at];
    if (page !== undefined && isRelevant(page)) found += 1;
    area += found;
  }
  return area;
}

/** `weight`: pages that each of `others` stands for. */
function judge(
  web: readonly WebPage[],
  about: readonly number[],
  others: readonly number[],
  lens: TopicLens,
  weight: number,
): Judgement {
  const count = (pages: readonly number[]) =>
    pages.filter((i) => readRelevance(lens, web[i] as WebPage).relevance >= RELEVANT).length;
  const [right, wrong] = [count(about), weight * count(others)];
  return { precision: right / Math.max(1, right + wrong), recall: right / about.length };
}

function judgeFetched(relevances: ReadonlyMap<number, number>, isRelevant: (page: number) => boolean): Judgement {
  const told = [...relevances].filter(([, relevance]) => relevance >= RELEVANT).map(([page]) => page);
  const right = told.filter(isRelevant).length;
  const all = [...relevances.keys()].filter(isRelevant).length;
  return { precision: right / Math.max(1, told.length), recall: right / Math.max(1, all) };
}
