import { env } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Deletions } from "../../src/store/installation/deletions.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { HostTexts } from "../../src/store/learned/host-texts.ts";
import { LearnedByCrawl, LearnedByHost } from "../../src/store/learned/learned.ts";
import { LearnedMemory } from "../../src/store/learned/learned-memory.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered } from "./rows.ts";

/** What several batches learn of a host at the same time. */

useModelLedger();

const HOST = "a.test";
const EMPTY: string[] = [];
const meter = new Meter();
let id = "";
const learned = () => new LearnedByHost(meteredDatabase(env.LEDGER, meter), "same_pages", EMPTY);

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

test("a row is read once by an isolate, until another one has written it", async () => {
  const memory = new LearnedMemory();
  const other = new LearnedMemory();
  const add = (word: string, by: LearnedMemory) => learned().learn(id, HOST, (known) => [...known, word], by);
  const read = async (by: LearnedMemory) => (await learned().read(id, [HOST, "b.test"], by)).get(HOST);
  await add("one", memory);
  expect(await read(memory)).toEqual(["one"]);
  const key = `same_pages ${id} ${HOST}`;
  const remembered = memory.get(key)?.learned;
  expect(await read(memory)).toBe(remembered);
  await read(other);
  meter.take();
  await add("two", memory);
  const first = meter.take();
  await add("three", other);
  // The other isolate has an old version, so it reads the row.
  expect(meter.take().ledgerRowsRead).toBeGreaterThan(first.ledgerRowsRead ?? 0);
  expect(await read(other)).toEqual(["one", "two", "three"]);
  expect(await read(memory)).toEqual(["one", "two", "three"]);
  expect(memory.get(key)).toMatchObject({ version: 3, length: '["one","two","three"]'.length });
});

test("what an earlier version stored goes on, of a host and of a crawl", async () => {
  const db = env.LEDGER;
  await db.batch([
    db.prepare("INSERT INTO same_pages (crawl, host, learned, version) VALUES (?1, 'a.test', '[\"old\"]', 7)").bind(id),
    db.prepare("INSERT INTO topics (crawl, learned, version) VALUES (?1, '[\"old\"]', 7)").bind(id),
    db.prepare("INSERT INTO templates (crawl, host, template) VALUES (?1, 'a.test', '{\"old\":1}')").bind(id),
  ]);
  await learned().learn(id, HOST, (known) => [...known, "new"]);
  expect(await learned().list(id)).toEqual(new Map([[HOST, ["old", "new"]]]));
  const topics = new LearnedByCrawl<string[]>(db, "topics");
  await topics.change(id, (known) => [...known, "new"]);
  expect(await topics.find(id)).toMatchObject({ learned: ["old", "new"], version: 8 });
  const templates = new HostTexts(db, "templates", "template");
  expect(await templates.read([id], HOST)).toEqual(new Map([[id, '{"old":1}']]));
});

test("a batch that begins with an old version learns on top of what came between", async () => {
  const topics = new LearnedByCrawl<string[]>(env.LEDGER, "topics");
  const first = { learned: ["first"], version: 0, length: 0 };
  const one = await topics.learnFrom(first, id, (known) => [...known, "one"]);
  expect(one).toMatchObject({ learned: ["first", "one"], version: 1 });
  const other = await topics.learnFrom(first, id, (known) => [...known, "other"]);
  expect(other).toMatchObject({ learned: ["first", "one", "other"], version: 2 });
  await new Deletions(env.LEDGER).mark(id, true, 5);
  await topics.learnFrom(other, id, (known) => [...known, "late"]);
  expect(await topics.find(id)).toEqual(other);
});
