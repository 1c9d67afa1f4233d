import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { proportionalBytes } from "../attack/watch-processes.ts";
import { HTML } from "../sites/handmade-site.ts";
import { HOSTILE_SCRIPTS } from "../sites/hostile-scripts.ts";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl } from "./cli.ts";
import { descendantsOf } from "./kill-all.ts";
import { shareServer } from "./served-sites.ts";

/** Pages whose scripts flood, fill or hang what draws them, beside honest pages: each costs itself alone. */

const browser = findBrowser("pages with hostile scripts");
const shared = shareServer();
const ARGS = ["--render", "always", "--delay", "0", "--max-attempts", "2", "--source", "links"];
/** As the promise of `npm run attack`. */
const MOST_BYTES = 2 * 1024 ** 3;
const MOST_HEALTH_MS = 1_000;

const HONEST = Array.from({ length: 12 }, (_, at) => `/honest/${at}`);
const honest = (path: string) => `<title>plain</title><div id=root></div><script>
  fetch("${path}.json").then((answer) => answer.json()).then(({ words }) => {
    document.title = "drawn"; document.getElementById("root").textContent = words.repeat(20);
    fetch("data:text/plain,x"); for (let at = 0; at < 300; at++) new Image().src = "/picture/" + at + ".png"; });
</script>`;

/** A host with these pages, all linked from its home page. */
async function open(host: string, pages: ReadonlyMap<string, string>): Promise<Site> {
  const home = [...pages.keys()].map((path) => `<a href="${path}">page</a>`).join(" ");
  const site = await startSite(
    ({ url = "/" }, response) => {
      const body = url === "/" ? `<title>home</title>${home}` : pages.get(url);
      if (body !== undefined) return void response.writeHead(200, HTML).end(body);
      const isData = /^\/honest\/\d+\.json$/.test(url);
      response.writeHead(isData ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify({ words: "Words that a script brings. " }));
    },
    { host },
  );
  shared.sites.push(site);
  return site;
}

/** Asks for /health until `work` ends. Resolves with the longest time in milliseconds, and the most bytes in memory. */
async function watch<T>(work: Promise<T>): Promise<{ result: T; healthMs: number; bytes: number }> {
  let isOver = false;
  let healthMs = 0;
  let bytes = 0;
  const { address, pid } = shared.served;
  const watching = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await fetch(`${address}/health`, { signal: AbortSignal.timeout(60_000) }).then((answer) => answer.arrayBuffer());
      const ms = performance.now() - startedAt;
      if (ms > 300) console.log("health", Math.round(ms));
      healthMs = Math.max(healthMs, ms);
      const now = [pid, ...descendantsOf(pid)].reduce((sum, one) => sum + proportionalBytes(one), 0);
      bytes = Math.max(bytes, now);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  const result = await work.finally(() => {
    isOver = true;
  });
  await watching;
  return { result, healthMs, bytes };
}

describe.skipIf(browser === undefined)("a page with hostile scripts", () => {
  test("ends alone, with its reason, while honest pages come and /health answers", async () => {
    const only = process.env.ONLY?.split(",");
    const hostile = Object.entries(HOSTILE_SCRIPTS).filter(([name]) => only?.includes(name) ?? true);
    const mixed = new Map([
      ...HONEST.map((path): [string, string] => [path, honest(path)]),
      ...hostile.map(([name, { body }]): [string, string] => [`/${name}`, body]),
    ]);
    const site = await open("127.0.0.1", mixed);
    const calm = await open("127.0.0.2", new Map(HONEST.map((path) => [path, honest(path)])));
    const folder = join(shared.dir.path, "hostile");
    const seeds = [`${site.origin}/`, `${calm.origin}/`];
    const crawling = crawl(folder, ...seeds, ...ARGS, "--concurrency", "2", ...shared.served.remote);
    const { result, healthMs, bytes } = await watch(crawling);
    console.log({ healthMs, mb: bytes / 1e6 });
    const outcomes = (pages: Iterable<string>) =>
      Object.fromEntries(
        [...pages].map((path) => {
          const record = result.byUrl.get(`${site.origin}${path}`);
          if (process.env.ONLY || process.env.SHOW) console.log(path, record?.reason, record?.detail, record?.rendered);
          return [path, `${record?.status} ${record?.reason ?? null} ${record?.reason ? "" : record?.title}`.trim()];
        }),
      );
    expect(outcomes(hostile.map(([name]) => `/${name}`))).toEqual(
      Object.fromEntries(
        hostile.map(([name, { outcome }]) => [
          `/${name}`,
          outcome.startsWith("completed") ? `${outcome} drawn` : outcome,
        ]),
      ),
    );
    for (const { origin } of [site, calm])
      for (const path of HONEST)
        expect(result.byUrl.get(`${origin}${path}`)).toMatchObject({ status: "completed", title: "drawn" });
    expect(healthMs).toBeLessThan(MOST_HEALTH_MS);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});
