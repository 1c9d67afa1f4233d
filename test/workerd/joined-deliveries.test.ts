import { beforeEach, describe, expect, test } from "vitest";
import type { Crawl } from "../../src/crawl/crawl.ts";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { Parcels } from "../../src/crawl/shards/parcels.ts";
import { ledgerOfUrl, partIn } from "../../src/crawl/shards/shards.ts";
import { deliver } from "../../src/frontier/batch/deliver.ts";
import { type FrontierMessage, leftIn } from "../../src/frontier/batch/message.ts";
import type { Deps } from "../../src/frontier/deps.ts";
import { homeOf } from "../../src/frontier/ledgers.ts";
import { deliverLeft, LEFT_WAIT_MS } from "../../src/frontier/shards/deliver-left.ts";
import { tellParts } from "../../src/frontier/shards/tell-parts.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { pauseByUser } from "../../src/lifecycle/stop.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { discovered } from "./rows.ts";
import {
  bindingsOf,
  databaseIn,
  failing,
  openThreeLedgers,
  type ThreeLedgers,
  withoutPatience,
} from "./several-ledgers.ts";
import { World } from "./world.ts";

/**
 * What parts of a crawl find for each other is delivered together: by a message, by a part that is idle, by the
 * heartbeat.
 */

const LEDGERS = [0, 1, 2];
/** A host of each ledger. */
const HOSTS = LEDGERS.map((ledger) => {
  for (let i = 0; ; i++) if (ledgerOfUrl(`https://h${i}.test/`, { ledgers: LEDGERS }) === ledger) return `h${i}.test`;
});
const urlIn = (ledger: number, page: number | string) => `https://${HOSTS[ledger]}/${page}`;

let ledgers: ThreeLedgers;
let world: World;
let sent: MessageSendRequest<FrontierMessage>[];
let takes: number[];

beforeEach(async () => {
  ledgers = await openThreeLedgers();
  world = new World(() => ({ links: [] }), { bindings: bindingsOf(ledgers) });
  sent = [];
  takes = [];
  const { frontier } = world.deps;
  const send = frontier.sendBatch.bind(frontier);
  frontier.sendBatch = async (messages) => {
    const all = [...messages];
    sent.push(...all.filter(({ body }) => leftIn(body) !== null));
    return send(all.filter(({ body }) => leftIn(body) === null));
  };
  for (const ledger of LEDGERS) {
    const { shardParts } = homeOf(world.deps, partIn(ledger, crypto.randomUUID()));
    const take = shardParts.take.bind(shardParts);
    shardParts.take = async (...asked) => {
      takes.push(ledger);
      return take(...asked);
    };
  }
});

/** A crawl with a seed in each ledger, which no batch has taken yet; and its part in ledger 0. */
async function start(changes: Partial<CrawlOptions> = {}, seeds = LEDGERS.map((ledger) => urlIn(ledger, "seed"))) {
  const home = await world.start(seeds, { includeExternalLinks: true, shards: 3, ...changes });
  const part = partIn(0, home);
  const deps = homeOf(world.deps, part);
  return { home, part, deps, crawl: async () => (await deps.ledger.crawl(part)) as Crawl };
}

const forOthers = (urls: Record<number, string[]>): Parcels =>
  Object.fromEntries(
    Object.entries(urls).map(([ledger, all]) => {
      return [ledger, { discoveries: all.map((url) => discovered(url)), sitemaps: [], hosts: [] }];
    }),
  );

/** A commit of the part that finds this for others. */
async function leave({ part, deps, crawl }: Awaited<ReturnType<typeof start>>, parcels: Parcels): Promise<void> {
  const moved = await deps.ledger.commit([{ ...emptyCommit(part), forOthers: parcels }], world.now);
  await tellParts(moved, await crawl(), deps);
}

async function urlsIn(ledger: number): Promise<string[]> {
  const { results } = await databaseIn(ledgers, ledger)
    .prepare("SELECT url FROM urls ORDER BY url")
    .all<{ url: string }>();
  return results.map(({ url }) => url).filter((url) => !url.endsWith("/seed"));
}

async function idsIn(ledger: number): Promise<number[]> {
  const { results } = await databaseIn(ledgers, ledger)
    .prepare("SELECT id FROM shard_outbox ORDER BY id")
    .all<{ id: number }>();
  return results.map(({ id }) => id);
}

