import { logWarning } from "../../../core/log.ts";
import { TOPIC_EXHAUSTED } from "../../../crawl/page/status.ts";
import { isKept } from "../../attempt.ts";
import type { Feature } from "../feature.ts";
import { explainTopic } from "./explain-topic.ts";
import { lessonsOf } from "./topic-lessons.ts";

/** The subject of a crawl: what it asks of pages, and the order that it gives them (topic-course.ts). */
export const topic: Feature<"topic"> = {
  /** A crawl that still reads examples of its subject has no order yet. */
  due({ row, context }, now) {
    const delayMs = context.topic?.delayOf(row.url, now) ?? 0;
    if (delayMs === 0) return null;
    return { kind: "later", waiting: { delayMs, why: "the examples of its subject, which are read first" } };
  },
  ends: (context) => (context.topic?.isExhausted === true ? TOPIC_EXHAUSTED : null),
  explain: explainTopic,
  async committed({ context, attempts, discoveries, settled }) {
    // A lesson that is lost costs order alone.
    await context.topic
      ?.learn(lessonsOf(attempts, discoveries, settled, context.crawl.options.like))
      .catch((error) => logWarning("subject-lessons-not-stored", { error: String(error) }));
  },
  facts: (page) => (isKept(page) ? { relevance: page.topic?.relevance } : {}),
  wants: ({ row, context }) => ({ topic: context.topic?.requestFor(row.url) ?? null }),
};
