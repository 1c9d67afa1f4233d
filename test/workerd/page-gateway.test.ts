import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { ResourceAnswered } from "../../src/fetch/browser/render-gateway.ts";
import { admitHost, type Lane, readWork } from "../../src/frontier/batch/admit.ts";
import { OpenFeatures } from "../../src/frontier/features/open-features.ts";
import { PageGateway } from "../../src/frontier/lane/page-gateway.ts";
import type { PageWork } from "../../src/frontier/work.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { World, type WorldOptions } from "./world.ts";

/** What a rendered page may request, by the gates of a world. */

useModelLedger();

const PAGE = "https://page.test/";
const ANSWERED: ResourceAnswered = {
  ...{ durationMs: 100, bodyBytes: 10, httpStatus: 200, retryAfterMs: null },
  ...{ hostFailed: false, dropped: false, detail: "" },
};

let asked: string[] = [];
beforeEach(() => {
  asked = [];
});

/** The gateway of a page, in a lane of its host. `asked` notes the hosts whose gates are asked. */
async function gatewayOf(options: WorldOptions = {}, seeds = [PAGE]) {
  const world = new World(() => ({ links: [] }), options);
  const headers = { authorization: "Bearer secret" };
  const crawl = await world.start(seeds, { render: "always", headers, keepCookies: true });
  const hint = { crawl, epoch: 1, url: PAGE, sitemap: false, visit: null, failures: 0 };
  const [work] = await readWork([hint], world.deps, "all");
  const { lane } = await admitHost("page.test", work === undefined ? [] : [work], world.deps);
  if (lane === null || work?.kind !== "page") throw new Error("no lane");
  const { gate } = world.deps;
  world.deps.gate = (host) => {
    asked.push(host);
    return gate(host);
  };
  const features = await featuresOf(lane, world);
  return { world, gateway: new PageGateway(work as PageWork, lane, features, world.deps) };
}

function featuresOf({ host, going }: Lane, { deps }: World): Promise<OpenFeatures> {
  const opening = { works: going, host, document: null, deps };
  return OpenFeatures.open({ ...opening, ask: async () => null, visit: async () => null, wait: (event) => event });
}

