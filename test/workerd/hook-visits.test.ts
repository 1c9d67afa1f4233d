import { env } from "cloudflare:test";
import { beforeEach, expect, test, vi } from "vitest";
import type { Crawl, CrawlUrl } from "../../src/crawl/crawl.ts";
import type { KeptFields } from "../../src/crawl/page/row-fields.ts";
import type { CrawlHook, ReadPage } from "../../src/crawl/subject/hook.ts";
import { exportDelta } from "../../src/reading/exports/export-delta.ts";
import { readRow } from "../../src/reading/records/read-row.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, removeWatches, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";
import "./silence-log.ts";

/** What the installation's hook says of a page that a watch found changed. */

useModelLedger();

const texts = new Map<string, string>();
const pages = ["p0", "p1", "p2", "p3", "p4"].map((name) => `${SEED}${name}`);
const siteOf = (url: string): SiteAnswer =>
  url === SEED ? { text: "home", links: pages } : { text: texts.get(url) ?? `It costs 12.5 at ${url}`, etag: null };

beforeEach(async () => {
  texts.clear();
  await removeWatches();
});

async function watchWith(hook: CrawlHook) {
  const asked: ReadPage[] = [];
  const world = new WatchedWorld(siteOf, {
    hook: {
      ...hook,
      pagesRead: (read) => {
        asked.push(...read);
        return hook.pagesRead?.(read) ?? read.map(() => null);
      },
    },
  });
  const id = await world.watch(HOUR_MS);
  const first = asked.splice(0);
  const changes = async () => (await world.deps.changes.list(id, { after: 0, at: 0, kinds: null, limit: 100 })).changes;
  const recordOf = async (url: string) => {
    const row = await env.LEDGER.prepare("SELECT status, fields FROM urls WHERE crawl = ?1 AND url = ?2")
      .bind(id, url)
      .first<{ status: string; fields: string | null }>();
    return { status: row?.status, fields: JSON.parse(row?.fields ?? "null") as unknown };
  };
  return { world, id, asked, first, changes, recordOf };
}

const priceOf = ({ text }: ReadPage) => ({ fields: { price: Number(/[\d.]+/.exec(text)?.[0]) || null } });

test("its fields are those of the new version, and what changed in them is told", async () => {
  const { world, id, asked, first, changes, recordOf } = await watchWith({ pagesRead: (read) => read.map(priceOf) });
  expect(first).toHaveLength(6);
  expect(await recordOf(`${SEED}p2`)).toMatchObject({ fields: { price: 12.5 } });
  await world.pass(DAY_MS);
  expect(asked).toEqual([]);
  texts.set(`${SEED}p2`, "It costs 9.5 now");
  texts.set(`${SEED}p3`, `It costs 12.5 at ${SEED}p3 / and comes at once`);
  await world.pass(DAY_MS);
  expect(asked.map(({ url }) => url).sort()).toEqual([`${SEED}p2`, `${SEED}p3`]);
  expect(await recordOf(`${SEED}p2`)).toMatchObject({ fields: { price: 9.5 } });
  expect(await recordOf(`${SEED}p3`)).toMatchObject({ fields: { price: 12.5 } });
  const told = new Map((await changes()).map((change) => [change.url, change]));
  expect(told.get(`${SEED}p2`)?.detail).toMatch(/^price: 12.5 → 9.5; blocks: /);
  expect(told.get(`${SEED}p2`)?.fields).toEqual([{ name: "price", before: 12.5, after: 9.5 }]);
  expect(told.get(`${SEED}p3`)?.detail).toMatch(/^blocks: /);
  await expectCountersExact(id);
});

test("a large field that changes is told once, and both versions keep the others", async () => {
  const text = (price: string) => `${price} ${"x".repeat(30_000)}`.slice(0, 10_000);
  const { world, id, changes, recordOf } = await watchWith({
    pagesRead: (read) =>
      read.map((page) => {
        const { price } = priceOf(page).fields;
        return { fields: { price: 1, list: ["a", text(String(price))], same: text("same") } };
      }),
  });
  expect(await recordOf(`${SEED}p2`)).toMatchObject({ fields: { price: 1, $kept: { names: ["list"] } } });
  await world.pass(DAY_MS);
  texts.set(`${SEED}p2`, "It costs 9.5 now");
  texts.set(`${SEED}p3`, `It costs 12.5 at ${SEED}p3 / and comes at once`);
  await world.pass(DAY_MS);
  const told = (await changes()).filter(({ kind }) => kind === "changed");
  expect(told.map(({ url }) => url).sort()).toEqual([`${SEED}p2`, `${SEED}p3`]);
  const byUrl = new Map(told.map((change) => [change.url, change]));
  expect(byUrl.get(`${SEED}p2`)?.fields).toEqual([
    { name: "list", before: ["a", text("12.5").slice(0, 80)], after: ["a", text("9.5").slice(0, 80)] },
  ]);
  expect(byUrl.get(`${SEED}p3`)?.fields).toBeUndefined();
  const crawl = (await world.deps.ledger.crawl(id)) as Crawl;
  const row = (await world.deps.records.get(id, `${SEED}p2`)) as CrawlUrl;
  const { record } = await readRow(crawl, row, [], { ...world.deps, template: null });
  expect(JSON.parse(record.fields ?? "null")).toEqual({ price: 1, list: ["a", text("9.5")], same: text("same") });
  const since = { since: 0, place: null, formats: [], of: "pages" } as const;
  const delta = await exportDelta(crawl, since, { ...world.deps, template: null });
  const fields = new Map<string, string | null>();
  for await (const line of delta.records) fields.set(line.record.url, line.record.fields);
  expect(fields.get(`${SEED}p2`)).toBe(record.fields);
  await expectCountersExact(id);
});

