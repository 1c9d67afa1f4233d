import { LRUCache } from "lru-cache";
import type { Crawl } from "../../crawl/crawl.ts";
import { seedsKey } from "../../crawl/seeds-key.ts";
import type { ComparedFinding } from "../../graph/problems/compare-findings.ts";
import type { FindingKind } from "../../graph/problems/finding.ts";
import { compileIgnoreList, type IgnoreRule, readIgnoreList, tellIgnored } from "../../graph/problems/ignore-list.ts";
import { countFinding, type ReportHead } from "../../graph/report/report.ts";
import type { Store } from "../../store/store.ts";
import { MOST_COMPARED, type ReportComparison } from "./compared-report.ts";

/** A report without the findings that the site's list ignores. */

/** The rules of the crawl's site. A line that cannot be read was written by a later version, and does not count. */
export async function ignoreRulesOf(crawl: Crawl, { ignoreLists }: Pick<Store, "ignoreLists">): Promise<IgnoreRule[]> {
  const list = await ignoreLists.of(seedsKey(crawl));
  return list === null ? [] : readIgnoreList(list).rules;
}

/** Heads are some kilobytes. A summary asks for the report of each kind. */
const heads = new LRUCache<string, ReportHead>({ max: 32 });

/**
 * The report without what the rules ignore, its numbers counted anew. `name`: the same for the same findings. Null if
 * there are too many to read them all.
 */
export async function withoutIgnored(
  { head, read }: ReportComparison,
  rules: readonly IgnoreRule[],
  now: number,
  name: string,
): Promise<ReportComparison | null> {
  const found = Object.values(head.counts).reduce((sum, count) => sum + count.found + count.mended, 0);
  if (found > MOST_COMPARED) return null;
  const isIgnored = compileIgnoreList(rules, now);
  const readKept = async function* (kind?: FindingKind): AsyncGenerator<ComparedFinding, void> {
    for await (const finding of read(kind)) if (!isIgnored(finding)) yield finding;
  };
  const key = JSON.stringify([name, rules, new Date(now).toISOString().slice(0, 10)]);
  const kept = heads.get(key) ?? (await countKept(head, readKept(), rules, found, now));
  heads.set(key, kept);
  return { head: kept, read: readKept };
}

async function countKept(
  head: ReportHead,
  findings: AsyncIterable<ComparedFinding>,
  rules: readonly IgnoreRule[],
  found: number,
  now: number,
): Promise<ReportHead> {
  const counts: ReportHead["counts"] = {};
  let kept = 0;
  for await (const finding of findings) {
    countFinding(counts, finding);
    kept += 1;
  }
  return { ...head, counts, leftOut: [...tellIgnored(rules, found - kept, now), ...head.leftOut] };
}
