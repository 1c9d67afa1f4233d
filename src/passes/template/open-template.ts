import type { Crawl } from "../../crawl/crawl.ts";
import { isFixed, type OpenTemplate } from "../../crawl/page/crawl-template.ts";
import type { Deps } from "../../frontier/deps.ts";
import { type LearnDeps, learnTemplate, WHOLE } from "./learn-template.ts";

/** Opens the template of a crawl to read its pages with it. */

export type TemplateDeps = LearnDeps & Pick<Deps, "ledger" | "limits">;

/**
 * Null if the crawl has not ended, if its pages have nothing in common, and on Cloudflare for a while after the end: a
 * request may start 32 invocations, so the heartbeat learns the template. On this machine the first reader does.
 */
export async function openTemplate(crawl: Crawl, deps: TemplateDeps): Promise<OpenTemplate | null> {
  if (isFixed(crawl)) return deps.crawlTemplates.open(crawl);
  if (deps.limits.invocations !== Number.POSITIVE_INFINITY) return null;
  if (!(await learnTemplate(crawl, { ...WHOLE }, deps))) return null;
  const fixed = await deps.ledger.crawl(crawl.id);
  return fixed === null ? null : deps.crawlTemplates.open(fixed);
}
