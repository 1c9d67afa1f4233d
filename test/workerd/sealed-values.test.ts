import { createExecutionContext, env } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { NoticeRequest } from "../../src/fetch/request/post-notice.ts";
import { deliverTo } from "../../src/notices/deliver-notices.ts";
import { makeSecret } from "../../src/notices/notice-signature.ts";
import { SealedValues } from "../../src/store/installation/sealed-values.ts";
import { WATCH } from "./rows.ts";
import { type Web, World } from "./world.ts";

/** Request headers of crawls, secrets and headers of webhooks are encrypted in the database, by whatever door. */

const SEED = "https://a.test/";
const RECEIVER = "https://receiver.test";
/** In all values of this test, so that a search finds them. */
const MARK = "kS3cret";
const OTHER_KEY = btoa("another key of 32 bytes, a test!");
const silent = { send: async () => undefined, sendBatch: async () => undefined } as never;
const secretOfTest = () => `whsec_${btoa(`${MARK} of 24 bytes or more`)}`;
const WRITTEN = [MARK, secretOfTest().slice("whsec_".length)];

async function ask(method: string, path: string, body: unknown, bindings: Partial<Env> = {}) {
  const headers = { authorization: "Bearer test-token", "content-type": "application/json" };
  const request = { method, headers, body: JSON.stringify(body) };
  const all = { ...env, FRONTIER: silent, NOTICES: silent, ...bindings };
  const answer = await app.request(path, request, all, createExecutionContext());
  const { result } = (await answer.clone().json()) as { result: Record<string, string> };
  return { status: answer.status, text: await answer.text(), result };
}

/** The tables that have one of the values in one of their rows. */
async function tablesWith(values: readonly string[]): Promise<string[]> {
  const { results } = await env.LEDGER.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'search_*'",
  ).all<{ name: string }>();
  const found = await Promise.all(
    results.map(async ({ name }) => {
      const rows = await env.LEDGER.prepare(`SELECT * FROM "${name}"`).all();
      const written = JSON.stringify(rows.results);
      return values.some((value) => written.includes(value)) ? [name] : [];
    }),
  );
  return found.flat();
}

const headers = { "X-Token": `${MARK}-header` };
const ofWebhook = { url: `${RECEIVER}/hook`, secret: secretOfTest() };
const DOORS: [string, unknown][] = [
  ["/api/crawls", { url: SEED, headers, webhook: ofWebhook }],
  ["/api/crawls", { url: SEED, headers, watch: { everyS: 86_400 } }],
  ["/api/schedules", { cron: "0 3 * * *", crawl: { url: SEED, headers, webhook: ofWebhook } }],
  ["/v2/crawl", { url: SEED, scrapeOptions: { headers }, webhook: { url: `${RECEIVER}/hook`, headers } }],
  ["/v2/batch/scrape", { urls: [SEED], headers, webhook: { url: `${RECEIVER}/hook`, headers } }],
  [
    "/client/v4/accounts/a/browser-rendering/crawl",
    {
      url: SEED,
      setExtraHTTPHeaders: headers,
      authenticate: { username: "me", password: `${MARK}-password` },
      cookies: [{ name: "sid", value: `${MARK}-cookie`, url: SEED }],
    },
  ],
];

test.each(DOORS)("a value that comes by %s stands in no table: %j", async (path, body) => {
  const { status, text } = await ask("POST", path, body);
  expect(status, text).toBeLessThan(300);
  expect(await tablesWith([...WRITTEN, btoa(`me:${MARK}-password`)])).toEqual([]);
  // The search finds what is there.
  expect(await tablesWith([SEED])).toContain("crawls");
});

test("nor do those of a webhook that is added, changed, or made by a monitor", async () => {
  const { result } = await ask("POST", "/api/crawls", { url: SEED });
  const path = `/api/crawls/${result.id}/webhooks`;
  const style = { format: "ntfy", headers: { Authorization: `Bearer ${MARK}-added` } };
  const added = await ask("POST", path, { ...ofWebhook, ...style });
  expect(added.result.secret).toBe(ofWebhook.secret);
  const { id } = added.result;
  const kept = await ask("PATCH", `${path}/${id}`, { events: ["crawl.paused"] });
  expect(kept.result).toMatchObject({ headerNames: ["authorization"], events: ["crawl.paused"] });
  const [row] = await new World(() => ({ links: [] })).deps.webhooks.list(result.id ?? "");
  const sealed = new SealedValues(env.SESSION_KEY);
  expect((await sealed.openWebhook({ style: row?.style ?? null })).style).toMatchObject({
    headers: { authorization: `Bearer ${MARK}-added` },
  });
  const changed = await ask("PATCH", `${path}/${id}`, { headers: { "X-Key": `${MARK}-changed` } });
  expect(changed.result.headerNames).toEqual(["x-key"]);
  const monitor = {
    name: "a",
    schedule: { cron: "0 */6 * * *" },
    targets: [{ type: "crawl", url: SEED, scrapeOptions: { headers } }],
    webhook: { url: `${RECEIVER}/hook`, headers },
  };
  const made = await ask("POST", "/v2/monitor", monitor);
  expect(made.status, made.text).toBe(200);
  expect(await tablesWith(WRITTEN)).toEqual([]);
});

