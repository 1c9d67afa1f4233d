import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { discovered, settled } from "./rows.ts";
import { World } from "./world.ts";

/** The columns of large tables, and what is only shown of a crawl (docs/decisions/0012). */

const SEED = "https://a.test/";

test.each(["crawls", "urls"])("%s has room for more columns", async (table) => {
  const { results } = await env.LEDGER.prepare(`PRAGMA table_xinfo(${table})`).all();
  expect(results.length).toBeGreaterThan(50);
  // D1 allows 100.
  expect(results.length).toBeLessThanOrEqual(90);
});

async function start() {
  const { ledger } = new World(() => ({ links: [] })).deps;
  const id = crypto.randomUUID();
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "T/1" };
  const seeds = [SEED, `${SEED}b`].map((url) => discovered(url, { depth: 0 }));
  await ledger.create({ id, options, hosts: ["a.test"], seeds, sitemaps: [], now: 1 });
  const shown = async () => {
    const crawl = await ledger.crawl(id);
    return { lastUrl: crawl?.lastUrl, waitingFor: crawl?.waitingFor, lastFailure: crawl?.lastFailure };
  };
  return { id, ledger, shown };
}

test("what a crawl waits for is shown until its next commit, and the last failure stays", async () => {
  const { id, ledger, shown } = await start();
  expect(await shown()).toEqual({ lastUrl: null, waitingFor: null, lastFailure: null });
  await ledger.setWaitingFor(id, "rain");
  await ledger.noteFailure([id], "a disk is full", 5);
  const lastFailure = { what: "a disk is full", at: 5 };
  expect(await shown()).toEqual({ lastUrl: null, waitingFor: "rain", lastFailure });
  await ledger.commit([{ ...emptyCommit(id), outcomes: [settled(SEED)] }], 6);
  expect(await shown()).toEqual({ lastUrl: SEED, waitingFor: null, lastFailure });
  await ledger.commit([emptyCommit(id)], 7);
  expect(await shown()).toEqual({ lastUrl: SEED, waitingFor: null, lastFailure });
});

test("a row of an earlier version shows what it says, until something newer is known", async () => {
  const { id, ledger, shown } = await start();
  const old = "last_url = ?2, waiting_for = 'rain', last_failure = 'no disk', failed_at = 3";
  await env.LEDGER.prepare(`UPDATE crawls SET ${old} WHERE id = ?1`).bind(id, `${SEED}old`).run();
  const lastFailure = { what: "no disk", at: 3 };
  expect(await shown()).toEqual({ lastUrl: `${SEED}old`, waitingFor: "rain", lastFailure });
  await ledger.commit([emptyCommit(id)], 6);
  expect(await shown()).toEqual({ lastUrl: `${SEED}old`, waitingFor: null, lastFailure });
  await ledger.commit([{ ...emptyCommit(id), outcomes: [settled(SEED)] }], 7);
  await ledger.noteFailure([id], "a disk is full", 8);
  expect(await shown()).toEqual({ lastUrl: SEED, waitingFor: null, lastFailure: { what: "a disk is full", at: 8 } });
});
