import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, describe, expect, test, vi } from "vitest";
import { app } from "../../src/api/app.ts";
import { NO_SECRETS } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { fetchSitemap } from "../../src/fetch/sitemap-fetcher.ts";
import { fetchRobots } from "../../src/host/robots-file.ts";
import { extractPage } from "../../src/media/html/page.ts";
import { parseHtml } from "../../src/media/html/tree/linkedom.ts";
import { explain } from "../../src/reading/explain/explain.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";
import { hostKey } from "../../src/url/host-key.ts";
import { NO_HOSTS, PRIVATE_HOSTS, PUBLIC_HOSTS } from "../unit/url/private-hosts.ts";
import { PAGE_REQUEST, REQUEST } from "./page-request.ts";
import { World } from "./world.ts";

/**
 * Rule 5: no request reaches a private address unless the operator allows it. The source and the spelling of the
 * address do not matter.
 */

const WRITTEN = Object.values(PRIVATE_HOSTS)
  .flat()
  .map((host) => `http://${host}/x`);
const CANONICAL = [...new Set(WRITTEN.map((url) => canonicalize(url) ?? ""))];
// BOOT: on one's own machine, where public addresses can be fetched.
const DENYING = {
  ...env,
  ALLOW_PRIVATE: "",
  BOOT: "b",
  FRONTIER: { sendBatch: async () => undefined } as unknown as Queue,
};

/** Where nobody has named a private host: a deployed installation, and one's own machine. */
const PLACES = [
  ["a deployed installation", "none", DENYING],
  ["one's own machine", "seeds", { ...DENYING, ALLOW_PRIVATE: "seeds" }],
] as const;

/** The address of every request of a test. */
let asked: string[] = [];

function answerAll(answer: (url: string) => Response): void {
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return answer(url);
  });
}

afterEach(() => {
  vi.unstubAllGlobals();
  asked = [];
});

test("the table has many addresses, and each can be canonicalized", () => {
  expect(WRITTEN.length).toBeGreaterThan(60);
  expect(CANONICAL).not.toContain("");
});

describe.each(PLACES)("no request is sent by %s", (_place, _access, DENYING) => {
  test("for a page, a sitemap or the head of an answer", async () => {
    answerAll(() => new Response("<p>in"));
    const fetcher = new PageFetcher(createExecutionContext(), DENYING);
    const refusal = { kind: "rejected", reason: "private-address", durationMs: 0, retryable: false };
    for (const url of [...CANONICAL, ...WRITTEN]) {
      expect(await fetcher.fetchPage({ ...PAGE_REQUEST, url }, NO_SECRETS), url).toMatchObject(refusal);
      expect(await fetchSitemap({ ...REQUEST, url }, NO_SECRETS, DENYING), url).toMatchObject(refusal);
      expect(await fetcher.fetchHead({ ...REQUEST, url }), url).toMatchObject(refusal);
    }
    expect(asked).toEqual([]);
    await fetcher.fetchPage({ ...PAGE_REQUEST, url: "http://8.8.8.8/" }, NO_SECRETS);
    expect(asked).toEqual(["http://8.8.8.8/"]);
  });

  test("for a robots.txt, or for the target of its redirect", async () => {
    const holdHost = async () => ({ release: async () => undefined });
    const request = { ...REQUEST, privateHosts: [], answeredBefore: false, holdHost };
    const from = "https://a.test";
    for (const to of CANONICAL) {
      answerAll(() => new Response(null, { status: 301, headers: { location: to } }));
      const unreachable = { state: "unreachable", reason: "private-address" };
      expect((await fetchRobots(new URL(to).origin, request, undefined, DENYING)).file, to).toMatchObject(unreachable);
      expect(asked, to).toEqual([]);
      expect((await fetchRobots(from, request, undefined, DENYING)).file, to).toMatchObject(unreachable);
      expect(asked, to).toEqual([`${from}/robots.txt`]);
      asked = [];
    }
  });
});

