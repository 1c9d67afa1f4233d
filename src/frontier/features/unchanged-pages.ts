import { isAskedOnCondition, isUnchanged } from "../../crawl/watch/modified-since.ts";
import { unfetchedAttempt } from "../attempt.ts";
import type { PageWork } from "../work.ts";
import type { Feature } from "./feature.ts";

/**
 * Pages that have not changed since the date that the crawl gives are not stored, and not fetched if a sitemap says so.
 */
export const modifiedSince: Feature<"modifiedSince" | "onCondition"> = {
  /** Seeds are always fetched, because a crawl starts with their links. */
  due(work, now) {
    if (work.kind === "sitemap" || work.row.depth === 0 || work.row.kind === "asset" || work.row.visit !== null)
      return null;
    const { lastmod } = work.row;
    if (lastmod === null || !isUnchanged(lastmod, work.context.crawl.options)) return null;
    const detail = `a sitemap says that it last changed ${new Date(lastmod).toISOString()}`;
    return { kind: "decided", attempt: unfetchedAttempt(work, "not-modified", detail, now) };
  },
  wants(work) {
    const { options } = work.context.crawl;
    const isAnyAge = isOfAnyAge(work);
    return {
      modifiedSince: isAnyAge ? null : options.modifiedSince,
      onCondition: !isAnyAge && isAskedOnCondition(work.row.depth, options),
    };
  },
};

/**
 * Whether the page is stored whenever it has changed: it is visited again, or a sitemap says that it has. A page that
 * was too old is no page of the crawl yet.
 */
function isOfAnyAge({ row: { lastmod, visit }, context }: PageWork): boolean {
  const isOfCrawl = visit !== null && visit.reason !== "not-modified";
  return isOfCrawl || (lastmod !== null && !isUnchanged(lastmod, context.crawl.options));
}
