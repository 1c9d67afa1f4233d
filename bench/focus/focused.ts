/** The crawl of src/topic/ as a strategy: what the pipeline does with each batch. */
import { learnTopic, learnWaiting, type PageLesson } from "../../src/topic/course/learn-topic.ts";
import { readRelevance } from "../../src/topic/course/read-relevance.ts";
import { type LinkScore, scoreLink, scoreLinkText } from "../../src/topic/course/score-link.ts";
import { lensOf } from "../../src/topic/course/topic-lens.ts";
import { RELEVANT, type TopicState } from "../../src/topic/course/topic-state.ts";
import type { Found, Strategy } from "./crawl-web.ts";
import type { WebPage } from "./web.ts";

export class Focused implements Strategy {
  readonly name = "ours";
  state: TopicState;
  /** The relevance of each page that was fetched, as it was judged then. */
  readonly relevances = new Map<number, number>();
  private readonly found = new Map<number, LinkScore>();

  private readonly web: readonly WebPage[];

  constructor(web: readonly WebPage[], begun: TopicState) {
    this.web = web;
    this.state = begun;
  }

  read(batch: readonly number[], isNew: (page: number) => boolean): Found[] {
    const lens = lensOf(this.state);
    const read = batch.map((i) => {
      const page = this.web[i] as WebPage;
      const { relevance, sample } = readRelevance(lens, page);
      const scores = page.links.map((link) => scoreLinkText(lens, { ...link, url: this.web[link.target]?.url ?? "" }));
      return { i, page, relevance, sample, scores };
    });
    const discovered: Found[] = [];
    const lessons: PageLesson[] = [];
    const waiting = new Map<string, number>();
    const taken = new Set<number>();
    for (const { i, page, relevance, sample, scores } of read) {
      this.relevances.set(i, relevance);
      const own = this.found.get(i) ?? null;
      lessons.push({ url: page.url, host: page.host, relevance, sample, found: own });
      const hops = relevance >= RELEVANT ? 0 : (own?.hops ?? 0) + 1;
      for (const [k, { target }] of page.links.entries()) {
        if (!isNew(target) || taken.has(target)) continue;
        taken.add(target);
        const { url, host } = this.web[target] as WebPage;
        const before = waiting.get(host) ?? 0;
        const link = { url, host, textScore: scores[k] ?? 0, pageRelevance: relevance, hops, from: own };
        const score = scoreLink(this.state, link, before);
        this.found.set(target, score);
        waiting.set(host, before + 1);
        discovered.push({ target, score: score.score });
      }
    }
    this.state = learnWaiting(learnTopic(this.state, lessons), waiting);
    return discovered;
  }
}