/** Has the queue deliver a message that was sent. */
async function arrive(message: MessageSendRequest<FrontierMessage> | undefined, deps: Deps = world.deps) {
  const answers: string[] = [];
  const body = message?.body;
  const messages = [{ body, attempts: 1, ack: () => answers.push("ack"), retry: () => answers.push("retry") }];
  await deliver({ messages } as unknown as MessageBatch<FrontierMessage>, "frontier", deps, "all");
  return answers;
}

async function expectExact(home: string): Promise<void> {
  for (const ledger of LEDGERS) await expectCountersExact(partIn(ledger, home), databaseIn(ledgers, ledger));
}

describe("lists of a part that has other things to do", () => {
  test("wait for each other: one message, one transaction of each part that takes them", async () => {
    const one = await start();
    for (const page of [1, 2, 3, 4, 5])
      await leave(one, forOthers({ 1: [urlIn(1, page), urlIn(1, 1)], 2: [urlIn(2, page)] }));
    expect(takes).toEqual([]);
    expect(sent).toEqual([
      {
        body: { v: 4, crawl: one.part, epoch: 0, urls: [], left: (await idsIn(0))[0] },
        delaySeconds: LEFT_WAIT_MS / 1_000,
      },
    ]);
    expect(await arrive(sent[0])).toEqual([]);
    expect(takes.toSorted()).toEqual([1, 2]);
    for (const ledger of [1, 2])
      expect(await urlsIn(ledger)).toEqual([1, 2, 3, 4, 5].map((page) => urlIn(ledger, page)));
    expect(await idsIn(0)).toEqual([]);
    expect(sent).toHaveLength(1);
    // The next list is the first one again, and the message comes once more.
    await leave(one, forOthers({ 1: [urlIn(1, 6)] }));
    expect(sent).toHaveLength(2);
    await arrive(sent[0]);
    expect(takes).toHaveLength(2);
    await arrive(sent[1]);
    expect(await urlsIn(1)).toContain(urlIn(1, 6));
    await expectExact(one.home);
  });

  test("are delivered by whoever leaves the fiftieth, and then the message finds nothing", async () => {
    const one = await start();
    for (let page = 1; page <= 49; page++) await leave(one, forOthers({ 1: [urlIn(1, page)] }));
    expect(takes).toEqual([]);
    await leave(one, forOthers({ 2: [urlIn(2, 50)] }));
    expect(takes.toSorted()).toEqual([1, 2]);
    expect(await urlsIn(1)).toHaveLength(49);
    expect(await idsIn(0)).toEqual([]);
    await arrive(sent[0]);
    expect(takes).toHaveLength(2);
    expect(sent).toHaveLength(1);
  });

  test("that come during a delivery get a message of their own", async () => {
    const one = await start();
    await leave(one, forOthers({ 1: [urlIn(1, 1)] }));
    const { shardParts } = homeOf(world.deps, partIn(1, one.home));
    const take = shardParts.take.bind(shardParts);
    shardParts.take = async (...asked) => {
      shardParts.take = take;
      await leave(one, forOthers({ 2: [urlIn(2, 2)] }));
      return take(...asked);
    };
    await arrive(sent[0]);
    const ids = await idsIn(0);
    expect(ids).toHaveLength(1);
    expect(sent.map(({ body }) => body.left).at(-1)).toBe(ids[0]);
    expect(sent).toHaveLength(2);
    await arrive(sent[1]);
    expect(await urlsIn(2)).toEqual([urlIn(2, 2)]);
  });

  test("that are many come in portions, and a message without a delay asks for the rest", async () => {
    const one = await start();
    const db = databaseIn(ledgers, 0);
    const rows = Array.from({ length: 450 }, (_, i) =>
      db
        .prepare("INSERT INTO shard_outbox (crawl, body) VALUES (?1, ?2)")
        .bind(one.part, JSON.stringify(forOthers({ 1: [urlIn(1, i)] }))),
    );
    await db.batch(rows);
    await deliverLeft(one.part, one.deps);
    expect(takes).toEqual([1, 1, 1, 1]);
    expect(sent.map(({ delaySeconds }) => delaySeconds)).toEqual([0]);
    await arrive(sent[0]);
    expect(await urlsIn(1)).toHaveLength(450);
    expect(sent).toHaveLength(1);
    // Long texts end a portion, too.
    const long = "x".repeat(1_000);
    for (let i = 0; i < 4; i++)
      await leave(one, forOthers({ 2: Array.from({ length: 100 }, (_, n) => urlIn(2, `${i}-${n}-${long}`)) }));
    takes.length = 0;
    await arrive(sent[1]);
    expect(takes).toEqual([2, 2]);
    expect(await urlsIn(2)).toHaveLength(400);
    await expectExact(one.home);
  });
});

