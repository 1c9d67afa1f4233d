import { TEST_PRIORITY } from "../../../crawl/page/url-kind.ts";
import { REFUSALS } from "../../../scope/refusal.ts";
import { partsOfUrl } from "../../../scope/same-page-parts.ts";
import {
  describeSamePageRule,
  type HostSamePages,
  isAudited,
  reduceUrl,
  ruleOf,
  type SamePageRule,
} from "../../../scope/same-page-rules.ts";
import { type ExplainedUrl, type FeatureStep, learnedOf } from "../feature.ts";

/** The rules that the crawl has learned about parts of this URL; null if there are none. */
export async function explainSamePages(asked: ExplainedUrl): Promise<FeatureStep | null> {
  const { crawl, url, record, deps } = asked;
  const host = await learnedOf(asked, deps.samePages, crawl.options.keepDuplicates);
  if (host === undefined) return null;
  const found = reduceUrl(host, url);
  if (found === null) {
    const learned = partsOfUrl(url).flatMap((part) => ruleOf(host, part) ?? []);
    if (learned.length === 0) return null;
    return saying(true, "none", `no rule leaves out a part: ${describe(host, learned)}`);
  }
  const rule = found.rules.map(({ scope, part }) => `${part} at ${scope}`).join(", ");
  const detail = `without it, it is ${found.reduced}: ${describe(host, found.rules)}`;
  if (isAudited(crawl.id, url) || record?.priority === TEST_PRIORITY)
    return saying(true, rule, `it is fetched to test the rule: ${describe(host, found.rules)}`);
  return saying(false, rule, `it ${REFUSALS["same-page"]}; ${detail}`);
}

function saying(ok: boolean, rule: string, detail: string): FeatureStep {
  return { step: { step: "same-page", ok, rule, detail }, refuses: true };
}

function describe(host: HostSamePages, rules: readonly SamePageRule[]): string {
  return rules.map((rule) => describeSamePageRule(host, rule)).join("; ");
}
