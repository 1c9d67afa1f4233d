import { type CrawlOptions, DEFAULT_OPTIONS, hasTopic } from "../../crawl/crawl-options.ts";
import {
  SUBJECT_HOST_SHARE,
  SUBJECT_LEAST_HOST_LIMIT,
  SUBJECT_MAX_QUEUED,
} from "../../crawl/options/subject-options.ts";

/** Defaults that follow from the subject of a crawl. */

/** The values of the options whose defaults depend on the subject. */
export function topicDefaults(
  request: Pick<CrawlOptions, "topic" | "like" | "likeTexts" | "limit">,
): Pick<CrawlOptions, "includeExternalLinks" | "limitPerHost" | "maxQueued"> {
  const { includeExternalLinks, limitPerHost, maxQueued } = DEFAULT_OPTIONS;
  if (!hasTopic(request)) return { includeExternalLinks, limitPerHost, maxQueued };
  return {
    includeExternalLinks: true,
    limitPerHost: Math.max(SUBJECT_LEAST_HOST_LIMIT, Math.ceil(request.limit * SUBJECT_HOST_SHARE)),
    maxQueued: SUBJECT_MAX_QUEUED,
  };
}
