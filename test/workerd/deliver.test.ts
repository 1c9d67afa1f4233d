import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import { deliver } from "../../src/frontier/batch/deliver.ts";
import type { FrontierMessage } from "../../src/frontier/batch/message.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { STALL_AFTER_MS } from "../../src/store/ledger/ledger.ts";
import { World } from "./world.ts";

/** Messages that the consumer does not know, and batches that fail. */

const SEED = "https://a.test/";

function batchOf(bodies: unknown[]) {
  const retried: { body: unknown; delaySeconds: number | undefined }[] = [];
  const messages = bodies.map((body) => ({
    body: body as FrontierMessage,
    attempts: 1,
    retry: (options?: { delaySeconds?: number }) => void retried.push({ body, delaySeconds: options?.delaySeconds }),
  }));
  return { retried, batch: { messages } as unknown as MessageBatch<FrontierMessage> };
}

const UNKNOWN_MESSAGES: [string, unknown][] = [
  ["of a later version", { v: 4, crawl: "c", urls: [SEED], epoch: 1, lane: "x" }],
  ["without a version", { crawl: "c", url: SEED, epoch: 1 }],
  ["without a crawl", { v: 2, urls: [SEED], epoch: 1 }],
  ["without URLs", { v: 2, crawl: "c", epoch: 1, urls: [SEED, 1] }],
  ["that is no object", "hello"],
  ["that is null", null],
];

test.each(UNKNOWN_MESSAGES)(
  "a message %s is retried, and the other messages of its batch are processed",
  async (_, body) => {
    const world = new World(() => ({ links: [] }));
    const crawl = await world.start([SEED]);
    const { retried, batch } = batchOf([body, { v: 2, crawl, urls: [SEED], epoch: 1 }]);
    await deliver(batch, "frontier", world.deps, "all");
    expect(retried).toEqual([{ body, delaySeconds: 60 }]);
    expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(1);
  },
);

test("a message of version 1, sent before a deployment, is processed", async () => {
  const world = new World(() => ({ links: [] }));
  const crawl = await world.start([SEED]);
  await deliver(batchOf([{ v: 1, crawl, url: SEED, epoch: 1 }]).batch, "frontier", world.deps, "all");
  expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(1);
});

test("a message that stays unknown is dropped, and the heartbeat sends its URL again", async () => {
  const world = new World(() => ({ links: [] }), { copies: () => 0 });
  const crawl = await world.start([SEED]);
  const { retried, batch } = batchOf([{ v: 4, crawl, urls: [SEED], epoch: 1 }]);
  await deliver(batch, "deadLetter", world.deps, "all");
  expect(retried).toEqual([]);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({ queued: 1, errored: 0 });
  world.now += STALL_AFTER_MS;
  expect((await heartbeat(world.deps)).repaired).toEqual([crawl]);
});

test("a crawl shows why its batch failed, without internal details", async () => {
  const world = new World(() => ({ links: [] }), {
    beforeCommit: () => {
      throw new Error("D1_ERROR: no such table LEDGER at /secret/path.ts:12");
    },
  });
  const crawl = await world.start([SEED]);
  const { batch } = batchOf([{ v: 2, crawl, urls: [SEED], epoch: 1 }]);
  await deliver(batch, "frontier", world.deps, "all");
  expect((await world.deps.ledger.crawl(crawl))?.lastFailure).toEqual({
    what: "the ledger could not be written",
    at: world.now,
  });
});

test("a crawl shows that its batch could not read the ledger", async () => {
  const world = new World(() => ({ links: [] }));
  const crawl = await world.start([SEED]);
  world.deps.ledger.admission = () => Promise.reject(new Error("D1 is away"));
  await deliver(batchOf([{ v: 2, crawl, urls: [SEED], epoch: 1 }]).batch, "frontier", world.deps, "all");
  expect((await world.deps.ledger.crawl(crawl))?.lastFailure?.what).toBe(
    "the ledger or a host's gate could not be asked",
  );
  expect(world.inMotion).toBe(2);
});

test("the record of a dead-lettered URL shows why its batch failed", async () => {
  let broken = true;
  const world = new World(() => ({ links: [] }), {
    beforeCommit: () => {
      if (broken) throw new Error("away");
    },
  });
  const crawl = await world.start([SEED]);
  const body = { v: 2, crawl, urls: [SEED], epoch: 1 };
  await deliver(batchOf([body]).batch, "frontier", world.deps, "all");
  broken = false;
  await deliver(batchOf([body]).batch, "deadLetter", world.deps, "all");
  expect(await world.deps.records.get(crawl, SEED)).toMatchObject({
    status: "errored",
    reason: "dead-letter",
    detail: expect.stringContaining("at last because the ledger could not be written"),
  });
});

test("a heartbeat stores its report", async () => {
  const world = new World(() => ({ links: [] }));
  await env.LEDGER.prepare("DELETE FROM heartbeats").run();
  await heartbeat(world.deps);
  const last = await world.deps.heartbeats.last();
  expect(last).toEqual({
    at: new Date(world.now).toISOString(),
    report: {
      ...{
        repaired: [],
        resumed: [],
        expired: [],
        started: [],
        skipped: [],
        due: 0,
        lookedAgain: [],
        lost: 0,
        visits: 0,
        readings: 0,
      },
      ...{ forgotten: { changes: 0, versions: 0, packs: 0 }, outdated: [], deleted: [], failed: [] },
      ...{ analyzed: [], extracted: [], mended: [], templates: [] },
      room: {
        bytes: expect.any(Number),
        limitBytes: 10_000_000_000,
        diskFreeBytes: null,
        level: "room",
        paused: [],
      },
    },
  });
});