test("a part that has nothing else to do delivers at once, and the crawl ends without a heartbeat", async () => {
  const seed = "https://h0.test/";
  const [other = 0] = LEDGERS.filter((ledger) => ledger !== ledgerOfUrl(seed, { ledgers: LEDGERS }));
  world = new World((url) => ({ links: url === seed ? [urlIn(other, 1)] : [] }), { bindings: bindingsOf(ledgers) });
  const id = await world.start([seed], { includeExternalLinks: true, shards: 3 });
  const startedAt = world.now;
  await world.runToEnd(id);
  expect(world.fetched).toEqual([seed, urlIn(other, 1)]);
  expect(world.now - startedAt).toBeLessThan(LEFT_WAIT_MS);
  expect((await homeOf(world.deps, id).ledger.crawl(id))?.status).toBe("completed");
});

test("the first list of a part with all the seeds does not wait: the others have nothing to do yet", async () => {
  const one = await start({}, [urlIn(0, "seed"), urlIn(0, "2/seed")]);
  await leave(one, forOthers({ 1: [urlIn(1, 1)], 2: [urlIn(2, 1)] }));
  expect(takes.toSorted()).toEqual([1, 2]);
  expect(sent).toEqual([]);
  await leave(one, forOthers({ 1: [urlIn(1, 2)] }));
  expect(takes).toHaveLength(2);
  expect(sent).toHaveLength(1);
});

describe("what is lost or comes twice", () => {
  test("a message that is lost: the heartbeat delivers, and rows of an earlier version, too", async () => {
    const one = await start();
    await leave(one, forOthers({ 1: [urlIn(1, 1)] }));
    await databaseIn(ledgers, 0)
      .prepare("INSERT INTO shard_outbox (id, crawl, body) VALUES (1, ?1, ?2)")
      .bind(one.part, JSON.stringify(forOthers({ 1: [urlIn(1, 2)] })))
      .run();
    sent.length = 0;
    await heartbeat(one.deps);
    expect(takes).toEqual([1]);
    expect(await urlsIn(1)).toEqual([urlIn(1, 1), urlIn(1, 2)]);
    expect(await idsIn(0)).toEqual([]);
    expect(sent).toEqual([]);
  });

  test("two deliveries at once take each URL once, and both messages that follow end as one", async () => {
    const one = await start({ depth: 3 });
    for (const page of [1, 2]) await leave(one, forOthers({ 1: [urlIn(1, page)], 2: [urlIn(2, page)] }));
    const { shardOutbox } = one.deps;
    const remove = shardOutbox.remove.bind(shardOutbox);
    let isLeft = false;
    shardOutbox.remove = async (...asked) => {
      if (!isLeft) {
        isLeft = true;
        await leave(one, forOthers({ 1: [urlIn(1, 3)] }));
      }
      return remove(...asked);
    };
    await Promise.all([arrive(sent[0]), arrive(sent[0])]);
    expect(takes).toHaveLength(4);
    const follow = sent.slice(1);
    expect(new Set(follow.map(({ body }) => body.left)).size).toBe(1);
    for (const message of follow) await arrive(message);
    expect(takes).toHaveLength(5);
    for (const ledger of [1, 2]) expect(await urlsIn(ledger)).toHaveLength(ledger === 1 ? 3 : 2);
    expect(await idsIn(0)).toEqual([]);
    await expectExact(one.home);
  });

  test("whoever removes rows late removes none that was left since", async () => {
    const one = await start();
    const { shardOutbox } = one.deps;
    await leave(one, forOthers({ 1: [urlIn(1, 1)] }));
    const ids = await idsIn(0);
    await shardOutbox.remove(one.part, ids, null);
    await leave(one, forOthers({ 1: [urlIn(1, 2)] }));
    await shardOutbox.remove(one.part, ids, null);
    await shardOutbox.remove(one.part, ids, forOthers({ 1: [urlIn(1, 1)] }));
    const left = await shardOutbox.next(one.part, Number.MIN_SAFE_INTEGER);
    expect(left?.rows.map(({ parcels }) => parcels)).toEqual([forOthers({ 1: [urlIn(1, 2)] })]);
  });

  test("a message of an unknown version is retried, and one that old code sent is read", async () => {
    const one = await start();
    const body = { v: 5, crawl: one.part, epoch: 0, urls: [], left: 1 } as unknown as FrontierMessage;
    expect(await arrive({ body })).toEqual(["retry"]);
    expect(await arrive({ body: { v: 2, crawl: one.part, epoch: 1, urls: [] } })).toEqual([]);
  });
});

