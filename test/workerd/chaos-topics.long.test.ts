import { expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { expectCountersExact, expectIndexExact } from "./ledger-invariant.ts";
import { endsOf, expectDocumentsRead, expectFewRequests, expectMirrored, expectPolite } from "./platform/checks.ts";
import { finish } from "./platform/deeds.ts";
import { disturbedPlan, politenessOf } from "./platform/disturbed-plan.ts";
import { Platform } from "./platform/platform.ts";
import { Random } from "./platform/random.ts";
import { clear, withStorage } from "./platform/storage.ts";
import type { Answer, Web } from "./platform/web.ts";

/**
 * Crawls with a subject, with faults, kills and redeliveries: their order changes, and what they end early is counted.
 * Without an early end they store the same pages as any other crawl.
 */

const HOSTS = ["otters.test", "bank.test", "mixed.test"];
const PAGES = 40;
const SEEDS = [1, 2, 3, 4];
const DELAY_MS = 100;
const ON =
  "Otters rest on the banks of rivers between two hunts, and whoever walks along the water sees tracks and finds what is left of a meal. ".repeat(
    5,
  );
const OFF = "Banks pay invoices and send statements of the month. ".repeat(5);

const urlOf = (host: string, page: number) => `https://${host}/p-${page}`;

/** Each page leads to two others of its host, and to one of the next host. */
function answer(url: string): Answer {
  if (url.endsWith("/robots.txt") || url.endsWith(".xml")) return { kind: "status", status: 404 };
  const { host } = new URL(url);
  const page = Number(/p-(\d+)/.exec(url)?.[1] ?? 0);
  const next = HOSTS[(HOSTS.indexOf(host) + 1) % HOSTS.length] as string;
  const isOn = host === "otters.test" || (host === "mixed.test" && page % 2 === 0);
  const own = [2 * page + 1, 2 * page + 2].filter((n) => n < PAGES).map((n) => urlOf(host, n));
  return { kind: "page", links: [...own, urlOf(next, page)], text: isOn ? ON : OFF };
}

/** The same site with heavy documents that may break off at first, redirects, and pages that fail at first. */
function mixedAnswer(url: string, attempt: number): Answer {
  const known = answer(url);
  const page = Number(/p-(\d+)/.exec(url)?.[1] ?? 0);
  if (known.kind !== "page" || page === 0) return known;
  if (page % 4 === 1) {
    const end = page % 3 === 0 && attempt === 0 ? "breaks" : "whole";
    const reading = { ms: 1_000, deaths: 0, failures: 0 };
    return {
      kind: "document",
      bytes: 20_000,
      pieces: 3,
      pieceMs: 50,
      hasLength: true,
      end,
      links: known.links,
      reading,
    };
  }
  if (page % 9 === 4) return { kind: "redirect", target: known.links[0] as string };
  return page % 5 === 2 && attempt === 0 ? { kind: "status", status: 500 } : known;
}

const EVERYTHING = HOSTS.flatMap((host) => Array.from({ length: PAGES }, (_, page) => urlOf(host, page))).toSorted();

async function crawlOf(platform: Platform, options: { limitPerHost?: number }): Promise<Crawl> {
  const id = await platform.start([urlOf("bank.test", 0)], {
    source: "links",
    store: "warc",
    search: true,
    includeExternalLinks: true,
    topic: "otters rivers",
    like: [urlOf("otters.test", 0)],
    documents: [...DOCUMENT_KINDS],
    maxQueued: 8,
    maxAttempts: 200,
    politeness: politenessOf(DELAY_MS),
    ...options,
  });
  await finish(platform, id, null);
  return (await platform.reader.ledger.crawl(id)) as Crawl;
}

/** Runs a crawl with faults, and checks what holds for each. Returns its URLs with their statuses and reasons. */
async function disturbed(seed: number, options: { limitPerHost?: number }, web: Web = answer): Promise<string[][]> {
  const found: string[][] = [];
  await withStorage(async (storage) => {
    clear(storage);
    const platform = new Platform(storage, disturbedPlan(seed, web, 0.03));
    await platform.run(async () => {
      const crawl = await crawlOf(platform, options);
      // Invocations that were held up do not know that the crawl has ended.
      await platform.time.sleep(300_000);
      if (platform.documents.backlog > 0) await platform.time.sleep(2 * IN_FLIGHT_MS);
      const db = platform.database.bindingOf(null);
      const ends = await endsOf(platform, crawl.id);
      await expectCountersExact(crawl.id, db);
      await expectIndexExact(crawl.id, db);
      await expectMirrored(crawl, ends, platform.reader);
      expectPolite(platform, { delayMs: DELAY_MS });
      expect(platform.database.violations, "statements that the database refused").toEqual([]);
      expectFewRequests(platform, 4, 0);
      // A document whose storing lost its answer, and its sweep too, stays if its host has no room for it afterwards.
      const { "message lost": lost = 0, "documents.sendBatch before": unsent = 0 } = platform.faults.counts;
      expectDocumentsRead(platform, lost + unsent + platform.faults.kills);
      const finals = ["completed", "skipped", "cancelled"];
      const parts = ends.map((end) => end.split(" "));
      for (const [url, status = ""] of parts) expect(finals, url).toContain(status);
      found.push(...parts);
    });
  });
  return found;
}

test.each(SEEDS)(
  "seed %i: a subject changes the order alone, and no page is lost",
  { timeout: 120_000 },
  async (seed) => {
    const ends = await disturbed(seed, {});
    expect(ends.map((end) => end.join(" "))).toEqual(EVERYTHING.map((url) => `${url} completed null`));
  },
);

test.each(SEEDS)("seed %i: each host gives as many pages as its limit", { timeout: 120_000 }, async (seed) => {
  const ends = await disturbed(seed, { limitPerHost: 9 });
  for (const host of HOSTS) {
    const own = ends.filter(([url = ""]) => url.startsWith(`https://${host}/`));
    expect(own.filter(([, status]) => status === "completed").length, host).toBe(9);
    expect(own.filter(([, , reason]) => reason !== "null" && reason !== "host-limit")).toEqual([]);
  }
});

test.each(SEEDS)(
  "seed %i: documents, redirects and failing pages count towards a host's limit as pages do",
  { timeout: 120_000 },
  async (seed) => {
    const limitPerHost = new Random(seed).between(3, 12);
    const ends = await disturbed(seed, { limitPerHost }, mixedAnswer);
    for (const host of HOSTS) {
      const own = ends.filter(([url = ""]) => url.startsWith(`https://${host}/`));
      expect(own.filter(([, status]) => status === "completed").length, host).toBe(limitPerHost);
      const reasons = new Set(own.map(([, , reason]) => reason));
      expect([...reasons].filter((reason) => !["null", "host-limit", "redirected"].includes(reason ?? ""))).toEqual([]);
    }
  },
);
