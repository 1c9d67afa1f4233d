import { createExecutionContext, env, runInDurableObject } from "cloudflare:test";
import { beforeAll, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { RobotsView } from "../../src/api/views.ts";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import { parseRobots } from "../../src/robots/parse.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";

/** A robots.txt in the storage of its host's gate. These names do not resolve, so no request is sent. */

const ROBOTS = `
User-agent: other
Disallow: /

User-agent: *
Disallow: /private/
Allow: /private/open
Content-Signal: search=yes, ai-train=no
Crawl-delay: 3

Sitemap: https://stored.test/pages.xml
`;
const id = crypto.randomUUID();

async function storeRobots(host: string, origin: string, file: unknown) {
  await runInDurableObject(env.HOST_GATE.get(env.HOST_GATE.idFromName(host)), (_, { storage }) => {
    storage.kv.put(`robots:${origin}`, file);
  });
}

const OPTIONS = {
  ...DEFAULT_OPTIONS,
  urls: ["https://stored.test/"],
  userAgent: "Test/1",
  crawlPurposes: ["search" as const],
};

beforeAll(async () => {
  await new Ledger(env.LEDGER).create({
    id,
    options: OPTIONS,
    hosts: ["stored.test"],
    seeds: [],
    sitemaps: [],
    now: 1,
  });
  await storeRobots("stored.test", "https://stored.test", {
    state: "read",
    robots: parseRobots(ROBOTS),
    fetchedAt: 5_000,
  });
  const failure = { detail: "robots.txt answered 503", firstAt: 1, failures: 2, retryAt: 9_000 };
  await storeRobots("silent.test", "https://silent.test", { state: "silent", ...failure });
  await storeRobots("none.test", "https://none.test", { state: "allow-all", fetchedAt: 5_000 });
});

async function ask(query: Record<string, string>, crawl = id): Promise<RobotsView & { httpStatus: number }> {
  const headers = { authorization: "Bearer reading-token" };
  const path = `/api/crawls/${crawl}/robots?${new URLSearchParams(query)}`;
  const answer = await app.request(path, { headers }, env, createExecutionContext());
  const { result } = (await answer.json()) as { result: RobotsView };
  return { httpStatus: answer.status, ...result };
}

test("shows groups, the group that applies, rules, signals, delays and sitemaps", async () => {
  const view = await ask({});
  expect(view).toMatchObject({
    origin: "https://stored.test",
    state: "read",
    agent: "Test",
    fetchedAt: "1970-01-01T00:00:05.000Z",
    crawlDelays: [{ agent: "*", seconds: 3 }],
    sitemaps: ["https://stored.test/pages.xml"],
    decision: null,
  });
  expect(view.groups).toEqual([
    { agents: ["other"], applies: false, rules: ["Disallow: /"], signals: [] },
    {
      agents: ["*"],
      applies: true,
      rules: ["Disallow: /private/", "Allow: /private/open"],
      signals: ["search=yes", "ai-train=no"],
    },
  ]);
});

test.each([
  ["https://stored.test/", true, null, "no rule matches"],
  ["https://stored.test/private/x", false, "Disallow: /private/", "Disallow: /private/"],
  ["https://stored.test/private/open", true, "Allow: /private/open", "may be fetched"],
  ["https://none.test/x", true, null, "no rules"],
  ["https://silent.test/x", null, null, "not been read"],
  ["https://never.test/x", null, null, "not been read"],
])("decides about a URL: %s", async (url, allowed, rule, words) => {
  const { decision } = await ask({ url });
  expect(decision).toMatchObject({ url, allowed, rule });
  expect(decision?.sentence).toContain(words);
});

test("says that a robots.txt has not been read", async () => {
  expect(await ask({ origin: "https://never.test" })).toMatchObject({ state: "unread", groups: [] });
  expect(await ask({ origin: "http://stored.test" })).toMatchObject({ state: "unread" });
  expect((await ask({ origin: "https://silent.test" })).sentence).toContain("503");
});

test("says that an own host's robots.txt is not read where the crawl ignores it", async () => {
  const options = { ...OPTIONS, ignoreRobots: true };
  const other = crypto.randomUUID();
  await new Ledger(env.LEDGER).create({ id: other, options, hosts: ["a.test"], seeds: [], sitemaps: [], now: 1 });
  expect(await ask({ origin: "https://own.test/" }, other)).toMatchObject({ state: "own" });
  expect(await ask({ origin: "https://www.guest.org/" }, other)).toMatchObject({ state: "unread" });
  expect(await ask({ origin: "https://own.test/" })).toMatchObject({ state: "unread" });
});

test("refuses a URL of another origin, and an invalid URL", async () => {
  expect((await ask({ origin: "https://stored.test", url: "https://never.test/" })).httpStatus).toBe(404);
  expect((await ask({ url: "mailto:a@b.test" })).httpStatus).toBe(404);
});