test("fields of the version before that cannot be read are no answer: nothing is told until they can", async () => {
  const { world, id, changes, recordOf } = await watchWith({
    pagesRead: (read) => read.map(({ text }) => ({ fields: { list: [text, "x".repeat(10_000), "y".repeat(10_000)] } })),
  });
  const { fields } = await recordOf(`${SEED}p2`);
  const { offset } = (fields as { $kept: KeptFields }).$kept;
  const read = world.deps.packs.read.bind(world.deps.packs);
  let isAway = true;
  let failures = 0;
  vi.spyOn(world.deps.packs, "read").mockImplementation(async (...place) => {
    if (!isAway || place[2] !== offset) return read(...place);
    failures += 1;
    throw new Error("R2 is away");
  });
  texts.set(`${SEED}p2`, "It costs 9.5 now");
  texts.set(`${SEED}p3`, "It costs 9.5 now, too");
  await world.pass(DAY_MS);
  expect(failures).toBeGreaterThan(1);
  const told = async () => (await changes()).filter(({ kind }) => kind === "changed");
  expect(await told()).toMatchObject([{ url: `${SEED}p3`, fields: [{ name: "list" }] }]);
  isAway = false;
  await world.pass(3 * DAY_MS);
  expect((await told()).slice(1)).toMatchObject([{ url: `${SEED}p2`, fields: [{ name: "list" }] }]);
  await expectCountersExact(id);
});

test("its links are followed, and a version that it drops is neither stored nor told", async () => {
  const { world, id, asked, changes, recordOf } = await watchWith({
    pagesRead: (read) =>
      read.map((page) =>
        page.text.includes("secret")
          ? { drop: "it is secret", links: ["/added"] }
          : { ...priceOf(page), links: page.text.includes("9.5") ? ["/more"] : [] },
      ),
  });
  texts.set(`${SEED}p1`, "It costs 3, which is secret");
  texts.set(`${SEED}p2`, "It costs 9.5 now");
  await world.pass(DAY_MS);
  expect(await recordOf(`${SEED}p1`)).toMatchObject({ status: "completed", fields: { price: 12.5 } });
  expect((await changes()).map(({ url, kind }) => ({ url, kind }))).toEqual(
    expect.arrayContaining([{ url: `${SEED}p2`, kind: "changed" }]),
  );
  expect((await changes()).filter(({ url }) => url === `${SEED}p1`)).toEqual([]);
  expect(await recordOf(`${SEED}added`)).toMatchObject({ status: "completed" });
  expect(await recordOf(`${SEED}more`)).toMatchObject({ status: "completed" });
  // The next visit asks again, and what is no longer dropped is told.
  expect(asked.filter(({ url }) => url === `${SEED}p1`).length).toBeGreaterThan(1);
  texts.set(`${SEED}p1`, "It costs 4 now");
  await world.pass(DAY_MS);
  expect((await changes()).filter(({ url }) => url === `${SEED}p1`)).toMatchObject([{ kind: "changed" }]);
  expect(await recordOf(`${SEED}p1`)).toMatchObject({ fields: { price: 4 } });
  await expectCountersExact(id);
});

test("a visit on which it fails has failed, and those beside it have not", async () => {
  let isBroken = true;
  const { world, id, changes, recordOf } = await watchWith({
    pagesRead: (read) => {
      if (isBroken && read.some(({ text }) => text.includes("odd"))) throw new Error("a bug of the operator's");
      return read.map(priceOf);
    },
  });
  texts.set(`${SEED}p1`, "It costs 3, which is odd");
  texts.set(`${SEED}p2`, "It costs 9.5 now");
  await world.pass(DAY_MS);
  expect((await changes()).map(({ url }) => url)).toEqual([`${SEED}p2`]);
  expect(await recordOf(`${SEED}p1`)).toMatchObject({ status: "completed", fields: { price: 12.5 } });
  const fetches = world.fetched.filter((url) => url === `${SEED}p1`).length;
  expect(fetches).toBeLessThan(60);
  isBroken = false;
  await world.pass(2 * DAY_MS);
  expect(await recordOf(`${SEED}p1`)).toMatchObject({ fields: { price: 3 } });
  await expectCountersExact(id);
});
