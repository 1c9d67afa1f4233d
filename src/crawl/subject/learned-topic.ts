import {
  learnMarks,
  learnTopic,
  learnWaiting,
  type PageLesson,
  type TopicMark,
} from "../../topic/course/learn-topic.ts";
import type { SeedTurns } from "../../topic/course/seed-turns.ts";
import { beginTopic, type TopicState } from "../../topic/course/topic-state.ts";
import type { CrawlOptions } from "../crawl-options.ts";

/**
 * What a crawl with a subject has learned, as it is stored: what src/topic/ knows, and the examples that are still to
 * be read. A batch of lessons that is lost costs order and no page: counters are the ledger's.
 */

export interface LearnedTopic {
  state: TopicState;
  /** Example pages that are still to be read: until then, other pages wait. */
  openExamples: string[];
  /** Texts of the examples that were read, while others are open. */
  exampleTexts: string[];
  /** The number of the last mark of a person that was learned. */
  marked: number;
  /** The turns that the seeds have had. What earlier versions stored has none. */
  turns?: SeedTurns;
}

/** What a committed batch teaches. */
export interface TopicLessons {
  pages: readonly PageLesson[];
  /** Example pages that have settled, with the beginning of their text: null if they could not be read. */
  examples: readonly { url: string; text: string | null }[];
  /** By host: URLs that were added, less those that ended without a lesson. */
  waiting: ReadonlyMap<string, number>;
  /** The turns that seeds have had by the end of the batch. */
  turns?: SeedTurns;
}

type Subject = Pick<CrawlOptions, "topic" | "like" | "likeTexts">;

/** Characters of the texts of all examples that a crawl fetches. */
const MAX_EXAMPLE_TEXT = 60_000;

/** The longest text of one example page, in characters. */
export function maxExampleText({ like }: Pick<CrawlOptions, "like">): number {
  return Math.floor(MAX_EXAMPLE_TEXT / Math.max(1, like.length));
}

export function beginLearning({ topic, like, likeTexts }: Subject): LearnedTopic {
  const state = beginTopic({ words: topic, examples: likeTexts });
  return { state, openExamples: [...like], exampleTexts: [], marked: 0 };
}

/** What people have marked changes the course from the next batch on. Another batch may have learned it already. */
export function learnMarked(known: LearnedTopic, marks: readonly TopicMark[], last: number): LearnedTopic {
  if (last <= known.marked) return known;
  return { ...known, state: marks.length === 0 ? known.state : learnMarks(known.state, marks), marked: last };
}

/** The last pages count anew: a crawl that had left its subject, and is set running again, does not end at once. */
export function forgetRecent(known: LearnedTopic): LearnedTopic {
  return known.state.recent.length === 0 ? known : { ...known, state: { ...known.state, recent: [] } };
}

/** Returns `known` itself if there is nothing to learn. */
export function learnBatch(
  known: LearnedTopic,
  { pages, examples, waiting, turns = [] }: TopicLessons,
  subject: Subject,
): LearnedTopic {
  if (pages.length + examples.length + waiting.size === 0) return known;
  const read = readExamples(known, examples, subject);
  const taught = pages.length === 0 ? read.state : learnTopic(read.state, pages);
  return {
    ...read,
    state: waiting.size === 0 ? taught : learnWaiting(taught, waiting),
    ...(turns.length === 0 ? {} : { turns: joinTurns(read.turns ?? [], turns) }),
  };
}

/** Batches that run side by side know nothing of each other, so that a seed may have a few turns more. */
function joinTurns(known: SeedTurns, more: SeedTurns): SeedTurns {
  const turns = new Map(known);
  for (const [seed, lifted] of more) turns.set(seed, Math.max(lifted, turns.get(seed) ?? 0));
  return [...turns];
}

/** The subject begins again with each example, because the pages that could teach something wait for the last one. */
function readExamples(
  known: LearnedTopic,
  examples: TopicLessons["examples"],
  { topic, likeTexts }: Subject,
): LearnedTopic {
  const open = new Set(known.openExamples);
  const settled = examples.filter(({ url }) => open.delete(url));
  if (settled.length === 0) return known;
  const fresh = settled.flatMap(({ text }) => text ?? []);
  const exampleTexts = [...known.exampleTexts, ...fresh];
  return {
    state: fresh.length === 0 ? known.state : beginTopic({ words: topic, examples: [...likeTexts, ...exampleTexts] }),
    openExamples: [...open],
    exampleTexts: open.size === 0 ? [] : exampleTexts,
    marked: known.marked,
    ...(known.turns === undefined ? {} : { turns: known.turns }),
  };
}