describe("a seed is refused", () => {
  const CLOUDFLARE = "/client/v4/accounts/me/browser-rendering/crawl";
  const post = async (path: string, body: unknown) => {
    const init = { method: "POST", headers: { authorization: "Bearer test-token" }, body: JSON.stringify(body) };
    const response = await app.request(path, init, DENYING, createExecutionContext());
    const { errors } = (await response.json()) as { errors?: { code: string | number; message: string }[] };
    const { code, message = "" } = errors?.[0] ?? {};
    // Cloudflare's error codes are numbers, so the sentence names the reason.
    const reason = message.includes("is a private address") ? "private-address" : "invalid-url";
    return [response.status, typeof code === "number" ? reason : code];
  };
  const ENTRIES: [string, (url: string) => unknown][] = [
    ["/api/crawls", (url) => ({ url })],
    ["/api/crawls", (url) => ({ urls: ["https://a.test/", url] })],
    [CLOUDFLARE, (url) => ({ url })],
    ["/api/fields", (url) => ({ url })],
    ["/api/schedules", (url) => ({ cron: "0 3 * * *", crawl: { url } })],
  ];

  test.each(ENTRIES)("by %s", async (path, body) => {
    for (const url of WRITTEN) expect(await post(path, body(url)), url).toEqual([400, "private-address"]);
    for (const host of NO_HOSTS) expect(await post(path, body(`http://${host}/`)), host).toEqual([400, "invalid-url"]);
    expect((await post(path, body(`http://${PUBLIC_HOSTS[0]}/`)))[0]).toBeLessThan(300);
  });

  test("when it is fetched, even if it was accepted earlier, for example in a schedule", async () => {
    answerAll(() => new Response("<p>in"));
    const world = new World(() => ({ links: [] }), { access: "none" });
    const fetcher = new PageFetcher(createExecutionContext(), DENYING);
    world.deps.fetchPage = (request, secrets) => fetcher.fetchPage(request, secrets);
    const crawl = await world.start(CANONICAL);
    await world.runToEnd(crawl);
    expect(await outcomes(world, crawl)).toEqual(CANONICAL.map(() => "errored private-address").sort());
    expect(asked).toEqual([]);
  });
});

describe.each(PLACES)("a URL on a page is refused by %s", (_place, access) => {
  /** Ways to write a URL in HTML. */
  const NAMED: [string, (url: string) => string][] = [
    ["a link", (url) => `<a href="${url}">`],
    ["an area", (url) => `<area href="${url}">`],
    ["a frame", (url) => `<iframe src="${url}">`],
    ["a canonical link", (url) => `<link rel=canonical href="${url}">`],
    ["a refresh", (url) => `<meta http-equiv=refresh content="0;url=${url}">`],
    ["a base", (url) => `<base href="${url}"><a href=y>`],
    ["a link without its scheme", (url) => `<a href="${url.slice(5)}">`],
    ["a link with backslashes", (url) => `<a href="http:\\\\${url.slice(7)}">`],
    ["a link with a public name as its user", (url) => `<a href="http://example.com@${url.slice(7)}">`],
  ];

  test.each(NAMED)("as %s", async (_, write) => {
    const named = WRITTEN.flatMap((url) => {
      const page = extractPage(parseHtml(write(url)), "http://a.test/", canonicalize);
      expect(
        page.links.map((link) => hostKey(link.url)),
        url,
      ).toEqual([hostKey(canonicalize(url) ?? "")]);
      return page.links.map((link) => link.url);
    });
    const links = [...new Set(named)];
    const world = new World(() => ({ links }), { access });
    const crawl = await world.start(["https://a.test/"], { includeExternalLinks: true });
    await world.runToEnd(crawl);
    expect(world.fetched).toEqual(["https://a.test/"]);
    const refusals = await world.deps.ledger.refusals(crawl);
    expect(refusals).toMatchObject([{ reason: "private-address", count: links.length }]);
  });

  test("as the target of a redirect, even of a seed", async () => {
    const seeds = CANONICAL.map((_, at) => `https://a.test/${at}`);
    const target = (url: string) => CANONICAL[Number(url.slice("https://a.test/".length))] ?? "";
    const world = new World((url) => ({ redirect: target(url) }), { access });
    const crawl = await world.start(seeds, { includeExternalLinks: true });
    await world.runToEnd(crawl);
    expect(world.fetched.sort()).toEqual([...seeds].sort());
    for (const url of seeds) {
      const record = await world.deps.records.get(crawl, url);
      expect(record?.detail).toMatch(/, which scope refuses: \S+$/);
    }
    expect((await world.deps.ledger.crawl(crawl))?.hosts).toEqual(["a.test"]);
  });
});

