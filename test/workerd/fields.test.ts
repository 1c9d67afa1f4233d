import { createExecutionContext, env } from "cloudflare:test";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { ChangesView, FieldsView, RecordView, StoredFieldsView } from "../../src/api/views.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import { valuesOf } from "../../src/media/html/fields/field-rule.ts";
import { readFields } from "../../src/media/html/fields/read-fields.ts";
import { parseHtml } from "../../src/media/html/tree/linkedom.ts";
import { checkFetchedFields } from "../../src/reading/records/check-fields.ts";
import { readStoredFields } from "../../src/reading/records/read-stored-fields.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";
import type { WorldOptions } from "./world.ts";

/** Fields by rules: in records, in changes of a watch, and of stored pages by other rules. */

useModelLedger();

const PRICE = { price: { selector: "b", as: "number" as const }, sku: { selector: "i" } };
const FIELDS: CrawlOptions["fields"] = [{ urls: ["/p/*"], fields: PRICE }];

/** A world whose page fetcher reads fields from what its pages say, `noise` included. */
function worldOf(site: (url: string) => SiteAnswer, options: WorldOptions = {}): WatchedWorld {
  const world = new WatchedWorld(site, options);
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets, gateway) => {
    const result = await fetchPage(request, secrets, gateway);
    const answer = site(request.url);
    if (result.kind !== "page" || request.fields === null || !("text" in answer)) return result;
    const facts = { url: request.url, base: request.url, language: "en" };
    const document = parseHtml(`${answer.text}\n${answer.noise ?? ""}`);
    return { ...result, fields: valuesOf(readFields(document, request.fields, facts)) };
  };
  return world;
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const headers = { authorization: "Bearer reading-token" };
  const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  const answer = await app.request(path, init, env, createExecutionContext());
  return ((await answer.json()) as { result: T }).result;
}

const recordsOf = async (id: string) => {
  const { records } = await ask<{ records: RecordView[] }>(`/api/crawls/${id}/records`);
  return Object.fromEntries(records.map(({ url, fields }) => [new URL(url).pathname, fields]));
};
const changesOf = async (id: string) => (await ask<ChangesView>(`/api/crawls/${id}/changes`)).changes;

test("a change of a field is told with both values, whatever else the page says", async () => {
  let price: string | null = "12";
  let quiet = "1";
  const links = [`${SEED}p/1`, `${SEED}p/quiet`, `${SEED}about`];
  const world = worldOf((url) => {
    if (url === SEED) return { text: "Seed", links };
    if (url.endsWith("/p/1"))
      return { text: "A kettle", noise: price === null ? "sold" : `<b>$${price}.00</b><i>K1</i>` };
    if (url.endsWith("/p/quiet")) return { text: "A pot", noise: `<b>${quiet}</b>` };
    return { text: "About", noise: `<b>${price}</b>` };
  });
  const ignore = { urls: ["/p/quiet"], selectors: [], patterns: [], leastShare: 0 };
  const watch = { everyS: DAY_MS / 1000, fixed: true, tell: [], ignore };
  const id = await world.watch(DAY_MS, { fields: FIELDS, watch });
  expect(await recordsOf(id)).toEqual({
    "/": null,
    "/about": null,
    "/p/1": { price: 12, sku: "K1" },
    "/p/quiet": { price: 1, sku: null },
  });

  const steps: [string | null, unknown[]][] = [
    ["9", [{ name: "price", before: 12, after: 9 }]],
    ["12", [{ name: "price", before: 9, after: 12 }]],
    [
      null,
      [
        { name: "price", before: 12, after: null },
        { name: "sku", before: "K1", after: null },
      ],
    ],
  ];
  for (const [now, fields] of steps) {
    price = now;
    quiet += "1";
    await world.pass(2 * DAY_MS);
    const told = await changesOf(id);
    expect(told.at(-1)).toMatchObject({ url: `${SEED}p/1`, kind: "changed", fields });
    await expectCountersExact(id);
  }
  const told = await changesOf(id);
  expect(told.map(({ detail }) => detail)).toEqual([
    "price: 12 → 9",
    "price: 9 → 12",
    "price: 12 → none; sku: K1 → none",
  ]);
  expect((await recordsOf(id))["/p/1"]).toEqual({ price: null, sku: null });
  // Nothing has changed since.
  await world.pass(3 * DAY_MS);
  expect(await changesOf(id)).toHaveLength(3);
});

test("a change of the text is told without fields where no field has changed", async () => {
  let text = "A kettle";
  const world = worldOf((url) =>
    url === SEED ? { text: "Seed", links: [`${SEED}p/1`] } : { text, noise: "<b>5</b>", etag: null },
  );
  const id = await world.watch(DAY_MS, { fields: FIELDS });
  text = "Another kettle / with a lid";
  await world.pass(4 * DAY_MS);
  const told = await changesOf(id);
  expect(told).toHaveLength(1);
  expect(told[0]).not.toHaveProperty("fields");
  expect(told[0]?.detail).toContain("blocks");
});

