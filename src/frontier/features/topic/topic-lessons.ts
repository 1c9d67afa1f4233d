import type { Discovery } from "../../../crawl/crawl.ts";
import type { TopicLessons } from "../../../crawl/subject/learned-topic.ts";
import type { Settled } from "../../../store/ledger/ledger-commit.ts";
import { hostOf } from "../../../url/host-key.ts";
import type { Attempt } from "../../attempt.ts";
import { foundOf } from "./topic-course.ts";

/** What a commit teaches a crawl about its subject. */

/**
 * `settled`: the outcomes that the transaction made. Nothing else is learned, so a message that came twice teaches
 * once.
 */
export function lessonsOf(
  attempts: readonly Attempt[],
  discoveries: readonly Discovery[],
  settled: readonly Settled[],
  like: readonly string[],
): TopicLessons {
  const ended = new Map(settled.flatMap(({ url, status }) => (status === "queued" ? [] : [[url, status]])));
  const waiting = new Map<string, number>();
  const count = (url: string, step: number) => waiting.set(hostOf(url), (waiting.get(hostOf(url)) ?? 0) + step);
  for (const { url, kind } of discoveries) if (kind === "page") count(url, 1);
  const pages: TopicLessons["pages"][number][] = [];
  const examples: TopicLessons["examples"][number][] = [];
  for (const { work, outcome, topic } of attempts) {
    const { url } = outcome;
    if (work.kind === "sitemap" || work.row.kind === "asset" || !ended.has(url)) continue;
    if (like.includes(url)) examples.push({ url, text: topic?.example ?? null });
    if (topic === null || ended.get(url) !== "completed") count(url, -1);
    else if (!like.includes(url)) {
      const { relevance, sample } = topic;
      pages.push({ url, host: hostOf(url), relevance, sample, found: foundOf(work.row.found) });
    }
  }
  return { pages, examples, waiting };
}
