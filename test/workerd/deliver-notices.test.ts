import { env } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Delivery } from "../../src/crawl/watch/notice.ts";
import type { NoticeAnswer, NoticeRequest } from "../../src/fetch/request/post-notice.ts";
import type { NoticeHint } from "../../src/frontier/visits/notice-hint.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { deliverNotices, deliverTo } from "../../src/notices/deliver-notices.ts";
import { firecrawlSignature, makeSecret } from "../../src/notices/notice-signature.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World } from "./world.ts";

/** From the outbox to a receiver: signatures, retries, leases, and receivers that are gone. */

useModelLedger();

const RECEIVER = "https://receiver.test";
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

beforeEach(async () => {
  await env.LEDGER.batch(
    ["crawls", "urls", "webhooks", "deliveries"].map((table) => env.LEDGER.prepare(`DELETE FROM ${table}`)),
  );
});

const answer = (status: number, changes: Partial<NoticeAnswer> = {}): NoticeAnswer => ({
  status,
  retryAfterMs: null,
  detail: status < 300 ? null : `it answered ${status}`,
  ...changes,
});

/** A world with one crawl, its webhook, and a receiver that answers as told. */
class Post {
  readonly world = new World(() => ({ links: [] }));
  readonly secret = makeSecret();
  readonly webhook = crypto.randomUUID();
  readonly sent: NoticeRequest[] = [];
  readonly hints: { receiver: string; delaySeconds: number | undefined }[] = [];
  receiver: (request: NoticeRequest) => NoticeAnswer | Promise<NoticeAnswer> = () => answer(204);
  crawl = "";

  constructor() {
    const { deps } = this.world;
    deps.postNotice = async (request) => {
      this.sent.push(request);
      return this.receiver(request);
    };
    deps.notices = {
      sendBatch: async (messages: MessageSendRequest<NoticeHint>[]) => {
        for (const { body, delaySeconds } of messages) this.hints.push({ receiver: body.receiver, delaySeconds });
      },
    } as unknown as Queue<NoticeHint>;
    deps.random = () => 0;
  }

  async start(url = `${RECEIVER}/hook`): Promise<this> {
    const webhook = { id: this.webhook, url, events: null, secret: this.secret };
    this.crawl = await this.world.start(["https://a.test/"], { webhook });
    return this;
  }

  async test(): Promise<string> {
    this.world.now += 1;
    return this.world.deps.deliveries.addTest(this.crawl, this.webhook, this.world.now);
  }

  deliver(receiver = RECEIVER): Promise<void> {
    return deliverTo(receiver, this.world.deps);
  }

  list(): Promise<Delivery[]> {
    return this.world.deps.deliveries.list(this.crawl, 1_000, "", this.world.now);
  }
}

test("a notice is signed, and is delivered once", async () => {
  const post = await new Post().start();
  await post.world.runToEnd(post.crawl);
  await post.deliver();
  await post.deliver();
  expect(post.sent).toHaveLength(1);
  const [{ url, headers, body } = { url: "", headers: {}, body: "" }] = post.sent;
  expect(url).toBe(`${RECEIVER}/hook`);
  expect(headers["content-type"]).toBe("application/json");
  expect(new Webhook(post.secret).verify(body, headers)).toMatchObject({
    type: "crawl.completed",
    data: { crawl: post.crawl },
  });
  const [delivery] = await post.list();
  expect(delivery).toMatchObject({ id: headers["webhook-id"], status: "delivered", attempts: 1, httpStatus: 204 });
});

