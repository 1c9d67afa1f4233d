import type { Crawl } from "../../crawl/crawl.ts";
import { beginLearning } from "../../crawl/subject/learned-topic.ts";
import type { TopicReport } from "../../crawl/subject/topic-report.ts";
import type { Store } from "../../store/store.ts";
import { RELEVANT } from "../../topic/course/topic-state.ts";
import { bestHosts, subjectTerms } from "../../topic/course/topic-views.ts";

/** Reads how well a crawl with a subject does, and what it has learned. */

const MOST_HOSTS = 20;
const MOST_TERMS = 40;
const MOST_PAGES = 10;

export async function readTopicReport(
  { id, options }: Crawl,
  { topics, records }: Pick<Store, "topics" | "records">,
): Promise<TopicReport> {
  const [stored, best, doubtful] = await Promise.all([
    topics.find(id),
    records.byRelevance(id, "best", MOST_PAGES),
    records.byRelevance(id, "doubtful", MOST_PAGES),
  ]);
  const { state, openExamples } = stored?.learned ?? beginLearning(options);
  const { pages, relevant, recent, harvest, weights } = state;
  const { pagesPerPoint, points, open } = harvest;
  const last = open.pages === 0 ? [] : [open.sum / open.pages];
  return {
    pages,
    relevant,
    recent: { pages: recent.length, relevant: recent.filter((hundredths) => hundredths >= RELEVANT * 100).length },
    harvest: { pagesPerPoint, points: [...points.map((thousandths) => thousandths / 1_000), ...last] },
    hosts: bestHosts(state, MOST_HOSTS),
    terms: subjectTerms(state, MOST_TERMS),
    weights,
    openExamples,
    best,
    doubtful,
  };
}