test("stored pages, and no assets, are read again by other rules, in parts", async () => {
  const pages = Array.from({ length: 30 }, (_, i) => `${SEED}p/${String(i).padStart(2, "0")}`);
  const world = worldOf((url) =>
    url === SEED
      ? { text: "Seed", links: [...pages, `${SEED}gone`], assets: [`${SEED}logo.svg`] }
      : url.endsWith("/gone")
        ? { status: 404 }
        : { text: `<u>${url.slice(-2)}</u>`, ...(url.endsWith(".svg") ? { type: "image/svg+xml" } : {}) },
  );
  const id = await world.start([SEED], { assets: true });
  await world.runToEnd(id);
  const rulesOf = (url: string) =>
    url === SEED ? null : { n: { selector: "u", as: "number" as const }, x: { selector: "q" } };
  const crawl = await world.crawl(id);
  expect((await world.deps.records.get(id, `${SEED}logo.svg`))?.status).toBe("completed");
  const read: number[] = [];
  let parts = 0;
  for (let cursor: string | null = ""; cursor !== null; parts++) {
    const page = await readStoredFields(crawl, { cursor, limit: 1_000, rulesOf }, world.deps);
    for (const { record, readings } of page.records) {
      if (record.url === SEED) expect(record.fields).toBeNull();
      else read.push(JSON.parse(record.fields ?? "").n);
      if (record.url !== SEED) expect(readings[1]?.problem).toBe("q matches nothing");
    }
    cursor = page.cursor;
  }
  expect(parts).toBe(2);
  expect(read).toEqual(pages.map((_, i) => i));
  // The same by the API, which reads with the page fetcher of this Worker.
  const body = { fields: { n: { selector: "u", as: "number" }, x: { selector: "q" } }, limit: 2 };
  const { records, cursor } = await ask<StoredFieldsView>(`/api/crawls/${id}/fields`, body);
  expect(records.map(({ fields, missing }) => [fields, missing])).toEqual([
    [
      { n: null, x: null },
      { n: "u matches nothing", x: "q matches nothing" },
    ],
    [{ n: 0, x: null }, { x: "q matches nothing" }],
  ]);
  expect(cursor).toBe(pages[0]);
  const checked = await app.request(
    "/api/fields",
    {
      method: "POST",
      headers: { authorization: "Bearer test-token" },
      body: JSON.stringify({ url: pages[7], crawl: id, fields: { n: { selector: "u", as: "number" } }, propose: true }),
    },
    env,
    createExecutionContext(),
  );
  const { result } = (await checked.json()) as { result: FieldsView };
  expect(result).toMatchObject({
    url: pages[7],
    problem: null,
    fields: [{ name: "n", value: 7, by: "u", problem: null }],
  });
});

test("a page is checked through its host's gate, with its redirects", async () => {
  const world = worldOf((url) =>
    url.endsWith("/old")
      ? { redirect: "https://b.test/p/new" }
      : url.endsWith("/loop")
        ? { redirect: url }
        : url.endsWith("/gone")
          ? { status: 404 }
          : { text: "<b>7</b>" },
  );
  const options = (await world.crawl(await world.start([SEED], {}))).options;
  const check = (url: string) =>
    checkFetchedFields({ url, rulesOf: () => ({ price: PRICE.price }), propose: false }, options, world.deps);
  const read = await check(`${SEED}old`);
  expect(read).toMatchObject({ url: "https://b.test/p/new", httpStatus: 200, problem: null });
  expect(read.page?.fields).toMatchObject([{ name: "price", value: 7 }]);
  expect((await check(`${SEED}gone`)).problem).toContain("404");
  expect((await check(`${SEED}loop`)).problem).toBe("it redirects more than 5 times");
  world.now += HOUR_MS;
});

test("a page is waited for while its host rests, for three quarters of a minute at most", async () => {
  const world = worldOf(() => ({ text: "A kettle", noise: "<b>$7</b>" }));
  const { options } = await world.crawl(await world.start([SEED], {}));
  const check = (minDelayMs: number) => {
    const asked = { url: `${SEED}kettle`, rulesOf: () => ({ price: PRICE.price }), propose: false };
    const politeness = { ...options.politeness, minDelayMs, maxDelayMs: minDelayMs };
    return checkFetchedFields(asked, { ...options, politeness }, world.deps);
  };
  const read = { problem: null, page: { fields: [{ name: "price", value: 7 }] } };
  expect(await check(30_000)).toMatchObject(read);
  const before = world.now;
  expect(await check(100_000)).toMatchObject(read);
  expect(world.now - before).toBeGreaterThanOrEqual(29_000);
  const { problem } = await check(30_000);
  expect(problem).toMatch(/^the usual rest between requests: try again in (9\d|100) s$/);
});

test("a host that is down is not waited for, and the problem says what happened", async () => {
  const world = worldOf((url) => (url.startsWith("https://down.test/") ? { refused: true } : { text: "A kettle" }));
  const { options } = await world.crawl(await world.start([SEED], {}));
  const check = (url: string) =>
    checkFetchedFields({ url, rulesOf: () => ({ price: PRICE.price }), propose: false }, options, world.deps);
  expect((await check("https://no-such.invalid/")).problem).toBe("the host name does not resolve: no such host");
  expect((await check("https://down.test/")).problem).toContain("the host refused or dropped the connection");
  const before = world.now;
  expect((await check("https://down.test/")).problem).toMatch(/^the host failed once \(.+\), .+: try again in \d+ s$/);
  expect(world.now).toBe(before);
});

test("a host whose robots.txt brings no answer is not waited for", async () => {
  const headers = { authorization: "Bearer test-token" };
  const body = JSON.stringify({ url: "https://no-robots.test/" });
  for (let i = 0; i < 2; i++) {
    const context = createExecutionContext();
    const answer = await app.request("/api/fields", { method: "POST", headers, body }, env, context);
    const { result } = (await answer.json()) as { result: FieldsView };
    // A second request for the file would double the delay.
    expect(result.problem).toMatch(/^no connection.*: try again in ([1-9]|10) s$/);
  }
});
