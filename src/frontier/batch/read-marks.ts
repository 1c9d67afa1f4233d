import { logWarning } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { RIGHT, WRONG } from "../../crawl/subject/mark.ts";
import { SENT_PLAINLY } from "../../fetch/answer/answer.ts";
import type { TopicRequest } from "../../fetch/reading/read-topic.ts";
import { ASKS_NOTHING } from "../../fetch/request/page-request.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import type { TopicMark } from "../../topic/course/learn-topic.ts";
import { compileCrawl } from "../context.ts";
import type { Deps } from "../deps.ts";
import { NoInvocationLeft } from "../lane/invocations.ts";
import { pageRequestOf } from "../lane/request-of-work.ts";

/**
 * Reads the pages that people have marked as right or wrong for the subject of a crawl, so that it learns from them.
 */

const LABELS: Record<string, boolean> = { [RIGHT]: true, [WRONG]: false };
/** Marks that one batch reads: each is a page of the mirror that is parsed again. */
const MOST_MARKS = 10;

export interface ReadMarks {
  marks: TopicMark[];
  /** The number of the last mark that was read. */
  last: number;
}

/**
 * The marks after the number `seq`. A page that cannot be read any more teaches nothing. Throws NoInvocationLeft: then
 * another batch reads them.
 */
export async function readMarks(
  crawl: Crawl,
  seq: number,
  topic: () => TopicRequest,
  deps: Pick<Deps, "marks" | "readPage" | "mirror" | "packs" | "records">,
): Promise<ReadMarks> {
  const stored = await deps.marks.after(crawl.id, seq, MOST_MARKS);
  const marks: TopicMark[] = [];
  for (const { url, label } of stored) {
    const isRelevant = LABELS[label];
    if (isRelevant === undefined) continue;
    const sample = await readSample(crawl, url, topic(), deps).catch((error) => {
      if (error instanceof NoInvocationLeft) throw error;
      logWarning("marked-page-not-read", { url, error: String(error) });
      return null;
    });
    if (sample !== null) marks.push({ url, isRelevant, sample });
  }
  return { marks, last: stored.at(-1)?.seq ?? seq };
}

async function readSample(
  crawl: Crawl,
  url: string,
  topic: TopicRequest,
  deps: Pick<Deps, "readPage" | "mirror" | "packs" | "records">,
): Promise<TopicMark["sample"] | null> {
  const page = await readRenderedPage(crawl, url, deps);
  if (page === null) return null;
  const { documents } = crawl.options;
  const wants = { ...ASKS_NOTHING, documents, topic };
  const request = pageRequestOf(url, { crawl, ...compileCrawl(crawl, "none") }, wants, SENT_PLAINLY);
  const result = await deps.readPage(page, request);
  return result.kind === "page" ? (result.topic?.sample ?? null) : null;
}
