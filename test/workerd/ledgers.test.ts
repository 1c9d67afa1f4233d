import { env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { CrawlView, Health, SearchView, VersionsView } from "../../src/api/views.ts";
import { ledgerOf } from "../../src/crawl/crawl-id.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { NewWebhook } from "../../src/crawl/watch/notice.ts";
import type { Deps } from "../../src/frontier/deps.ts";
import { homeOf } from "../../src/frontier/ledgers.ts";
import type { NoticeHint } from "../../src/frontier/visits/notice-hint.ts";
import { deleteCrawl } from "../../src/lifecycle/delete-crawl.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { startImport } from "../../src/lifecycle/import.ts";
import { startCrawl } from "../../src/lifecycle/start.ts";
import { deliverNotices } from "../../src/notices/deliver-notices.ts";
import { IN_FLIGHT_MS } from "../../src/store/installation/deletions.ts";
import { faultyDatabase } from "./faulty.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { databaseIn, Outage, openThreeLedgers, sendToLedgers, type ThreeLedgers } from "./several-ledgers.ts";
import { type Web, World } from "./world.ts";

/** An installation with three databases. docs/decisions/0016 */

const HOUR = 3_600_000;
const PAGES = 6;

let ledgers: ThreeLedgers;
/** The second database, which a test may break. */
let outage: Outage;
let bindings: ThreeLedgers & Pick<Env, "MIRROR" | "SESSION_KEY">;

beforeEach(async () => {
  ledgers = await openThreeLedgers();
  outage = new Outage();
  bindings = {
    ...{ ...ledgers, LEDGER_1: faultyDatabase(ledgers.LEDGER_1, outage) },
    ...{ MIRROR: env.MIRROR, SESSION_KEY: env.SESSION_KEY },
  };
});

/** Each page links to all others of its host. */
const web: Web = (url) => ({
  links: Array.from({ length: PAGES }, (_, i) => new URL(`/${i}`, url).href),
  title: `A page of ${new URL(url).host}`,
});

/** Starts a crawl in each ledger. Returns their ids by ledger. */
async function startThree(world: World, changes: Partial<typeof DEFAULT_OPTIONS> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (const host of ["a", "b", "c"]) {
    world.now += 1_000;
    ids.push(await world.start([`https://${host}.test/`], changes));
  }
  const byLedger = ids.toSorted((a, b) => ledgerOf(a) - ledgerOf(b));
  expect(byLedger.map(ledgerOf)).toEqual([0, 1, 2]);
  return byLedger;
}

const crawlsIn = async (ledger: number): Promise<string[]> => {
  const { results } = await databaseIn(ledgers, ledger)
    .prepare("SELECT id FROM crawls ORDER BY id")
    .all<{ id: string }>();
  return results.map(({ id }) => id);
};

async function ask<T>(path: string, init: RequestInit = {}): Promise<{ status: number; link: string | null } & T> {
  const response = await sendToLedgers(bindings, path, init);
  const link = /^<(.*)>/.exec(response.headers.get("link") ?? "")?.[1] ?? null;
  return { status: response.status, link, ...((await response.json()) as T) };
}

test("crawls of three ledgers come to their ends, each with everything in its own", async () => {
  const world = new World(web, { bindings });
  const ids = await startThree(world);
  // Their messages share batches.
  for (const id of ids) await world.runToEnd(id);
  for (const [ledger, id] of ids.entries()) {
    expect(await crawlsIn(ledger)).toEqual([id]);
    await expectCountersExact(id, databaseIn(ledgers, ledger));
    const crawl = await homeOf(world.deps, id).ledger.crawl(id);
    expect(crawl?.counters).toMatchObject({ discovered: PAGES + 1, completed: PAGES + 1 });
    expect(crawl?.usage.ledgerRowsWritten).toBeGreaterThan(0);
  }
  expect(world.fetched.toSorted()).toEqual([...new Set(world.fetched)].toSorted());
  expect(world.fetched).toHaveLength(3 * (PAGES + 1));
});

describe("a ledger that fails", () => {
  test("delays no crawl of another, and its own goes on afterwards", async () => {
    const world = new World(web, { bindings });
    const ids = await startThree(world);
    outage.now = "fails";
    for (const id of [ids[0], ids[2]] as string[]) await world.runToEnd(id);
    await heartbeat(world.deps);
    outage.now = null;
    const [, broken = ""] = ids;
    await world.runToEnd(broken);
    await expectCountersExact(broken, ledgers.LEDGER_1);
    expect((await homeOf(world.deps, broken).ledger.crawl(broken))?.counters.completed).toBe(PAGES + 1);
  });

  test("gets no new crawl", async () => {
    const world = new World(web, { bindings });
    outage.now = "fails";
    const ids = await Promise.all([1, 2, 3, 4].map((i) => world.start([`https://h${i}.test/`])));
    expect(ids.map(ledgerOf)).not.toContain(1);
  });

  test("is named by the lists, which give the others", async () => {
    const ids = await startThree(new World(web, { bindings }));
    outage.now = "fails";
    const list = await ask<{ result: CrawlView[]; messages: string[] }>("/api/crawls");
    expect(list.result.map(({ id }) => id).toSorted()).toEqual([ids[0], ids[2]].toSorted());
    expect(list.messages).toEqual([expect.stringContaining("LEDGER_1")]);
    const health = await ask<{ result: Health }>("/api/health");
    expect(health.result.ledgers.map(({ name, answers }) => [name, answers])).toEqual([
      ["LEDGER", true],
      ["LEDGER_1", false],
      ["LEDGER_2", true],
    ]);
    const other = await ask(`/api/crawls/${ids[2]}`);
    const own = await ask(`/api/crawls/${ids[1]}`);
    expect([other.status, own.status]).toEqual([200, 500]);
  });

  test("that hangs is not asked about a crawl of another", async () => {
    const ids = await startThree(new World(web, { bindings }));
    outage.now = "hangs";
    const calls = outage.calls;
    expect((await ask(`/api/crawls/${ids[0]}`)).status).toBe(200);
    expect(outage.calls).toBe(calls);
  });
});

test("lists are in their order over ledgers, and their pages have each crawl once", async () => {
  const world = new World(web, { bindings });
  const started: string[] = [];
  for (let i = 0; i < 7; i++) {
    // Some begin in the same millisecond.
    if (i % 3 !== 0) world.now += 1_000;
    started.push(await world.start([`https://h${i}.test/`]));
  }
  expect(new Set(started.map(ledgerOf)).size).toBe(3);
  const whole = await ask<{ result: CrawlView[]; messages: string[] }>("/api/crawls");
  expect(whole.messages).toEqual([]);
  const order = whole.result.map(({ id, createdAt }) => `${createdAt} ${id}`);
  const times = whole.result.map(({ createdAt }) => createdAt);
  expect(times).toEqual(times.toSorted().reverse());
  const paged: string[] = [];
  for (let path: string | null = "/api/crawls?limit=2"; path !== null; ) {
    const page: { result: CrawlView[]; link: string | null } = await ask(path);
    paged.push(...page.result.map(({ id, createdAt }) => `${createdAt} ${id}`));
    path = page.link;
  }
  expect(paged).toEqual(order);
  expect(paged).toHaveLength(7);
  expect(new Set(started)).toEqual(new Set(whole.result.map(({ id }) => id)));
  const latest = await sendToLedgers(bindings, "/api/crawls/latest");
  expect(latest.headers.get("location")).toBe(`/api/crawls/${whole.result[0]?.id}`);
});

test("a crawl is found by its id and by its beginning in whichever ledger, and one of no ledger is not there", async () => {
  const world = new World(web, { bindings });
  const ids = await startThree(world);
  for (const id of ids) {
    for (const name of [id, id.slice(0, 8)]) {
      const found = await ask<{ result: CrawlView }>(`/api/crawls/${name}`);
      expect(found.result.id).toBe(id);
    }
    expect((await ask(`/api/crawls/${id}/records`)).status).toBe(200);
    expect((await ask(`/api/crawls/${id}/pause`, { method: "POST" })).status).toBe(200);
  }
  const unbound = `${ids[0]?.slice(0, 14)}8fff${ids[0]?.slice(18)}`;
  expect((await ask(`/api/crawls/${unbound}`)).status).toBe(404);
  expect((await ask(`/api/crawls/${unbound}/records`)).status).toBe(404);
});

test("versions and hits come from all ledgers", async () => {
  const text = (url: string): ReturnType<Web> => ({ links: [], title: `Crawlers at ${new URL(url).pathname}` });
  const world = new World(text, { bindings });
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) {
    world.now += 60_000;
    const id = await world.start(["https://same.test/"], { search: true });
    ids.push(id);
    await homeOf(world.deps, id).ledger.expectProgress(id, world.now);
  }
  expect(ids.map(ledgerOf).toSorted()).toEqual([0, 1, 2]);
  for (const id of ids) await world.runToEnd(id);
  const versions: string[] = [];
  for (let cursor = ""; ; ) {
    const path = `/api/versions?url=https://same.test/&limit=2&cursor=${cursor}`;
    const { result } = await ask<{ result: VersionsView }>(path);
    versions.push(...result.versions.map(({ crawl }) => crawl));
    if (result.cursor === null) break;
    cursor = result.cursor;
  }
  expect(versions.toSorted()).toEqual(ids.toSorted());
  const { result } = await ask<{ result: SearchView }>("/api/search?q=crawlers");
  // Each URL is found once, in the newest crawl.
  expect(result.hits.map(({ crawl, url }) => [crawl, url])).toEqual([[versions[0], "https://same.test/"]]);
});

