import { env } from "cloudflare:test";
import { expect } from "vitest";
import { URL_STATUSES } from "../../src/crawl/status.ts";
import { Ledger } from "../../src/store/ledger.ts";

/** Rule 1 in part: every counter of a crawl equals a count of its rows, and they add up to what was discovered. */
export async function expectCountersExact(crawl: string): Promise<void> {
  const { results } = await env.LEDGER.prepare(
    "SELECT status, count(*) AS n FROM urls WHERE crawl = ?1 GROUP BY status",
  )
    .bind(crawl)
    .all<{ status: string; n: number }>();
  const counted = Object.fromEntries(
    URL_STATUSES.map((status) => [status, results.find((row) => row.status === status)?.n ?? 0]),
  );
  const discovered = results.reduce((sum, row) => sum + row.n, 0);
  expect((await new Ledger(env.LEDGER).crawl(crawl))?.counters).toEqual({ discovered, ...counted });
}