test("explain refuses a private address without a call to a gate", async () => {
  const access = "seeds";
  const world = new World(() => ({ links: [] }), { access });
  const crawl = await world.start(["https://a.test/"], { includeExternalLinks: true });
  const subject = { crawl: (await world.deps.ledger.crawl(crawl)) as NonNullable<unknown> as never };
  world.deps.gate = (host) => {
    throw new Error(`${host} was asked`);
  };
  for (const url of WRITTEN) {
    expect((await explain(url, subject, world.deps, access)).verdict, url).toBe("refused");
  }
});

describe("a URL in a sitemap is refused", () => {
  const access = "seeds";
  const SITEMAP = "https://a.test/sitemap.xml";
  const entries = (urls: string[]) => urls.map((url) => ({ url, lastmod: null }));
  const ENTRIES: [string, ConstructorParameters<typeof World>[1]][] = [
    ["robots.txt", { named: { "https://a.test": WRITTEN }, sitemaps: () => ({ pages: [] }) }],
    ["an index", { sitemaps: () => ({ format: "index", sitemaps: entries(CANONICAL) }) }],
    ["a sitemap", { sitemaps: () => ({ pages: entries(CANONICAL) }) }],
  ];

  test.each(ENTRIES)("in %s", async (_, options) => {
    const world = new World(() => ({ links: [] }), { ...options, access });
    const crawl = await world.start(["https://a.test/"], { source: "all", includeExternalLinks: true });
    await world.runToEnd(crawl);
    expect(world.asked).toEqual([SITEMAP]);
    expect(world.fetched).toEqual(["https://a.test/"]);
    const refused = (await world.deps.ledger.refusals(crawl)).reduce((sum, { count }) => sum + count, 0);
    expect(refused).toBeGreaterThanOrEqual(CANONICAL.length);
  });

  test("as the target of the sitemap's redirect", async () => {
    for (const redirect of CANONICAL) {
      const world = new World(() => ({ links: [] }), { sitemaps: () => ({ redirect }), access });
      const crawl = await world.start(["https://a.test/"], { source: "all" });
      await world.runToEnd(crawl);
      expect(world.asked, redirect).toEqual([SITEMAP]);
    }
  });
});

