import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Deletions } from "../../src/store/deletions.ts";
import { LearnedHosts } from "../../src/store/learned-hosts.ts";
import { Ledger } from "../../src/store/ledger.ts";
import { Meter, meteredDatabase } from "../../src/store/metered.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered } from "./rows.ts";

/** What several batches learn of a host at the same time. */

useModelLedger();

const HOST = "a.test";
const EMPTY: string[] = [];
const meter = new Meter();
let id = "";
const learned = () => new LearnedHosts(meteredDatabase(env.LEDGER, meter), "same_pages", EMPTY);

beforeEach(async () => {
  id = crypto.randomUUID();
  const options = { ...DEFAULT_OPTIONS, urls: [`https://${HOST}/`], userAgent: "Test/1" };
  const seeds = [discovered(`https://${HOST}/`, { depth: 0 })];
  await new Ledger(env.LEDGER).create({ id, options, hosts: [HOST], seeds, sitemaps: [], now: 1 });
  meter.take();
});

test("what batches learn at the same time is all kept", async () => {
  const words = ["one", "two", "three"];
  await Promise.all(words.map((word) => learned().learn(id, HOST, (known) => [...known, word])));
  expect((await learned().read(id, [HOST])).get(HOST)?.toSorted()).toEqual(words.toSorted());
});

test("nothing is written where nothing is learned, or for a crawl that is being deleted", async () => {
  await learned().learn(id, HOST, (known) => known);
  expect((await learned().read(id, [HOST])).size).toBe(0);
  await learned().learn(id, HOST, () => ["first"]);
  meter.take();
  await learned().learn(id, HOST, (known) => known);
  expect(meter.take().ledgerRowsWritten ?? 0).toBe(0);
  await new Deletions(env.LEDGER).mark(id, true, 5);
  await learned().learn(id, HOST, () => ["second"]);
  expect((await learned().read(id, [HOST])).get(HOST)).toEqual(["first"]);
});