test("a notice that fails is sent again, with the same id and body, on the schedule, for three days", async () => {
  const post = await new Post().start();
  post.receiver = () => answer(500);
  const id = await post.test();
  const times: number[] = [];
  for (const started = post.world.now; post.world.now - started < 4 * DAY; ) {
    const before = post.sent.length;
    await post.deliver();
    if (post.sent.length > before) times.push(Math.round((post.world.now - started) / MINUTE));
    const [delivery] = await post.list();
    if (delivery?.status === "given-up") break;
    post.world.now = delivery?.dueAt ?? 0;
  }
  expect(times).toEqual([0, 0, 5, 35, 155, 455, 1_055, 1_895, 3_095, 4_295]);
  expect(new Set(post.sent.map(({ headers, body }) => headers["webhook-id"] + body)).size).toBe(1);
  expect(await post.list()).toMatchObject([{ id, status: "given-up", attempts: 10, detail: "it answered 500" }]);
});

test("a retry that is due before the next heartbeat has a hint of its own, and later ones come by the heartbeat", async () => {
  const post = await new Post().start();
  post.receiver = () => answer(503);
  await post.test();
  await post.deliver();
  expect(post.hints).toEqual([{ receiver: RECEIVER, delaySeconds: 5 }]);
  post.hints.length = 0;
  post.world.now += 5_000;
  await post.deliver();
  await heartbeat(post.world.deps);
  expect(post.hints).toEqual([]);
  post.world.now += 4 * MINUTE;
  await heartbeat(post.world.deps);
  expect(post.hints).toEqual([{ receiver: RECEIVER, delaySeconds: 60 }]);
});

test("Retry-After is obeyed", async () => {
  const post = await new Post().start();
  post.receiver = () => answer(429, { retryAfterMs: 2 * HOUR });
  await post.test();
  await post.deliver();
  expect((await post.list())[0]?.dueAt).toBe(post.world.now + 2 * HOUR);
});

test("no receiver gets more than five notices at once, whoever sends them", async () => {
  const post = await new Post().start();
  for (let i = 0; i < 40; i++) await post.test();
  let [open, most] = [0, 0];
  post.receiver = async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setTimeout(resolve, 1));
    open -= 1;
    return answer(204);
  };
  await Promise.all([post.deliver(), post.deliver(), post.deliver()]);
  expect(most).toBe(5);
  expect((await post.list()).every(({ status }) => status === "delivered")).toBe(true);
  expect(new Set(post.sent.map(({ headers }) => headers["webhook-id"])).size).toBe(40);
  expect(post.sent).toHaveLength(40);
});

test("a receiver that hangs delays no other", async () => {
  const post = await new Post().start();
  await post.test();
  const other = { id: crypto.randomUUID(), url: "https://other.test/", events: null, secret: makeSecret() };
  await post.world.deps.webhooks.add(post.crawl, other, post.world.now);
  await post.world.deps.deliveries.addTest(post.crawl, other.id, post.world.now);
  const hanging = Promise.withResolvers<void>();
  post.receiver = async ({ url }) => {
    if (url.startsWith(RECEIVER)) await hanging.promise;
    return answer(204);
  };
  const stuck = post.deliver();
  await deliverTo("https://other.test", post.world.deps);
  const statuses = async () => new Map((await post.list()).map(({ webhook, status }) => [webhook, status]));
  expect(await statuses()).toEqual(
    new Map([
      [post.webhook, "sending"],
      [other.id, "delivered"],
    ]),
  );
  hanging.resolve();
  await stuck;
  expect((await statuses()).get(post.webhook)).toBe("delivered");
});

