import { type CrawlOptions, DEFAULT_OPTIONS, hasTopic } from "../../crawl/crawl-options.ts";
import {
  SUBJECT_HOST_SHARE,
  SUBJECT_LEAST_HOST_LIMIT,
  SUBJECT_MAX_QUEUED,
  SUBJECT_SHARING_HOSTS,
} from "../../crawl/options/subject-options.ts";
import { hostOf } from "../../url/host-key.ts";

/** Defaults that follow from the subject of a crawl. */

/** The values of the options whose defaults depend on the subject. `urls` and `like`: canonical. */
export function topicDefaults(
  request: Pick<CrawlOptions, "urls" | "topic" | "like" | "likeTexts" | "limit">,
): Pick<CrawlOptions, "includeExternalLinks" | "limitPerHost" | "maxQueued"> {
  const { includeExternalLinks, limitPerHost, maxQueued } = DEFAULT_OPTIONS;
  if (!hasTopic(request)) return { includeExternalLinks, limitPerHost, maxQueued };
  const hosts = new Set([...request.urls, ...request.like].map(hostOf));
  const hostLimit = Math.max(SUBJECT_LEAST_HOST_LIMIT, Math.ceil(request.limit * SUBJECT_HOST_SHARE));
  return {
    includeExternalLinks: true,
    // Fewer hosts could not fill the page limit.
    limitPerHost: hosts.size < SUBJECT_SHARING_HOSTS ? DEFAULT_OPTIONS.limitPerHost : hostLimit,
    maxQueued: SUBJECT_MAX_QUEUED,
  };
}
