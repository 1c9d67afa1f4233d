import * as z from "zod";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { TopicReport } from "../../crawl/subject/topic-report.ts";
import { count, listOf, objectOf } from "../requests/fields.ts";

/** The subject of a crawl: how well the crawl does, and what it has learned. */

const share = z.number().min(0).max(1);

const pageList = listOf({
  url: z.string().describe("The canonical URL."),
  title: z.string().nullable().describe("The title of the page."),
  relevance: share.describe("How much it says about the subject."),
});

export const topicView = objectOf({
  words: z.string().describe("The words of the subject, as given."),
  like: z.array(z.string()).describe("The URLs of its examples."),
  openExamples: z.array(z.string()).describe("Examples that are still to be read. Other pages wait for them."),
  until: share.describe("The crawl ends below this share of relevant pages among the last 200. 0 means never."),
  pages: count.describe("Number of pages that were read, without the examples."),
  relevant: count.describe("Number of these pages that were relevant."),
  recent: objectOf({
    pages: count.describe("Number of the last pages, at most 200."),
    relevant: count.describe("Number of these pages that were relevant."),
  }).describe("The last 200 pages."),
  harvest: objectOf({
    pagesPerPoint: count.describe("Number of pages of each point; the last point may have fewer."),
    points: z.array(share).describe("The mean relevance of these pages, in the order of the crawl."),
  }).describe("The harvest rate over time."),
  hosts: listOf({
    host: z.string().describe("The host, with its port if that is not the scheme's default."),
    pages: count.describe("Number of its pages that were read."),
    relevance: share.describe("Their mean relevance."),
  }).describe("At most 20 hosts, those that gave most first."),
  terms: listOf({
    term: z.string().describe("A word without its ending, or two characters of a script without spaces."),
    weight: share.describe("How much of a page's relevance it can make."),
  }).describe("At most 40 terms that carry the subject now, strongest first."),
  weights: objectOf({
    page: z.number().describe("The relevance of the page that has the link."),
    text: z.number().describe("The words of the link, those around it, and those of its URL."),
    host: z.number().describe("The mean relevance of its host."),
  }).describe("What a link's score is made of, as learned so far."),
  best: pageList.describe("At most 10 pages: the most relevant ones."),
  doubtful: pageList.describe("At most 10 pages whose relevance is nearest to 0.5."),
});
export type TopicView = z.output<typeof topicView>;

export function viewTopic(
  { topic, like, until }: Pick<CrawlOptions, "topic" | "like" | "until">,
  report: TopicReport,
): TopicView {
  const { hosts, ...rest } = report;
  return {
    words: topic,
    like,
    until,
    ...rest,
    hosts: hosts.map(({ host, pages, relevance }) => ({ host, pages, relevance })),
  };
}