describe("a request to the page's own host", () => {
  test("goes within the page's lane, with the crawl's headers and the host's cookies", async () => {
    const { world, gateway } = await gatewayOf();
    const before = world.now;
    expect(await gateway.enter(`${PAGE}a.js`)).toEqual({
      kind: "go",
      headers: { authorization: "Bearer secret" },
      mayBePrivate: true,
    });
    await gateway.leave(`${PAGE}a.js`, { ...ANSWERED, setCookies: ["a=b"] });
    expect(await gateway.enter(`${PAGE}b.js`)).toMatchObject({ headers: { cookie: "a=b" } });
    expect(world.now).toBe(before);
    expect(await gateway.end()).toBeNull();
  });

  test("is refused where robots.txt forbids it, by one question for each origin", async () => {
    const { gateway } = await gatewayOf({ forbids: (origin) => origin === "http://page.test" });
    expect(await gateway.enter("http://page.test/a.js")).toEqual({ kind: "refused", why: "robots" });
    expect(await gateway.enter("http://page.test/b.js")).toEqual({ kind: "refused", why: "robots" });
    expect(await gateway.enter(`${PAGE}c.js`)).toMatchObject({ kind: "go" });
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  test("that the host fails is told to the lane", async () => {
    const { gateway } = await gatewayOf();
    await gateway.enter(`${PAGE}a.js`);
    await gateway.leave(`${PAGE}a.js`, { ...ANSWERED, httpStatus: 429, hostFailed: true, retryAfterMs: 5_000 });
    expect(await gateway.end()).toMatchObject({ httpStatus: 429, retryAfterMs: 5_000 });
  });
});

describe("a request to another host", () => {
  test("goes in a lane of that host, without the crawl's headers and cookies", async () => {
    const { gateway } = await gatewayOf();
    const entry = await gateway.enter("https://cdn.test/a.js");
    expect(entry).toEqual({ kind: "go", headers: {}, mayBePrivate: false });
  });

  test("holds the host until the page is drawn: another page of the crawl does not get it", async () => {
    const { world, gateway } = await gatewayOf();
    await gateway.enter("https://cdn.test/a.js");
    await gateway.leave("https://cdn.test/a.js", ANSWERED);
    const status = () =>
      world.deps.gate("cdn.test").status({
        origins: [],
        agent: "a",
        policy: {
          ...{ minDelayMs: 0, maxDelayMs: 0, delayFactor: 1 },
          ...{ concurrency: 1, timeoutMs: 1_000, userAgent: "a" },
        },
      });
    expect(await status()).toMatchObject({ busy: true });
    await gateway.end();
    expect(await status()).toMatchObject({ busy: false });
  });

  test("is refused where robots.txt forbids it", async () => {
    const { gateway } = await gatewayOf({ forbids: (origin) => origin === "https://cdn.test" });
    expect(await gateway.enter("https://cdn.test/a.js")).toEqual({ kind: "refused", why: "robots" });
  });

  test("is refused while another lane holds the host, without a long wait", async () => {
    const { world, gateway } = await gatewayOf();
    await gateway.enter("https://cdn.test/a.js");
    const before = world.now;
    const second = await sameWorld(world);
    expect(await second.enter("https://cdn.test/b.js")).toEqual({ kind: "refused", why: "busy" });
    expect(world.now - before).toBeLessThanOrEqual(15_000);
  });

  test("is waited for no longer than the lease of the page's own lane allows", async () => {
    const { world, gateway } = await gatewayOf();
    const { gate } = world.deps;
    const verdicts = [{ kind: "wait" as const, delayMs: 300, why: null }];
    world.deps.gate = (host) => ({ ...gate(host), admit: async () => ({ verdicts, lane: null, sitemaps: {} }) });
    // The lease of a lane without rests: five seconds, the timeout, and what drawing takes.
    world.now += 5_000 + DEFAULT_OPTIONS.timeoutMs + 60_000 - 1_000;
    const before = world.now;
    expect(await gateway.enter("https://cdn.test/a.js")).toEqual({ kind: "refused", why: "busy" });
    expect(world.now - before).toBe(900);
  });

  test.each(["http://127.0.0.1/", "http://localhost/", "http://10.0.0.1/", "http://[::1]/", "http://router.local/"])(
    "%s reaches no gate, even where the operator allows private addresses",
    async (url) => {
      const { gateway } = await gatewayOf();
      expect(await gateway.enter(url)).toEqual({ kind: "refused", why: "private-address" });
      expect(asked).toEqual([]);
    },
  );

  test("that is private may be asked where it is a seed", async () => {
    const { gateway } = await gatewayOf({}, [PAGE, "http://127.0.0.1/"]);
    expect(await gateway.enter("http://127.0.0.1/a.js")).toMatchObject({ kind: "go", mayBePrivate: true });
  });
});

test("a gate that does not answer keeps its host's requests back as a busy host does", async () => {
  const { world, gateway } = await gatewayOf();
  const { gate } = world.deps;
  world.deps.gate = (host) => {
    const fails = () => Promise.reject(new Error("Network connection lost."));
    return { ...gate(host), admit: fails, inspect: fails };
  };
  for (const url of ["https://cdn.test/a.js", `${PAGE}a.js`])
    expect(await gateway.enter(url)).toEqual({ kind: "refused", why: "busy" });
  expect(await gateway.end()).toBeNull();
});

/** The gateway of another page in the same world. */
async function sameWorld(world: World): Promise<PageGateway> {
  const url = "https://second.test/";
  const crawl = await world.start([url], { render: "always" });
  const hint = { crawl, epoch: 1, url, sitemap: false, visit: null, failures: 0 };
  const [work] = await readWork([hint], world.deps, "all");
  const { lane } = await admitHost("second.test", work === undefined ? [] : [work], world.deps);
  if (lane === null || work?.kind !== "page") throw new Error("no lane");
  return new PageGateway(work, lane, await featuresOf(lane, world), world.deps);
}
