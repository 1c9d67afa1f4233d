import { REFUSALS } from "../../../scope/refusal.ts";
import { hostOf } from "../../../url/host-key.ts";
import type { ExplainedUrl, FeatureStep } from "../feature.ts";

/**
 * How many pages of the URL's host the crawl has, of those that it takes; null for a crawl without such a limit, and
 * for what counts towards none. What has ended otherwise is as it is, whatever the number.
 */
export async function explainHostLimit(asked: ExplainedUrl): Promise<FeatureStep | null> {
  const { crawl, url, record, isAsset, deps } = asked;
  const { limitPerHost } = crawl.options;
  if (limitPerHost === 0 || isAsset) return null;
  const host = hostOf(url);
  const count = (await deps.ledger.hostPages(crawl.id, [host])).get(host) ?? 0;
  if (count === 0 && record === null) return null;
  const pages = `${count.toLocaleString("en")} of ${limitPerHost.toLocaleString("en")} pages of ${host}`;
  const saying = (ok: boolean, detail: string): FeatureStep => {
    return { step: { step: "host-limit", ok, rule: `${limitPerHost} pages`, detail }, refuses: true };
  };
  const isOpen = record === null || record.status === "queued" || record.status === "pending";
  const isRefused = record?.reason === "host-limit" || (isOpen && count >= limitPerHost);
  if (!isRefused) return saying(true, `the crawl has ${pages}`);
  return saying(false, `it ${REFUSALS["host-limit"]}: ${pages}. A crawl with a higher --limit-per-host takes more`);
}
