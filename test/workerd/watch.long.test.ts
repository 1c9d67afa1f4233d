import { env } from "cloudflare:test";
import fc from "fast-check";
import { expect, test } from "vitest";
import { costUsd } from "../../src/crawl/bounds/usage.ts";
import { retryCrawl } from "../../src/lifecycle/retry.ts";
import { cancelCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { watchCrawl } from "../../src/lifecycle/watch.ts";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import "./silence-log.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { HOUR_MS, removeWatches, SEED, type SiteAnswer, WatchedWorld, watchOf } from "./watched-world.ts";

/** A watch whose pages change, vanish and fail at random, what holds after each step of it, and what visits cost. */

useModelLedger();

const PAGES = ["", "a", "b", "c", "d", "e"].map((path) => `${SEED}${path}`);
const EVERY_MS = 6 * HOUR_MS;

const pageState = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      text: fc.constantFrom("one", "two", "three"),
      noise: fc.constantFrom("", "x"),
      link: fc.constantFrom("/to", "/fro"),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom({ status: 404 }, { status: 410 }) },
  { weight: 2, arbitrary: fc.constantFrom({ status: 503 }, { status: 403 }) },
  { weight: 1, arbitrary: fc.constantFrom({ redirect: `${SEED}a` }, { redirect: "https://b.test/" }) },
  { weight: 1, arbitrary: fc.constant({ text: "hidden", noindex: "meta" }) },
);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("page" as const), page: fc.nat(PAGES.length - 1), state: pageState }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("pass" as const), hours: fc.integer({ min: 1, max: 14 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "pause" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "retry" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "faults" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "cancel" as const }) },
);

/** What a follower of the changes holds: which pages there are. */
function followed(told: readonly string[], first: ReadonlySet<string>): Set<string> {
  const held = new Set(first);
  for (const line of told) {
    const [kind = "", path = ""] = line.split(" ");
    if (kind === "added" || kind === "restored") {
      expect(held.has(path), `${line}: it was there`).toBe(false);
      held.add(path);
    } else {
      if (kind !== "moved") expect(held.has(path), `${line}: it was not there`).toBe(true);
      if (kind !== "changed") held.delete(path);
    }
  }
  return held;
}