test("a full ledger gets no new crawl, and if all are full there is none", async () => {
  const world = new World(web, { bindings });
  const limits = { full: new Set([0]) };
  const withLimits = (deps: Deps): Deps => ({
    ...deps,
    databaseLimit: async (bytes) => ({
      limitBytes: limits.full.has(deps.ledgerNumber) ? bytes : 10e9,
      diskFreeBytes: null,
    }),
  });
  for (const each of [0, 1, 2]) Object.assign(world.deps.ledgers.at(each), withLimits(world.deps.ledgers.at(each)));
  const ids = await Promise.all([1, 2, 3].map((i) => world.start([`https://h${i}.test/`])));
  expect(ids.map(ledgerOf)).not.toContain(0);
  limits.full = new Set([0, 1, 2]);
  await expect(world.start(["https://last.test/"])).rejects.toThrow("crawls pause at 90%");
});

describe("a schedule", () => {
  const schedule = (world: World) => ({
    ...{ id: crypto.randomUUID(), cron: "0 * * * *", modifiedWithinS: 600, createdAt: world.now, nextAt: HOUR },
    options: { ...DEFAULT_OPTIONS, urls: ["https://a.test/"], userAgent: "Test/1", webhook: HOOK },
  });
  const HOOK: NewWebhook = {
    ...{
      id: "0b0e6f0e-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
      url: "https://receiver.test/",
      events: ["crawl.started", "crawl.completed"],
    },
    secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  };
  /** Fills the first ledger with crawls that are under way, so that the next one goes elsewhere. */
  const occupyFirst = async () => {
    for (let i = 0; i < 3; i++)
      await ledgers.LEDGER.prepare(
        "INSERT INTO crawls (id, status, options, hosts, created_at, updated_at, wake_at, page_limit, max_queued, dry_run, retention_days) VALUES (?1, 'paused', '{}', '[]', 1, 1, 1e15, 1, 1, 0, 0)",
      )
        .bind(`busy-${i}`)
        .run();
  };
  const started = async () => (await Promise.all([1, 2].map(crawlsIn))).flat();
  const told = async (crawl: string) =>
    databaseIn(ledgers, ledgerOf(crawl))
      .prepare("SELECT count(*) AS n FROM deliveries WHERE crawl = ?1 AND event = 'crawl.started'")
      .bind(crawl)
      .first("n");

  test("starts its crawl in another ledger once, by several heartbeats at once", async () => {
    await occupyFirst();
    const world = new World(web, { bindings });
    await world.deps.schedules.add(schedule(world));
    world.now = HOUR;
    const reports = await Promise.all([heartbeat(world.deps), heartbeat(world.deps), heartbeat(world.deps)]);
    const [id = "", ...others] = await started();
    expect(others).toEqual([]);
    expect(reports.flatMap((report) => report.started)).toContain(id);
    expect(await world.deps.schedules.list()).toMatchObject([{ lastCrawlId: id, nextAt: 2 * HOUR }]);
    expect(await told(id)).toBe(1);
    // It still runs at the next time.
    world.now = 2 * HOUR;
    await heartbeat(world.deps);
    expect(await started()).toEqual([id]);
    await world.runToEnd(id);
    world.now = 3 * HOUR;
    await heartbeat(world.deps);
    expect(await started()).toHaveLength(2);
  });

  test.each<[string, (deps: Deps) => void]>([
    [
      "before the crawl is made",
      (deps) => {
        deps.ledger.create = async () => {
          throw new Error("killed");
        };
      },
    ],
    [
      "after the crawl is made",
      (deps) => {
        const create = deps.ledger.create.bind(deps.ledger);
        deps.ledger.create = async (crawl) => {
          await create(crawl);
          throw new Error("killed");
        };
      },
    ],
  ])("that is killed %s makes it once", async (_, kill) => {
    await occupyFirst();
    const first = new World(web, { bindings });
    await first.deps.schedules.add(schedule(first));
    first.now = HOUR;
    for (const ledger of [1, 2]) kill(first.deps.ledgers.at(ledger));
    await heartbeat(first.deps);
    const [claimed] = await first.deps.schedules.list();
    const world = new World(web, { bindings });
    world.now = HOUR + 60_000;
    await heartbeat(world.deps);
    await heartbeat(world.deps);
    expect(await started()).toEqual([claimed?.lastCrawlId]);
    const id = claimed?.lastCrawlId ?? "";
    expect((await homeOf(world.deps, id).ledger.crawl(id))?.options.modifiedSince).toBe(HOUR / 1_000 - 600);
    expect(await told(id)).toBe(1);
    world.now += 10 * 60_000;
    await world.runToEnd(id);
    await expectCountersExact(id, databaseIn(ledgers, ledgerOf(id)));
    expect(await world.deps.schedules.due(world.now)).toEqual([]);
  });

  test("forgets its crawl when that is deleted, and is not given it again", async () => {
    await occupyFirst();
    const world = new World(web, { bindings });
    await world.deps.schedules.add(schedule(world));
    world.now = HOUR;
    await heartbeat(world.deps);
    const [id = ""] = await started();
    // As after a kill between the crawl and the note that it is made.
    await ledgers.LEDGER.prepare("UPDATE schedules SET starting = last_crawl_id").run();
    await deleteCrawl(id, true, homeOf(world.deps, id));
    expect(await world.deps.schedules.list()).toMatchObject([{ lastCrawlId: null }]);
    world.now += IN_FLIGHT_MS + 60_000;
    await heartbeat(world.deps);
    await heartbeat(world.deps);
    expect(await started()).toEqual([]);
  });
});

