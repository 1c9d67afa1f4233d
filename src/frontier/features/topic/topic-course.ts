import type { Crawl } from "../../../crawl/crawl.ts";
import { hasTopic } from "../../../crawl/crawl-options.ts";
import type { PageTopic } from "../../../crawl/page/outcome.ts";
import {
  beginLearning,
  type LearnedTopic,
  learnBatch,
  learnMarked,
  maxExampleText,
  type TopicLessons,
} from "../../../crawl/subject/learned-topic.ts";
import type { TopicRequest } from "../../../fetch/reading/read-topic.ts";
import type { LearnedByCrawl } from "../../../store/learned/learned.ts";
import type { Stored } from "../../../store/learned/learned-memory.ts";
import { isExhausted } from "../../../topic/course/is-exhausted.ts";
import type { TopicMark } from "../../../topic/course/learn-topic.ts";
import { type LinkScore, scoreLink, scoreLinkText } from "../../../topic/course/score-link.ts";
import { SeedCourse, turnsOfEach } from "../../../topic/course/seed-turns.ts";
import { lensOf, type TopicLens } from "../../../topic/course/topic-lens.ts";
import { RELEVANT } from "../../../topic/course/topic-state.ts";
import { hostOf } from "../../../url/host-key.ts";

/**
 * The course of a crawl with a subject, for one batch: what was learned before it, the scores of what it finds, and its
 * own lessons. It is read once a batch.
 */

/** Other pages wait for the examples no longer than this after the start of the crawl. */
const EXAMPLES_PATIENCE_MS = 60_000;
/** The first wait. Each is as long as all before it, so that a URL is sent again seven times at most. */
const FIRST_WAIT_MS = 1_000;
/** What is assumed of a page that was not read: it is neither on the subject nor off it. */
const UNREAD_RELEVANCE = 0.3;

type Topics = LearnedByCrawl<LearnedTopic>;

/** A page whose links are scored. */
interface ReadPage {
  url: string;
  found: LinkScore | null;
  /** Null if nothing is known of it. */
  topic: PageTopic | null;
  links: readonly string[];
}

export class TopicCourse {
  readonly #crawl: Crawl;
  readonly #topics: Topics;
  #stored: Stored<LearnedTopic>;
  #lens: TopicLens | null = null;
  #seeds: SeedCourse;
  /** By host: URLs that this batch has found, which the state does not count yet. */
  readonly #found = new Map<string, number>();

  private constructor(crawl: Crawl, topics: Topics, stored: Stored<LearnedTopic>) {
    this.#crawl = crawl;
    this.#topics = topics;
    this.#stored = stored;
    this.#seeds = this.#readTurns();
  }

  /** Null for a crawl without a subject, which is asked for nothing. */
  static async open(crawl: Crawl, topics: Topics): Promise<TopicCourse | null> {
    if (!hasTopic(crawl.options)) return null;
    const stored = (await topics.find(crawl.id)) ?? { learned: beginLearning(crawl.options), version: 0, length: 0 };
    return new TopicCourse(crawl, topics, stored);
  }

  /** The number of the last mark of a person that was learned. */
  get marked(): number {
    return this.#stored.learned.marked;
  }

  async learnMarks(marks: readonly TopicMark[], last: number): Promise<void> {
    await this.#learn((known) => learnMarked(known, marks, last));
  }

  /** What to ask of a page about the subject. */
  requestFor(url: string): TopicRequest {
    const { topic: words, like } = this.#crawl.options;
    if (!like.includes(url)) return { lens: this.lens, words, maxExample: 0 };
    return { lens: null, words, maxExample: maxExampleText(this.#crawl.options) };
  }

  get lens(): TopicLens {
    this.#lens ??= lensOf(this.#stored.learned.state);
    return this.#lens;
  }

  /** How long a URL waits until the examples are read, in milliseconds; 0 if it may go. */
  delayOf(url: string, now: number): number {
    const { openExamples } = this.#stored.learned;
    const waitedMs = now - this.#crawl.createdAt;
    const isOver = openExamples.length === 0 || waitedMs > EXAMPLES_PATIENCE_MS;
    return isOver || openExamples.includes(url) ? 0 : Math.max(FIRST_WAIT_MS, waitedMs);
  }

  /** The scores of the links of a page, by URL. `found`: the score with which the page itself was found. */
  scoresOf({ url: page, found, topic, links }: ReadPage): (url: string) => LinkScore {
    const texts = new Map(links.map((url, i) => [url, topic?.linkScores[i] ?? 0]));
    const pageRelevance = topic?.relevance ?? UNREAD_RELEVANCE;
    const hops = pageRelevance >= RELEVANT ? 0 : (found?.hops ?? 0) + 1;
    const { state } = this.#stored.learned;
    // Hosts take turns. A host alone has none to wait for, and its links keep the order of their words.
    const hosts = new Set([...this.#crawl.options.urls, ...this.#crawl.options.like].map(hostOf));
    const isAlone = hosts.size < 2 && state.hosts.length < 2;
    const lift = this.#seeds.ofPage(page, found, [...texts.values()]);
    return (url) => {
      const words = { url, text: "", around: "" };
      const textScore = texts.get(url) ?? scoreLinkText(this.lens, words);
      const host = hostOf(url);
      const before = isAlone ? 0 : (this.#found.get(host) ?? 0);
      this.#found.set(host, before + 1);
      return lift(scoreLink(state, { url, host, textScore, pageRelevance, hops, from: found }, before));
    };
  }

  /** The score of a URL that a sitemap lists: only its own words and its host speak for it. */
  scoreListed(url: string): LinkScore {
    const textScore = scoreLinkText(this.lens, { url, text: "", around: "" });
    const link = { url, host: hostOf(url), textScore, pageRelevance: UNREAD_RELEVANCE, hops: 0 };
    return scoreLink(this.#stored.learned.state, link);
  }

  /** Learns what a commit has settled, and stores it. */
  async learn(lessons: TopicLessons): Promise<void> {
    const { lifted } = this.#seeds;
    await this.#learn((known) => learnBatch(known, { ...lessons, turns: lifted }, this.#crawl.options));
  }

  #readTurns(): SeedCourse {
    const { urls, limit } = this.#crawl.options;
    return new SeedCourse(turnsOfEach(urls.length, limit), this.#stored.learned.turns ?? []);
  }

  async #learn(learn: (known: LearnedTopic) => LearnedTopic): Promise<void> {
    this.#stored = await this.#topics.learnFrom(this.#stored, this.#crawl.id, learn);
    this.#lens = null;
    this.#seeds = this.#readTurns();
    this.#found.clear();
  }

  /** Whether so few of the last pages were relevant that the crawl ends. A watch stays. */
  get isExhausted(): boolean {
    const { until, watch } = this.#crawl.options;
    return until > 0 && watch === null && isExhausted(this.#stored.learned.state, until);
  }
}

/** `found`: as a row has it. */
export function foundOf(found: string | null): LinkScore | null {
  return found === null ? null : (JSON.parse(found) as LinkScore);
}