test("whatever pages and people do, counters are exact, each visit has one outcome, and changes tell it all", {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 3, maxLength: 14 }),
      fc.boolean(),
      fc.nat(),
      async (steps, search, salt) => {
        await removeWatches();
        const site = new Map<string, SiteAnswer>(PAGES.map((url) => [url, { text: "one", link: "/to" }]));
        let faults = 0;
        let calls = salt;
        const isFaulty = () => faults > 0 && ++calls % 3 === 0 && faults-- > 0;
        const world = new WatchedWorld(
          (url) => {
            const answer = site.get(url) ?? { status: 404 };
            return "text" in answer ? { ...answer, links: PAGES } : answer;
          },
          {
            copies: () => (faults > 0 ? 2 : 1),
            beforeCommit: () => {
              if (isFaulty()) throw new Error("killed before the commit");
            },
            afterCommit: () => {
              if (isFaulty()) throw new Error("killed after the commit");
            },
          },
        );
        const id = await world.watch(EVERY_MS, { search });
        let retried = 0;
        const completed = async () => {
          const { results } = await env.LEDGER.prepare("SELECT url FROM urls WHERE crawl = ?1 AND status = 'completed'")
            .bind(id)
            .all<{ url: string }>();
          return new Set(results.map(({ url }) => new URL(url).pathname));
        };
        const first = await completed();
        const check = async () => {
          await expectCountersExact(id);
          await expectIndexExact(id);
          const row = await env.LEDGER.prepare(
            `SELECT (SELECT coalesce(sum(value), 0) FROM json_each(c.visits)) AS counted, change_seq,
             (SELECT sum(visits) FROM urls WHERE crawl = c.id) AS settled,
             (SELECT coalesce(max(seq), 0) FROM changes WHERE crawl = c.id) AS last,
             (SELECT count(*) FROM changes WHERE crawl = c.id) AS changes FROM crawls c WHERE id = ?1`,
          )
            .bind(id)
            .first<Record<string, number>>();
          expect(row).toMatchObject({
            settled: (row?.counted ?? 0) + retried,
            last: row?.changes,
            change_seq: row?.changes,
          });
          const there = await completed();
          expect([...followed(await world.told(id), first)].toSorted()).toEqual([...there].toSorted());
          const crawl = await world.crawl(id);
          for (const path of there) {
            const stored = await readStoredPage(crawl, new URL(path, SEED).href, world.deps);
            expect(new TextDecoder().decode(stored?.body)).toMatch(/^(one|two|three)\nx?\n\/(to|fro)$/);
          }
        };
        /** A page that is stored with its text of today has its links of today, too. */
        const checkLinks = async () => {
          const crawl = await world.crawl(id);
          for (const [url, state] of site) {
            const stored = "link" in state ? await readStoredPage(crawl, url, world.deps) : null;
            const [text, , link] = new TextDecoder().decode(stored?.body).split("\n");
            if ("link" in state && text === state.text) expect([url, link]).toEqual([url, state.link]);
          }
        };
        await check();
        for (const each of steps) {
          if (each.kind === "page") site.set(PAGES[each.page] as string, each.state);
          if (each.kind === "pass") await world.pass(each.hours * HOUR_MS, HOUR_MS / 2);
          if (each.kind === "faults") faults = 6;
          if (each.kind === "pause") {
            await world.deps.ledger.pause(id, world.now);
            await world.pass(HOUR_MS, HOUR_MS / 2);
            await check();
            await resumeCrawl(id, world.deps);
          }
          if (each.kind === "retry") {
            const crawl = await world.crawl(id);
            const result = await retryCrawl(crawl, { status: "errored", reason: null, limit: null }, world.deps);
            if (result.kind === "retried") retried += result.retried;
          }
          if (each.kind === "cancel") {
            await cancelCrawl(id, "cancelled_by_user", world.deps);
            await world.settle();
            await check();
            await retryCrawl(await world.crawl(id), { status: "cancelled", reason: null, limit: null }, world.deps);
            await watchCrawl(id, watchOf(EVERY_MS), world.deps);
            if ((await world.crawl(id)).status.startsWith("cancelled")) return;
          }
          await check();
        }
        faults = 0;
        await world.pass(3 * EVERY_MS, HOUR_MS / 2);
        await check();
        await checkLinks();
      },
    ),
    { numRuns: 8, endOnFailure: false },
  );
});

test("a million unchanged visits cost at most 3 USD, with their records in the archive", async () => {
  const urls = Array.from({ length: 600 }, (_, i) => `${SEED}${i}`);
  const world = new WatchedWorld((url) => ({ text: url, links: url === SEED ? urls : [] }));
  const id = await world.watch(24 * HOUR_MS);
  await world.pass(24 * HOUR_MS);
  const [before, visits] = [(await world.crawl(id)).usage, await world.visits(id)];
  await world.pass(48 * HOUR_MS, HOUR_MS);
  const [after, all] = [(await world.crawl(id)).usage, await world.visits(id)];
  const usd = ((costUsd(after) - costUsd(before)) / (all - visits)) * 1_000_000;
  console.log(`USD per million unchanged visits: ${usd.toFixed(2)}`, JSON.stringify(after), all - visits);
  expect(all - visits).toBeGreaterThan(1_000);
  // Pages that come late are looked at in full.
  const { "not-modified": unmodified = 0, same = 0 } = (await world.crawl(id)).visits;
  expect([unmodified + same, unmodified > 0.95 * all]).toEqual([all, true]);
  expect(usd).toBeLessThan(3);
});