test("without a key, nothing secret is taken, and it is said how to make one", async () => {
  for (const [path, body] of DOORS) {
    const { status, text } = await ask("POST", path, body, { SESSION_KEY: "" });
    expect([path, status]).toEqual([path, 503]);
    expect(text).toContain("wrangler secret put SESSION_KEY");
  }
  expect((await ask("POST", "/api/crawls", { url: SEED }, { SESSION_KEY: "" })).status).toBe(201);
});

/** A site that notes the cookies that it gets. */
function noting(): { web: Web; got: Set<string | undefined> } {
  const got = new Set<string | undefined>();
  const web: Web = (url, _, cookie) => {
    got.add(cookie);
    return { links: url === SEED ? [`${SEED}1`, `${SEED}2`] : [] };
  };
  return { web, got };
}

/** The Cookie header as a crawl stores it. */
async function sealedCookie(key: string): Promise<Record<string, string>> {
  const options = { ...DEFAULT_OPTIONS, urls: [SEED], userAgent: "", headers: { cookie: `sid=${MARK}` } };
  return (await new SealedValues(key).sealOptions(options)).headers;
}

test.each([
  ["sealed", () => sealedCookie(env.SESSION_KEY)],
  ["plain, as an earlier version stored it", async () => ({ cookie: `sid=${MARK}` })],
])("each request of a crawl carries its header, which is %s", async (_, stored) => {
  const { web, got } = noting();
  const world = new World(web);
  const crawl = await world.start([SEED], { headers: await stored() });
  await world.runToEnd(crawl);
  // The model of the mirror reads a stored page by the same function.
  got.delete(undefined);
  expect([...got]).toEqual([`sid=${MARK}`]);
  expect((await world.deps.ledger.crawl(crawl))?.counters.completed).toBe(3);
});

test.each([
  ["crawl", null],
  ["watch", WATCH],
])("a %s whose header another key has encrypted pauses before it asks for anything", async (_, watch) => {
  const { web, got } = noting();
  const world = new World(web);
  const crawl = await world.start([SEED], { headers: await sealedCookie(OTHER_KEY), watch });
  await world.turn();
  const state = await world.deps.ledger.crawl(crawl);
  expect(state?.status).toBe("paused");
  expect(state?.waitingFor).toBe(
    "The header cookie was encrypted with another SESSION_KEY. Give it again, with a new crawl or webhook.",
  );
  expect([...got]).toEqual([]);
});

/** A crawl whose webhook is stored as it stands here, and a notice that waits for its receiver. */
async function waiting(secret: string, headers: Record<string, string>) {
  const world = new World(() => ({ links: [] }));
  const sent: NoticeRequest[] = [];
  world.deps.postNotice = async (request) => {
    sent.push(request);
    return { status: 204, retryAfterMs: null, detail: null };
  };
  const style = { format: "template" as const, template: "{}", headers, from: null, to: [] };
  const webhook = { id: crypto.randomUUID(), url: `${RECEIVER}/hook`, events: null, secret, style };
  const crawl = await world.start([SEED], { webhook });
  await world.deps.deliveries.addTest(crawl, webhook.id, world.now);
  await deliverTo(RECEIVER, world.deps);
  return { sent, detail: (await world.deps.deliveries.list(crawl, 1, "", world.now))[0]?.detail };
}

test("a notice is signed with the secret, and has the headers, whether they are stored sealed or plain", async () => {
  const secret = makeSecret();
  const headers = { "x-key": `${MARK}-key` };
  const plain = { secret, style: { format: "template" as const, template: "{}", headers, from: null, to: [] } };
  const sealed = await new SealedValues(env.SESSION_KEY).sealWebhook(plain);
  expect(JSON.stringify(sealed)).not.toMatch(new RegExp(`${MARK}|${secret.slice(6, 20).replace(/\W/g, ".")}`));
  for (const stored of [sealed, plain]) {
    const { sent } = await waiting(stored.secret, stored.style.headers);
    const [{ body, headers } = { body: "", headers: {} as Record<string, string> }] = sent;
    expect(headers["x-key"]).toBe(`${MARK}-key`);
    expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
  }
});

test("a notice whose secret another key has encrypted is not sent, and its delivery says so", async () => {
  const { secret } = await new SealedValues(OTHER_KEY).sealWebhook({ secret: makeSecret() });
  const { sent, detail } = await waiting(secret, {});
  expect(sent).toEqual([]);
  expect(detail).toContain("The secret of the webhook was encrypted with another SESSION_KEY");
});