test("a sender that dies loses nothing: its notices are sent again after the lease, with the same ids", async () => {
  const post = await new Post().start();
  const id = await post.test();
  post.receiver = () => {
    throw new Error("killed");
  };
  await expect(post.deliver()).rejects.toThrow("killed");
  post.receiver = () => answer(204);
  await post.deliver();
  expect(post.sent).toHaveLength(1);
  post.world.now += MINUTE;
  await post.deliver();
  expect(post.sent.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
  expect((await post.list())[0]).toMatchObject({ status: "delivered", attempts: 2 });
});

test("a late answer does not overwrite what a later attempt settled", async () => {
  const post = await new Post().start();
  await post.test();
  const { deliveries } = post.world.deps;
  const [early] = await deliveries.claim(RECEIVER, 5, MINUTE, post.world.now);
  post.world.now += MINUTE;
  await post.deliver();
  if (early === undefined) throw new Error("nothing was claimed");
  await deliveries.settle([{ claimed: early, end: "given-up", httpStatus: 500, detail: "late" }], post.world.now);
  expect((await post.list())[0]).toMatchObject({ status: "delivered", detail: null });
});

test("a machine that slept for a month sends once more, and then gives up", async () => {
  const post = await new Post().start();
  post.receiver = () => answer(500);
  await post.test();
  await post.deliver();
  post.world.now += 30 * DAY;
  await post.deliver();
  expect(post.sent).toHaveLength(2);
  expect((await post.list())[0]).toMatchObject({ status: "given-up", attempts: 2 });
});

describe("a receiver that answers 410", () => {
  async function gone(): Promise<Post> {
    const post = await new Post().start();
    await post.test();
    post.receiver = () => answer(500);
    await post.deliver();
    post.receiver = () => answer(410);
    await post.test();
    await post.deliver();
    return post;
  }

  test("disables its webhook, and what waits for it is given up", async () => {
    const post = await gone();
    expect(await post.world.deps.webhooks.list(post.crawl)).toMatchObject([
      { disabledAt: post.world.now, disabledWhy: "it answered 410" },
    ]);
    expect((await post.list()).map(({ status }) => status)).toEqual(["given-up", "given-up"]);
  });

  test("gets notices again after a test notice succeeds", async () => {
    const post = await gone();
    post.receiver = () => answer(200);
    await post.test();
    await post.deliver();
    expect(await post.world.deps.webhooks.list(post.crawl)).toMatchObject([{ disabledAt: null, disabledWhy: null }]);
    await post.world.runToEnd(post.crawl);
    await post.deliver();
    expect((await post.list())[0]).toMatchObject({ event: "crawl.completed", status: "delivered" });
  });
});

test("a redelivery keeps the id and the body, and has all attempts", async () => {
  const post = await new Post().start();
  const id = await post.test();
  post.receiver = () => answer(410);
  await post.deliver();
  post.receiver = () => answer(200);
  await post.world.deps.deliveries.redeliver(post.crawl, id, post.world.now);
  expect([...post.world.deps.told]).toEqual([RECEIVER]);
  await post.deliver();
  const [first, second] = post.sent;
  expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(second?.body).toBe(first?.body);
  expect(await post.list()).toMatchObject([{ id, status: "delivered", attempts: 1, detail: null }]);
});

test("a redelivery during an attempt changes nothing", async () => {
  const post = await new Post().start();
  const id = await post.test();
  const { deliveries } = post.world.deps;
  await deliveries.claim(RECEIVER, 5, MINUTE, post.world.now);
  await deliveries.redeliver(post.crawl, id, post.world.now);
  expect(await deliveries.claim(RECEIVER, 5, MINUTE, post.world.now)).toEqual([]);
});

test("a removed webhook gets nothing more", async () => {
  const post = await new Post().start();
  await post.test();
  await post.world.deps.webhooks.remove(post.crawl, post.webhook);
  await post.world.runToEnd(post.crawl);
  await post.deliver();
  expect([post.sent, await post.list()]).toEqual([[], []]);
});

test("the heartbeat removes deliveries thirty days after their end, and none that waits", async () => {
  const post = await new Post().start();
  await post.test();
  await post.deliver();
  post.receiver = () => answer(500);
  const waiting = await post.test();
  await post.deliver();
  post.world.now += 31 * DAY;
  await heartbeat(post.world.deps);
  expect((await post.list()).map(({ id }) => id)).toEqual([waiting]);
});

describe("a batch of hints", () => {
  const batchOf = (bodies: unknown[]) =>
    ({ messages: bodies.map((body) => ({ body })) }) as unknown as MessageBatch<NoticeHint>;

  test("is about each receiver once, and drops what it does not know", async () => {
    const post = await new Post().start();
    const receivers: string[] = [];
    const hint = { v: 1, receiver: RECEIVER };
    await deliverNotices(batchOf([hint, hint, { v: 2, receiver: "x" }]), post.world.deps, async (receiver) => {
      receivers.push(receiver);
    });
    expect(receivers).toEqual([RECEIVER]);
  });

  test("is acknowledged although it fails, because the heartbeat finds what is due", async () => {
    const post = await new Post().start();
    await post.test();
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    post.world.deps.deliveries.claim = () => Promise.reject(new Error("D1 is away"));
    await deliverNotices(batchOf([{ v: 1, receiver: RECEIVER }]), post.world.deps);
    expect(error).toHaveBeenCalled();
    error.mockRestore();
    await heartbeat(post.world.deps);
    expect(post.hints.at(-1)).toEqual({ receiver: RECEIVER, delaySeconds: 0 });
  });
});

test("a receiver with many notices leaves the others their turn at the heartbeat", async () => {
  const post = await new Post().start();
  for (let i = 0; i < 30; i++) await post.test();
  const other = { id: crypto.randomUUID(), url: "https://zzz.test/", events: null, secret: makeSecret() };
  await post.world.deps.webhooks.add(post.crawl, other, post.world.now);
  await post.world.deps.deliveries.addTest(post.crawl, other.id, post.world.now);
  await heartbeat(post.world.deps);
  expect(post.hints.map(({ receiver }) => receiver)).toEqual([RECEIVER, "https://zzz.test"]);
});

test("a webhook in Firecrawl's form gets its body, its headers and its signature", async () => {
  const post = new Post();
  const style = {
    job: "batch_scrape" as const,
    headers: { "x-mill": "water", "content-type": "text/plain" },
    metadata: { a: "b" },
  };
  const events = ["crawl.started" as const, "crawl.page" as const, "crawl.failed" as const];
  const webhook = { id: post.webhook, url: `${RECEIVER}/hook`, events, secret: post.secret, style };
  const { world } = post;
  post.crawl = await world.start(["https://a.test/"], { webhook, formats: ["links"] });
  await world.turn();
  await post.deliver();
  await world.deps.ledger.cancel(post.crawl, "cancelled_by_user", world.now);
  await post.deliver();
  const [started, page] = post.sent.map(({ body }) => JSON.parse(body));
  const [{ body, headers } = { body: "", headers: {} as Record<string, string> }] = post.sent;
  expect(started).toEqual({
    success: true,
    type: "batch_scrape.started",
    id: post.crawl,
    webhookId: headers["webhook-id"],
    data: [],
    metadata: { a: "b" },
  });
  expect(page).toMatchObject({ type: "batch_scrape.page", data: [{ metadata: { url: "https://a.test/" } }] });
  expect(headers).toMatchObject({ "x-mill": "water", "content-type": "application/json" });
  expect(headers["x-firecrawl-signature"]).toBe(await firecrawlSignature(post.secret, body));
  expect(new Webhook(post.secret).verify(body, headers)).toBeTruthy();
});

test("a crawl that fails is told so in Firecrawl's form", async () => {
  const post = new Post();
  const style = { job: "crawl" as const, headers: {}, metadata: {} };
  const webhook = {
    id: post.webhook,
    url: `${RECEIVER}/hook`,
    events: ["crawl.failed" as const],
    secret: post.secret,
    style,
  };
  post.crawl = await post.world.start(["https://a.test/"], { webhook });
  await post.world.deps.ledger.cancel(post.crawl, "cancelled_by_user", post.world.now);
  await post.deliver();
  expect(post.sent.map(({ body }) => JSON.parse(body))).toMatchObject([
    { success: false, type: "crawl.failed", error: "The crawl ended as cancelled by user." },
  ]);
});
