import { describeGroup, isSample, knownGroupOf } from "../../../scope/endless-groups.ts";
import { REFUSALS } from "../../../scope/refusal.ts";
import { type ExplainedUrl, type FeatureStep, learnedOf } from "../feature.ts";

/**
 * The pattern of the URL whose pages are judged; null if there is none. A URL that was fetched all the same says why.
 */
export async function explainEndless(asked: ExplainedUrl): Promise<FeatureStep | null> {
  const { crawl, url, record, deps } = asked;
  const host = await learnedOf(asked, deps.endlessHosts, crawl.options.keepEndless);
  const group = host === undefined ? null : knownGroupOf(host, url);
  const facts = group === null ? undefined : host?.groups[group];
  if (group === null || facts === undefined) return null;
  const saying = (ok: boolean, detail: string): FeatureStep => {
    return { step: { step: "nothing-new", ok, rule: group, detail }, refuses: true };
  };
  const about = describeGroup(group, facts);
  if (!facts.isSlowed) return saying(true, `its pattern says something new: ${about}`);
  if (isSample(crawl.id, url, 0, 1)) return saying(true, `it is a sample of its pattern: ${about}`);
  if (record !== null && record.reason !== "nothing-new")
    return saying(true, `it was fetched before, or a page outside its pattern leads to it: ${about}`);
  const unless = "unless a sitemap or a page outside the pattern leads to it";
  return saying(false, `it ${REFUSALS["nothing-new"]}, ${unless}: ${about}`);
}
