import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { DeliveryView, NewWebhookView, WebhookView } from "../../src/api/views.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { beat, callApi, waitForEnd } from "./api-calls.ts";
import { crawl, placeIn, run, start, startWith } from "./cli.ts";
import { type Receiver, SECRET, startReceiver } from "./receiver.ts";
import { shareServer } from "./served-sites.ts";

/** Webhooks from the command line to a receiver that checks signatures with the official library. */

const shared = shareServer();
const { dir, sites } = shared;

/** `host`: another one for a crawl that makes its host rest. */
async function startTwoPages(host = "127.0.0.60"): Promise<string> {
  const site = await startHandmadeSite({ "/": page("home", "/b"), "/b": page("b") }, { host });
  sites.push(site);
  return `${site.origin}/`;
}

async function receiverWith(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  sites.push(receiver);
  return receiver;
}

const FAST = ["--delay", "0", "--source", "links"];
const hook = (receiver: Receiver) => ["--webhook", receiver.url, "--webhook-secret", SECRET];

describe("a crawl on this machine", () => {
  test("tells its end before the command ends", async () => {
    const receiver = await receiverWith();
    const { summary } = await crawl(join(dir.path, "told"), await startTwoPages(), ...FAST, ...hook(receiver));
    expect(receiver.refused).toBe(0);
    expect(receiver.notices).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        type: "crawl.completed",
        data: expect.objectContaining({ crawl: summary.id, status: "completed", total: 2 }),
      },
    ]);
  });

  test("tells a receiver again that answers 500, with the same id", async () => {
    const receiver = await receiverWith((response, nth) => response.writeHead(nth === 0 ? 500 : 200).end("ok"));
    const { ended } = await crawl(join(dir.path, "again"), await startTwoPages(), ...FAST, ...hook(receiver));
    expect(receiver.notices.map(({ type }) => type)).toEqual(["crawl.completed", "crawl.completed"]);
    expect(new Set(receiver.notices.map(({ id }) => id)).size).toBe(1);
    expect(ended.stderr).not.toContain("Not delivered");
  });

  test("is waited for after Ctrl-C of `watch`, too", async () => {
    const receiver = await receiverWith((response, nth) => response.writeHead(nth === 0 ? 500 : 200).end("ok"));
    const seed = await startTwoPages();
    const watch = start("watch", seed, ...FAST, ...hook(receiver), "--state", join(dir.path, "watch"));
    await watch.printed("Its pages are visited again");
    watch.child.kill("SIGINT");
    expect((await watch.ended).stdout).toContain("Stopped; nothing is lost.");
    expect(receiver.notices.map(({ type }) => type)).toEqual(["crawl.completed", "crawl.completed"]);
  });

  test("says what is not delivered, and `serve` goes on with it", async () => {
    // Nobody else takes a port of this address in the meantime.
    const host = "127.0.0.64";
    const receiver = await receiverWith(undefined, { host });
    await receiver.close();
    const folder = join(dir.path, "later");
    const { ended, summary } = await crawl(folder, await startTwoPages(), ...FAST, ...hook(receiver));
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/Not delivered yet: 1 notice, such as crawl\.completed/);
    expect(ended.stderr).toContain("npm run orbweaver -- serve");
    const back = await receiverWith(undefined, { host, port: receiver.port });
    // Ten minutes later, by the clock of the installation.
    const now = Date.now();
    const clock = `${new Date(now + 600_000).toISOString()} 1 ${new Date(now).toISOString()}`;
    const args = ["serve", "--port", "0", "--state", join(folder, "state")];
    const server = startWith({ ORBWEAVER_CLOCK: clock }, args);
    await beat(placeIn(await server.printed("Token: ")));
    await expect.poll(() => back.notices.map(({ data }) => data.crawl)).toEqual([summary.id]);
    server.child.kill("SIGINT");
    await server.ended;
  });
});

