import * as z from "zod";
import type { Pass } from "../../crawl/report/pass.ts";
import type { TopicPage, Topics } from "../../topic/clusters/found-topics.ts";
import { count, listOf, objectOf, time } from "../requests/fields.ts";

/** The groups of a crawl's pages. */

const topicPage = objectOf({
  url: z.string().describe("The canonical URL of the page."),
  title: z.string().nullable().describe("Its title."),
  closeness: z
    .number()
    .min(0)
    .max(1)
    .describe("The cosine of its text with the mean of the group: 1 would be the same words."),
  rank: z.int().min(0).max(255).nullable().describe("Its rank of the last analysis. null: not analyzed before."),
});

export const topicsView = objectOf({
  foundAt: time.describe("When the search for topics began."),
  pages: count.describe("Number of completed pages that were grouped."),
  ungrouped: count.describe("Number of pages that are near to no group, or have no text."),
  sampled: count.describe("Number of pages from which the groups were learned: an even sample of at most 8,000."),
  topics: listOf({
    number: count.describe("1 for the largest."),
    words: z.array(z.string()).describe("The words that name the group, the best first: at most eight."),
    pages: count.describe("Number of its pages."),
    share: z.number().min(0).max(1).describe("Its share of all pages that were grouped."),
    central: z.array(topicPage).describe("The pages that are nearest to its mean, at most eight."),
    ranked: z.array(topicPage).describe("The pages with the highest rank, at most eight. Empty before an analysis."),
  }).describe("The groups, largest first: at most 60."),
});
export type TopicsView = z.output<typeof topicsView>;

export function viewTopics({ startedAt }: Pass, { topics, pages, ungrouped, sampled }: Topics): TopicsView {
  return {
    foundAt: new Date(startedAt).toISOString(),
    pages,
    ungrouped,
    sampled,
    topics: topics.map(({ words, pages: size, central, ranked }, i) => {
      const share = pages === 0 ? 0 : size / pages;
      return { number: i + 1, words, pages: size, share, central: central.map(viewPage), ranked: ranked.map(viewPage) };
    }),
  };
}

function viewPage({ url, title, closeness, rank }: TopicPage): z.output<typeof topicPage> {
  return { url, title, closeness, rank };
}
