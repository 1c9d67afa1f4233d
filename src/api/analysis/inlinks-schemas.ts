import * as z from "zod";
import type { Inlinks } from "../../crawl/report/inlinks.ts";
import { cursor, urlQuery } from "../records/record-schemas.ts";
import { count, listOf, objectOf, queryInteger, requestOf, time } from "../requests/fields.ts";

/** Requests and answers of /api/crawls/:id/inlinks. */

export const inlinksQuery = requestOf({
  ...urlQuery.shape,
  limit: queryInteger(1, 50, 50).describe("Maximum number of sources in one answer."),
  cursor,
});

export const inlinksView = objectOf({
  url: z.string().describe("The canonical URL."),
  analyzedAt: time.describe("When the analysis began from which this is. What changed since is not in it."),
  total: count.describe("The number of pages that link to the URL, and of URLs that redirect to it."),
  sources: listOf({
    url: z.string().describe("The URL of the page, or the URL that redirects."),
    title: z.string().nullable().describe("The title of the page."),
    redirects: z.boolean().describe("Whether it redirects to the URL, instead of a link."),
    links: listOf({
      text: z.string().describe("The anchor text, at most 80 characters."),
      kind: z.string().describe("The element that has the link, such as `a`."),
      place: z.enum(["navigation", "content"]).describe("Where it stands on the page."),
      nofollow: z.boolean().describe("Whether it says `nofollow`."),
      rel: z.string().describe("Its relations in lower case, separated by spaces."),
      fragment: z.string().nullable().describe("What follows `#`; null if there is no `#`."),
    }).describe("The links to the URL. Empty for a redirect, and for a page whose links are no longer stored."),
  }).describe("The sources, in the order of their URLs."),
  cursor: z.string().nullable().describe("Cursor of the next page of results. null: this is the last one."),
});
export type InlinksView = z.output<typeof inlinksView>;

export function viewInlinks(url: string, { analyzedAt, total, sources, cursor: next }: Inlinks): InlinksView {
  return {
    url,
    analyzedAt: new Date(analyzedAt).toISOString(),
    total,
    sources: sources.map(({ isRedirect, links, ...source }) => ({
      ...source,
      redirects: isRedirect,
      links: links.map(({ url: _, ...link }) => link),
    })),
    cursor: next,
  };
}