describe("a receiver", () => {
  /** A cancelled crawl with a webhook. Cancelling it is the event. */
  async function cancelled(...receivers: Receiver[]): Promise<string> {
    const seed = await startTwoPages("127.0.0.63");
    const order = { url: seed, politeness: { minDelayMs: 600_000, maxDelayMs: 600_000 } };
    const { id } = await callApi<{ id: string }>(shared.served, "POST", "/api/crawls", order);
    for (const { url } of receivers)
      await callApi(shared.served, "POST", `/api/crawls/${id}/webhooks`, { url, secret: SECRET });
    await callApi(shared.served, "POST", `/api/crawls/${id}/cancel`);
    return id;
  }

  const deliveriesOf = async (id: string) =>
    (await callApi<{ deliveries: DeliveryView[] }>(shared.served, "GET", `/api/crawls/${id}/deliveries`)).deliveries;

  test("that answers 410 is told nothing more", async () => {
    const receiver = await receiverWith((response) => response.writeHead(410).end());
    const id = await cancelled(receiver);
    await expect.poll(async () => (await deliveriesOf(id)).map(({ status }) => status)).toEqual(["given-up"]);
    const [webhook] = await callApi<WebhookView[]>(shared.served, "GET", `/api/crawls/${id}/webhooks`);
    expect(webhook).toMatchObject({ disabledAt: expect.any(String), disabledWhy: expect.stringContaining("410") });
    expect(receiver.notices).toHaveLength(1);
  });

  test("that redirects is not followed", async () => {
    const target = await receiverWith();
    const receiver = await receiverWith((response) => response.writeHead(307, { location: target.url }).end());
    const id = await cancelled(receiver);
    const detail = expect.stringContaining("redirects are not followed");
    await expect
      .poll(async () => (await deliveriesOf(id))[0])
      .toMatchObject({ detail, status: "waiting", httpStatus: 307 });
    expect(target.log).toEqual([]);
  });

  test("that hangs delays no other", async () => {
    const hanging = await receiverWith(() => undefined, { host: "127.0.0.61" });
    const other = await receiverWith(undefined, { host: "127.0.0.62" });
    const first = await cancelled(hanging);
    await expect.poll(() => hanging.notices.length).toBe(1);
    const second = await cancelled(hanging, other);
    await expect.poll(() => other.notices.map(({ data }) => data.crawl)).toEqual([second]);
    expect((await deliveriesOf(first)).map(({ status }) => status)).toEqual(["sending"]);
    // It still has not answered.
    expect(hanging.log[0]?.finishedAt).toBeUndefined();
  });
});

describe("`webhooks`", () => {
  test("adds, lists, tests, redelivers and removes a webhook", async () => {
    const { served } = shared;
    const receiver = await receiverWith();
    const { id } = await callApi<{ id: string }>(served, "POST", "/api/crawls", { url: await startTwoPages() });
    await waitForEnd(served, id);
    const webhooks = async <T>(...args: string[]) => {
      const ended = await run("webhooks", ...args, "--json", ...served.remote);
      return { code: ended.code, value: (ended.stdout === "" ? ended.stderr : JSON.parse(ended.stdout)) as T };
    };
    const { value: added } = await webhooks<NewWebhookView>("add", id, receiver.url, "--secret", SECRET);
    expect(added).toMatchObject({ url: receiver.url, events: null, secret: SECRET });
    const { value: listed } = await webhooks<WebhookView[]>("list", id);
    expect(listed).toEqual([{ ...added, secret: undefined }]);
    const { code, value: tested } = await webhooks<DeliveryView>("test", id);
    expect([code, tested]).toEqual([0, expect.objectContaining({ event: "webhook.test", status: "delivered" })]);
    const { value: again } = await webhooks<DeliveryView>("redeliver", id, tested.id);
    expect(again).toMatchObject({ id: tested.id, status: "delivered" });
    expect(receiver.notices.map((notice) => notice.id)).toEqual([tested.id, tested.id]);
    const { value: deliveries } = await webhooks<DeliveryView[]>("deliveries", id);
    expect(deliveries.map((delivery) => delivery.id)).toEqual([tested.id]);
    const table = await run("webhooks", "deliveries", id, ...served.remote);
    expect(table.stdout).toMatch(/webhook\.test\s+delivered\s+1/);
    await webhooks("remove", id);
    expect(await webhooks("list", id)).toEqual({ code: 0, value: [] });
    expect(await webhooks("test", id)).toMatchObject({ code: 1, value: "This crawl has no webhooks.\n" });
  });

  test.each([
    ["a scheme that is none of the web", ["ftp://a.test/"], "is not an http or https URL"],
    ["an unknown event", ["https://a.test/", "--events", "crawl.done"], "events"],
    ["a secret that is none", ["https://a.test/", "--secret", "whsec_short"], "a secret is whsec_"],
  ])("refuses %s", async (_, args, words) => {
    const { id } = await callApi<{ id: string }>(shared.served, "POST", "/api/crawls", { url: await startTwoPages() });
    const ended = await run("webhooks", "add", id, ...args, ...shared.served.remote);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

test("a new crawl shows the secret of its webhook once", async () => {
  const receiver = await receiverWith();
  const args = [await startTwoPages(), ...FAST, "--webhook", receiver.url, ...shared.served.remote];
  const ended = await run("crawl", ...args);
  expect(ended.stdout).toMatch(/not shown again: whsec_[A-Za-z0-9+/]{43}=/);
  const id = /Crawl (\S+) started/.exec(ended.stdout)?.[1] ?? "";
  for (const command of ["list", "deliveries"])
    expect((await run("webhooks", command, id, "--json", ...shared.served.remote)).stdout).not.toContain("whsec_");
});

test("the events of --webhook-events are the only ones that are told", async () => {
  const receiver = await receiverWith();
  const args = [await startTwoPages(), ...FAST, ...hook(receiver), "--webhook-events", "crawl.failed"];
  await crawl(join(dir.path, "events"), ...args);
  expect(receiver.log).toEqual([]);
});
