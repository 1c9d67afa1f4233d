import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { sha256Of } from "../../src/archive/sha256.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { Meter, meteredDatabase } from "../../src/store/installation/metered.ts";
import { sortContents } from "../../src/store/ledger/contents.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { expectContentsFound, expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled } from "./rows.ts";

/** The contents that a crawl has stored: how they are found, and what that costs. */

useModelLedger();

const SEED = "https://a.test/";
const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "Test/1", limit: 1_000_000 };
const place = { pack: "p", offset: 1, length: 1, contentOffset: null, contentLength: null };
const packed = { ...place, revisits: null, linksOffset: null, linksLength: null };

/** Digests that begin alike, so that rows of contents fill up. */
const digestOf = (page: number) => `ab${sha256Of(new TextEncoder().encode(`page ${page}`)).slice(2)}`;

async function crawlOf(pages: number) {
  const meter = new Meter();
  const ledger = new Ledger(meteredDatabase(env.LEDGER, meter));
  const id = crypto.randomUUID();
  await ledger.create({
    ...{ id, options, hosts: ["a.test"], now: 1, sitemaps: [] },
    seeds: Array.from({ length: pages }, (_, i) => discovered(`${SEED}${i}`, { depth: 0 })),
  });
  meter.take();
  const commit = async (from: number, count: number, changes = {}) => {
    const outcomes = Array.from({ length: count }, (_, i) =>
      settled(`${SEED}${from + i}`, { sha256: digestOf(from + i), packed, isListed: true, ...changes }),
    );
    await ledger.commit([{ ...emptyCommit(id), outcomes }], 10);
  };
  return { id, ledger, meter, commit };
}

const countPlaces = async (id: string) =>
  (
    await env.LEDGER.prepare(
      `SELECT prefix, json_array_length('[' || pages || ']') AS n FROM contents WHERE crawl = ?1 AND prefix <> '' ORDER BY prefix`,
    )
      .bind(id)
      .all<{ prefix: string; n: number }>()
  ).results;

test("each content is found wherever it stands, for few rows", async () => {
  const { id, ledger, meter, commit } = await crawlOf(1_224);
  const written = () => meter.take().ledgerRowsWritten ?? 0;
  let rows = 0;
  for (let list = 0; list < 102; list++) {
    await commit(12 * list, 12);
    rows += written();
    if (list === 20) await expectContentsFound(id);
  }
  await expectCountersExact(id);
  // All begin with the same two digits, and a row takes a thousand.
  const places = await countPlaces(id);
  expect(places.every(({ prefix, n }) => /^ab[0-9a-f]$/.test(prefix) && n < 200)).toBe(true);
  expect(places.reduce((sum, { n }) => sum + n, 0)).toBe(1_200);
  // A row of each page when it is settled, and two of each list: the crawl's own, and the list.
  expect(rows / 1_224).toBeLessThan(1 + 2 / 12 + 0.03);
  const found = await ledger.originals(id, [7, 999, 1_211].map(digestOf).concat("new"));
  expect(found.map(({ url }) => url).toSorted()).toEqual([`${SEED}1211`, `${SEED}7`, `${SEED}999`]);
  // Of a page that is new, little is read.
  meter.take();
  await ledger.originals(
    id,
    Array.from({ length: 25 }, (_, i) => digestOf(5_000 + i)),
  );
  expect(meter.take().ledgerRowsRead).toBeLessThan(25 * 10);
});

test("lists are sorted once, whoever tries it, and what fails is done later", async () => {
  const { id, ledger, commit } = await crawlOf(250);
  let isBroken = true;
  const broken = {
    prepare: env.LEDGER.prepare.bind(env.LEDGER),
    batch: (statements: D1PreparedStatement[]) =>
      isBroken ? Promise.reject(new Error("D1_ERROR: Network connection lost.")) : env.LEDGER.batch(statements),
  } as unknown as D1Database;
  for (let list = 0; list < 99; list++) await commit(list, 1);
  await sortContents(broken, id, 100);
  expect(await countPlaces(id)).toEqual([]);
  await ledger.commit([{ ...emptyCommit(id), outcomes: [settled(`${SEED}99`, { sha256: "0" })] }], 10);
  await Promise.all([1, 2, 3].map(() => sortContents(env.LEDGER, id, 100)));
  expect(await countPlaces(id)).toEqual([{ prefix: "a", n: 99 }]);
  isBroken = false;
  await sortContents(broken, id, 100);
  for (let list = 100; list < 250; list++) await commit(list, 1);
  expect(await countPlaces(id)).toEqual([{ prefix: "a", n: 199 }]);
  await expectCountersExact(id);
});

test("copies of a listed page are counted with it, and a page that was fetched again with another content is none", async () => {
  const { id, ledger, commit } = await crawlOf(120);
  await commit(0, 1);
  await commit(1, 1, { sha256: digestOf(0), isListed: undefined, packed: { ...packed, revisits: `${SEED}0` } });
  await commit(2, 1, { status: "errored", reason: "timeout", sha256: digestOf(2) });
  const counted = () => ledger.copies(id, [digestOf(0), digestOf(2), "new"], 2);
  expect(await counted()).toEqual(
    new Map([
      [digestOf(0), 2],
      [digestOf(2), 1],
      ["new", 0],
    ]),
  );
  for (let list = 3; list < 103; list++) await commit(list, 1);
  expect((await countPlaces(id)).length).toBeGreaterThan(0);
  expect(await counted()).toEqual(
    new Map([
      [digestOf(0), 2],
      [digestOf(2), 1],
      ["new", 0],
    ]),
  );
  await ledger.retry(id, { status: "errored", reason: null, limit: null }, "", 20);
  expect((await counted()).get(digestOf(2))).toBe(0);
  await commit(2, 1);
  expect((await counted()).get(digestOf(2))).toBe(1);
  await expectCountersExact(id);
});
