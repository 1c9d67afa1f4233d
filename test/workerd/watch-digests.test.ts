import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { NOTICES } from "../../src/api/changes/notice-schemas.ts";
import type { NewWebhook } from "../../src/crawl/watch/notice.ts";
import type { Telling } from "../../src/crawl/watch/notice-style.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, type SiteAnswer, WatchedWorld } from "./watched-world.ts";

/** Digests and conditions of webhooks: who is told what, when, and that nothing is lost or told twice meanwhile. */

useModelLedger();

const STEP_MS = HOUR_MS;
const url = (n: number) => `${SEED}${n}`;

function hook(telling: Partial<Telling>): NewWebhook {
  const all = { digest: null, when: [], whenText: [], ...telling };
  return {
    id: crypto.randomUUID(),
    url: "https://receiver.test/",
    events: ["pages.changed"],
    secret: "whsec_x",
    telling: all,
  };
}

interface Message {
  type: string;
  timestamp: string;
  data: {
    since: string | null;
    changes: { seq: number; url: string }[];
    pages: { url: string; changes: number; seq: number; words: unknown }[];
    everywhere: { host: string; after: string | null; pages: number }[];
  };
}

async function sent(webhook: NewWebhook): Promise<Message[]> {
  const { results } = await env.LEDGER.prepare("SELECT body FROM deliveries WHERE webhook = ?1 ORDER BY made_at, id")
    .bind(webhook.id)
    .all<{ body: string }>();
  return results.map(({ body }) => {
    const message = JSON.parse(body) as Message;
    NOTICES[message.type === "pages.digest" ? "DigestNotice" : "ChangesNotice"].parse(message);
    return message;
  });
}

async function watchPages(...hooks: NewWebhook[]) {
  const says = new Map<string, SiteAnswer>();
  const urls = [0, 1, 2].map(url);
  const world = new WatchedWorld((at) => says.get(at) ?? { text: `It is ${at} / and more`, links: urls });
  const id = await world.watch(12 * HOUR_MS, { webhook: null });
  for (const one of hooks) await world.deps.webhooks.add(id, one, world.now);
  return { world, id, says };
}

test("a digest has each page once, with the words that changed since the last one", async () => {
  const daily = hook({ digest: "daily@07:00" });
  const { world, says, id } = await watchPages(daily);
  says.set(url(0), { text: `It is ${url(0)} / and one more`, links: [] });
  says.set(url(1), { text: `It is another / and more`, links: [] });
  // The world begins at midnight.
  await world.pass(14 * HOUR_MS, STEP_MS);
  says.set(url(0), { text: `It is ${url(0)} / and two more`, links: [] });
  await world.pass(42 * HOUR_MS, STEP_MS);
  const told = await sent(daily);
  expect(new Set(told.map(({ type }) => type))).toEqual(new Set(["pages.digest"]));
  for (const { timestamp } of told) expect(timestamp).toMatch(/T07:00/);
  const pages = told.flatMap(({ data }) => data.pages);
  const { changes } = await world.deps.changes.list(id, { after: 0, at: 0, kinds: null, limit: 100 });
  // Each change is in exactly one digest.
  expect(pages.reduce((sum, page) => sum + page.changes, 0)).toBe(changes.length);
  expect(changes.length).toBe(3);
  for (const { data } of told) expect(new Set(data.pages.map((page) => page.url)).size).toBe(data.pages.length);
  expect(pages.find((page) => page.url === url(1))?.words).toEqual([
    { before: null, after: "It is another" },
    { before: `It is ${url(1)}`, after: null },
  ]);
  await world.pass(DAY_MS, STEP_MS);
  expect(await sent(daily)).toEqual(told);
});

test("a digest whose heartbeat was killed is told by the next one, once", async () => {
  const daily = hook({ digest: "daily@07:00" });
  const { world, says } = await watchPages(daily);
  says.set(url(0), { text: "Other words / and more", links: [] });
  const { toldChanges } = world.deps;
  const tell = toldChanges.tell.bind(toldChanges);
  let kills = 2;
  toldChanges.tell = async (...given) => {
    // Killed before the transaction, then after it.
    if (kills === 1) await tell(...given);
    if (kills-- > 0) throw new Error("killed");
    return tell(...given);
  };
  await world.pass(2 * DAY_MS, STEP_MS);
  expect(kills).toBeLessThanOrEqual(0);
  const told = await sent(daily);
  expect(told.flatMap(({ data }) => data.pages.map(({ seq }) => seq))).toEqual([1]);
});

test("a condition on words keeps back what it is not about, and loses nothing of what it is", async () => {
  const [release, all] = [hook({ whenText: ["added:release"] }), hook({})];
  const { world, says } = await watchPages(release, all);
  says.set(url(0), { text: `It is ${url(0)} / and a new RELEASE`, links: [] });
  says.set(url(1), { text: `It is ${url(1)} / and nothing`, links: [] });
  await world.pass(DAY_MS, STEP_MS);
  says.set(url(1), { text: `It is ${url(1)} / and nothing but the release`, links: [] });
  await world.pass(DAY_MS, STEP_MS);
  const urlsOf = (messages: Message[]) => messages.flatMap(({ data }) => data.changes.map((change) => change.url));
  expect(urlsOf(await sent(release))).toEqual([url(0), url(1)]);
  expect(urlsOf(await sent(all)).toSorted()).toEqual([url(0), url(1), url(1)]);
  const waits = await env.LEDGER.prepare("SELECT count(*) AS n FROM webhooks WHERE changes_at IS NOT NULL").first();
  expect(waits).toEqual({ n: 0 });
});

test("a banner of all pages is one thing of one digest, also where no page has changed", async () => {
  const daily = hook({ digest: "daily@07:00" });
  const { world, id } = await watchPages(daily);
  const at = world.now + HOUR_MS;
  const round = {
    at,
    seen: at,
    pages: ["p", "q"],
    others: 0,
    had: null,
    share: 1,
    text: "Sale",
    isShared: true,
    sharedAt: at,
  };
  const template = { pages: 9, versions: 9, blocks: {}, rounds: { "+y": round } };
  await world.deps.templates.write(id, "a.test", JSON.stringify(template));
  await world.pass(2.5 * DAY_MS, STEP_MS);
  expect((await sent(daily)).map(({ data }) => [data.pages, data.everywhere])).toEqual([
    [[], [expect.objectContaining({ host: "a.test", after: "Sale", pages: 2 })]],
  ]);
});

test("what waited for a digest is told at once when the webhook gathers none any more", async () => {
  const weekly = hook({ digest: "weekly" });
  const { world, says, id } = await watchPages(weekly);
  says.set(url(0), { text: "Other words / and more", links: [] });
  await world.pass(1.5 * DAY_MS, STEP_MS);
  expect(await sent(weekly)).toEqual([]);
  const { telling: _, ...plain } = weekly;
  await world.deps.webhooks.update(id, plain, world.now);
  world.now += 2 * 60_000;
  await heartbeat(world.deps);
  expect((await sent(weekly)).map(({ type, data }) => [type, data.changes.length])).toEqual([["pages.changed", 1]]);
});
