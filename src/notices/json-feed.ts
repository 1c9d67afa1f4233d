import { type ChangeFeed, titleOf } from "./change-feed.ts";

/** Writes a feed of changes as JSON Feed 1.1: https://www.jsonfeed.org/version/1.1/ */

export const JSON_FEED_TYPE = "application/feed+json";

/** An item's `url` is the page that shows the change, and its `external_url` the page that changed. */
export function writeJsonFeed({ title, feedUrl, pageUrl, entries }: ChangeFeed): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: pageUrl,
    feed_url: feedUrl,
    authors: [{ name: "Orbweaver" }],
    items: entries.map((entry) => ({
      id: entry.id,
      url: entry.diffUrl,
      external_url: entry.url,
      title: titleOf(entry),
      content_text: entry.summary,
      date_published: new Date(entry.at).toISOString(),
      tags: [entry.kind],
    })),
  });
}
