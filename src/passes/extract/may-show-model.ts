import type { Crawl } from "../../crawl/crawl.ts";
import { type CrawlOptions, isPrivate, usesOf } from "../../crawl/crawl-options.ts";
import type { Fetching } from "../../frontier/deps.ts";
import { rightsOf } from "../../frontier/lane/host-rights.ts";
import { productToken } from "../../robots/product-token.ts";
import { hostKey, originOf } from "../../url/host-key.ts";

/**
 * Whether a page may be sent to a model: what was read with a session is private, and a site may refuse that use in
 * robots.txt (Content-Signal).
 */

/** What a crawl declares whose pages a model reads: `use=full`, because it reads all of a page. */
export const MODEL_USES: Pick<CrawlOptions, "crawlPurposes" | "contentUse"> = {
  crawlPurposes: ["ai-input"],
  contentUse: "full",
};

/** Whether these options declare it, so that what robots.txt refuses was not fetched. */
export function declaresModel({ crawlPurposes, contentUse }: Pick<CrawlOptions, "crawlPurposes" | "contentUse">) {
  return crawlPurposes.includes("ai-input") && contentUse === "full";
}

/**
 * Null if a stored page may be sent; else why not, for people. A crawl that did not declare the use asks the robots.txt
 * that the gate has, and what is not known is not sent.
 */
export async function mayShowModel(
  { options }: Pick<Crawl, "options">,
  url: string,
  deps: Pick<Fetching, "gate">,
): Promise<string | null> {
  if (isPrivate(options)) return "it was read with a session, and goes to no model unless its crawl is --shared";
  if (declaresModel(options)) return null;
  const { decision } = await deps.gate(hostKey(url)).recall({
    origin: originOf(url),
    url,
    agent: productToken(options.userAgent),
    uses: usesOf({ ...options, ...MODEL_USES }),
    ...rightsOf(options)(url),
  });
  if (decision?.allowed === true) return null;
  if (decision?.allowed === false)
    return `robots.txt of its host refuses it to models${decision.rule === null ? "" : `: ${decision.rule}`}`;
  return "robots.txt of its host is not known, and may refuse it to models: crawl it with --purpose ai-input --content-use full";
}