describe("on one's own machine, the hosts of the seeds may be private", () => {
  const OURS = { ...DENYING, ALLOW_PRIVATE: "seeds" };

  test("each kind of request reaches a host that is named, and a robots.txt leads to no other", async () => {
    const fetcher = new PageFetcher(createExecutionContext(), OURS);
    const mayBePrivate = true;
    for (const url of CANONICAL) {
      answerAll(() => new Response("<p>in", { headers: { "content-type": "text/html" } }));
      expect(await fetcher.fetchPage({ ...PAGE_REQUEST, url, mayBePrivate }, NO_SECRETS), url).toMatchObject({
        kind: "page",
      });
      await fetchSitemap({ ...REQUEST, url, mayBePrivate }, NO_SECRETS, OURS);
      expect(await fetcher.fetchHead({ ...REQUEST, url, mayBePrivate }), url).toMatchObject({ kind: "head" });
      expect(asked).toEqual([url, url, url]);
      asked = [];
    }
    const holdHost = async () => ({ release: async () => undefined });
    const origin = "http://127.0.0.1:8080";
    const privateHosts = ["127.0.0.1:8080", "127.0.0.2:8080"];
    const request = { ...REQUEST, privateHosts, answeredBefore: false, holdHost };
    const robotsOf = async (location: string) => {
      asked = [];
      answerAll((url) =>
        url === location ? new Response("") : new Response(null, { status: 301, headers: { location } }),
      );
      return (await fetchRobots(origin, request, undefined, OURS)).file;
    };
    expect(await robotsOf(`${origin}/rules.txt`)).toMatchObject({ state: "read" });
    expect(asked).toEqual([`${origin}/robots.txt`, `${origin}/rules.txt`]);
    expect(await robotsOf("http://127.0.0.2:8080/rules.txt")).toMatchObject({ state: "read" });
    for (const other of ["http://127.0.0.1:8081/robots.txt", "http://127.0.0.9/robots.txt", "http://localhost:8080/"]) {
      expect(await robotsOf(other)).toMatchObject({ state: "unreachable", reason: "private-address", final: true });
      expect(asked, other).toEqual([`${origin}/robots.txt`]);
    }
  });

  test("and no other host, wherever its URL is found", async () => {
    const other = "http://127.0.0.1:8081/x";
    const web = {
      "http://127.0.0.1:8080/": { links: ["http://127.0.0.1:8080/a", "http://127.0.0.1:8080/away", other] },
      "http://127.0.0.1:8080/a": { links: ["http://127.0.0.9/", "http://localhost:8080/"] },
      "http://127.0.0.1:8080/away": { redirect: "http://10.0.0.1/" },
      "http://127.0.0.1:8080/seed": { redirect: other },
    };
    const world = new World((url) => web[url as keyof typeof web] ?? { links: [] }, { access: "seeds" });
    const seeds = ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/seed"];
    const crawl = await world.start(seeds, { includeExternalLinks: true });
    await world.runToEnd(crawl);
    expect(world.fetched.sort()).toEqual([...seeds, "http://127.0.0.1:8080/a", "http://127.0.0.1:8080/away"].sort());
    expect(await world.deps.ledger.refusals(crawl)).toMatchObject([{ reason: "private-address", count: 3 }]);
    expect((await world.deps.records.get(crawl, "http://127.0.0.1:8080/seed"))?.detail).toMatch(
      /which scope refuses: 127\.0\.0\.1:8081$/,
    );
  });

  test("and explain asks such a host alone", async () => {
    const world = new World(() => ({ links: [] }), { access: "seeds" });
    const crawl = await world.start(["http://127.0.0.1:8080/"], { includeExternalLinks: true });
    const subject = { crawl: (await world.deps.ledger.crawl(crawl)) as NonNullable<unknown> as never };
    const verdictOf = async (url: string) => (await explain(url, subject, world.deps, "seeds")).verdict;
    expect(await verdictOf("http://127.0.0.1:8080/a")).not.toBe("refused");
    expect(await verdictOf("http://127.0.0.1:8081/a")).toBe("refused");
  });
});

test("similar public addresses are accepted in each of these ways", async () => {
  const links = PUBLIC_HOSTS.map((host) => canonicalize(`http://${host}/x`) ?? "");
  const world = new World((url) => ({ links: url === "https://a.test/" ? links : [] }), { access: "none" });
  const crawl = await world.start(["https://a.test/"], { includeExternalLinks: true });
  await world.runToEnd(crawl);
  expect(world.fetched.sort()).toEqual(["https://a.test/", ...new Set(links)].sort());
});

async function outcomes(world: World, crawl: string): Promise<string[]> {
  const records = await world.deps.records.list(crawl, { limit: 1_000, cursor: "" });
  return records.map(({ status, reason }) => `${status} ${reason}`).sort();
}