describe("a session for one crawl", () => {
  const session = { hosts: ["a.test"], headers: 0, cookies: 0, signedIn: "", temporary: true };
  const names = async () => {
    const { results } = await ledgers.LEDGER.prepare("SELECT name FROM sessions ORDER BY name").all<{ name: string }>();
    return results.map(({ name }) => name);
  };

  test("stays while a crawl of any ledger has it, and goes with its crawl", async () => {
    const world = new World(web, { bindings });
    for (const i of [0, 1, 2, 3]) await world.deps.sessions.bring({ ...session, name: `of-${i}` }, "{}", world.now);
    const ids: string[] = [];
    for (const i of [0, 1, 2]) ids.push(await world.start([`https://a.test/${i}`], { session: `of-${i}` }));
    expect(new Set(ids.map(ledgerOf)).size).toBeGreaterThan(1);
    world.now += 2 * 86_400_000;
    await world.deps.sessions.bring({ ...session, name: "new" }, "{}", world.now);
    expect(await names()).toEqual(["new", "of-0", "of-1", "of-2"]);
    expect((await world.deps.sessions.usersOf("of-1", 10)).crawls).toEqual([ids[1]]);
    for (const id of ids) await deleteCrawl(id, true, homeOf(world.deps, id));
    world.now += IN_FLIGHT_MS + 60_000;
    for (let beats = 0; beats < 3; beats++) await heartbeat(world.deps);
    expect(await names()).toEqual(["new"]);
  });

  test("stays while a ledger cannot say", async () => {
    const world = new World(web, { bindings });
    await world.deps.sessions.bring({ ...session, name: "old" }, "{}", 1);
    outage.now = "fails";
    await world.deps.sessions.bring({ ...session, name: "new" }, "{}", 3 * 86_400_000);
    expect(await names()).toEqual(["new", "old"]);
  });
});