describe("a ledger that does not take its list", () => {
  test.each(["fails", "is silent"])(
    "%s: it holds up no other, and the heartbeat delivers when it is back",
    async (how) => {
      const one = await start();
      const never = () => new Promise(() => undefined);
      const fail = () => {
        throw new Error("down");
      };
      const { mend } = failing(world, "take", Number.POSITIVE_INFINITY, how === "fails" ? fail : never, [1]);
      const spy = withoutPatience(20);
      for (const page of [1, 2]) await leave(one, forOthers({ 1: [urlIn(1, page)], 2: [urlIn(2, page)] }));
      await arrive(sent[0]);
      expect(await urlsIn(2)).toEqual([urlIn(2, 1), urlIn(2, 2)]);
      // One row is left, for the ledger that failed alone.
      const parked = await one.deps.shardOutbox.next(one.part, Number.MIN_SAFE_INTEGER);
      expect(parked?.rows.map(({ parcels }) => parcels)).toEqual([forOthers({ 1: [urlIn(1, 1), urlIn(1, 2)] })]);
      expect(sent).toHaveLength(1);
      // It counts as no row that waits: the next list has a message, and comes in time.
      await leave(one, forOthers({ 1: [urlIn(1, 3)], 2: [urlIn(2, 3)] }));
      expect(sent).toHaveLength(2);
      await arrive(sent[1]);
      expect(await urlsIn(2)).toHaveLength(3);
      await heartbeat(one.deps);
      expect(await idsIn(0)).toHaveLength(2);
      expect((await one.deps.shardParts.state(one.part))?.hasLeft).toBe(true);
      spy.mockRestore();
      mend();
      await heartbeat(one.deps);
      expect(await urlsIn(1)).toEqual([1, 2, 3].map((page) => urlIn(1, page)));
      expect(await idsIn(0)).toEqual([]);
      await expectExact(one.home);
    },
  );

  test("of two that park the same rows, one does", async () => {
    const one = await start();
    await leave(one, forOthers({ 1: [urlIn(1, 1)], 2: [urlIn(2, 1)] }));
    const { mend } = failing(world, "take", Number.POSITIVE_INFINITY, undefined, [1]);
    await Promise.all([deliverLeft(one.part, one.deps), deliverLeft(one.part, one.deps)]);
    mend();
    expect(await idsIn(0)).toEqual([expect.any(Number)]);
    await heartbeat(one.deps);
    expect(await urlsIn(1)).toEqual([urlIn(1, 1)]);
    expect(await idsIn(0)).toEqual([]);
  });
});

test("a paused crawl gives and takes, and begins nothing", async () => {
  const one = await start();
  await leave(one, forOthers({ 1: [urlIn(1, 1)] }));
  await pauseByUser((await homeOf(world.deps, one.home).ledger.crawl(one.home)) as Crawl, homeOf(world.deps, one.home));
  await arrive(sent[0]);
  expect(await urlsIn(1)).toEqual([urlIn(1, 1)]);
  expect(await idsIn(0)).toEqual([]);
  await expectExact(one.home);
});

test("a delivery after which all parts are idle ends the crawl", async () => {
  const one = await start();
  const { shardOutbox } = one.deps;
  const { next } = shardOutbox;
  await leave(one, forOthers({ 1: [urlIn(1, "seed")] }));
  // The part that becomes idle fails to deliver.
  shardOutbox.next = async () => {
    throw new Error("killed");
  };
  while (world.inMotion > 0) await world.turn();
  shardOutbox.next = next;
  const states = await Promise.all(
    LEDGERS.map((ledger) => homeOf(world.deps, partIn(ledger, one.home)).shardParts.state(partIn(ledger, one.home))),
  );
  expect(states.map((state) => [state?.status, state?.openUrls])).toEqual(LEDGERS.map(() => ["running", 0]));
  await arrive(sent[0]);
  for (const ledger of LEDGERS) {
    const part = partIn(ledger, one.home);
    expect((await homeOf(world.deps, part).ledger.crawl(part))?.status).toBe("completed");
  }
});