test("notices of a crawl in another ledger are sent, by hints that name it", async () => {
  const world = new World(web, { bindings });
  const hints: NoticeHint[] = [];
  const bodies: string[] = [];
  for (const ledger of [0, 1, 2])
    Object.assign(world.deps.ledgers.at(ledger), {
      notices: {
        sendBatch: async (messages: Iterable<MessageSendRequest<NoticeHint>>) =>
          void hints.push(...[...messages].map(({ body }) => body)),
      },
      postNotice: async ({ body }: { body: string }) => {
        bodies.push(body);
        return { status: 204, retryAfterMs: null, detail: null };
      },
    });
  const webhook = (i: number): NewWebhook => ({
    ...{
      id: `0b0e6f0e-1a2b-4c3d-8e4f-5a6b7c8d9e0${i}`,
      url: "https://receiver.test/",
      events: ["crawl.started", "crawl.completed"],
    },
    secret: "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  });
  const ids: string[] = [];
  for (const i of [0, 1, 2]) ids.push(await world.start([`https://h${i}.test/`], { webhook: webhook(i) }));
  for (const id of ids) await world.runToEnd(id);
  await heartbeat(world.deps);
  const messages = hints.map((body) => ({ body })) as unknown as Message<NoticeHint>[];
  await deliverNotices({ messages }, world.deps);
  const told = bodies.map((body) => JSON.parse(body) as { type: string; data: { crawl: string } });
  for (const type of ["crawl.started", "crawl.completed"])
    expect(
      told
        .filter((each) => each.type === type)
        .map(({ data }) => data.crawl)
        .toSorted(),
    ).toEqual(ids.toSorted());
});

test("an archive has one crawl, in whichever ledger", async () => {
  const world = new World(web, { bindings });
  const order = { archive: crypto.randomUUID(), name: "site.warc.gz", urls: ["https://a.test/"], answers: 1 };
  const installation = { userAgent: "Test/1", documents: [], maxCostUsd: 0 };
  for (let i = 0; i < 2; i++) await world.start([`https://h${i}.test/`]);
  const first = await startImport(order, installation, world.deps);
  for (let i = 2; i < 6; i++) await world.start([`https://h${i}.test/`]);
  const again = await startImport(order, installation, world.deps);
  expect(again?.id).toBe(first?.id);
  expect(first).not.toBeNull();
});

test("a crawl of an earlier version goes on, and a ledger that is added later is used", async () => {
  const before = new World(web, { bindings: { ...bindings, LEDGER_1: undefined, LEDGER_2: undefined } as never });
  const old = await before.start(["https://old.test/"]);
  expect(ledgerOf(old)).toBe(0);
  await before.turn();
  const world = new World(web, { bindings });
  world.now = before.now + 10 * 60_000;
  const fresh = await startCrawl(
    { ...DEFAULT_OPTIONS, urls: ["https://new.test/"], userAgent: "Test/1", source: "links" },
    world.deps,
  );
  expect(ledgerOf(fresh ?? "")).not.toBe(0);
  await world.runToEnd(old);
  await world.runToEnd(fresh ?? "");
  await expectCountersExact(old, ledgers.LEDGER);
  expect((await world.deps.ledger.crawl(old))?.counters.completed).toBe(PAGES + 1);
});
