import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { proportionalBytes } from "../attack/watch-processes.ts";
import { HTML } from "../sites/handmade-site.ts";
import { EITHER, HOSTILE_SCRIPTS } from "../sites/hostile-scripts.ts";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl } from "./cli.ts";
import { descendantsOf } from "./kill-all.ts";
import { shareServer } from "./served-sites.ts";

/**
 * Pages whose scripts flood, fill or hang what draws them, beside honest pages: each costs itself alone. One of each
 * kind: `npm run attack` serves all of them.
 */

const browser = findBrowser("pages with hostile scripts");
const shared = shareServer();
const ARGS = ["--render", "always", "--delay", "0", "--concurrency", "2", "--max-attempts", "3", "--source", "links"];
/** As the promise of `npm run attack`. */
const MOST_BYTES = 2 * 1024 ** 3;
/** `npm run attack` measures a second, with the machine to itself. A frozen installation is silent for minutes. */
const MOST_HEALTH_MS = 30_000;
const LOOK_EVERY_MS = 250;

const CHOSEN = ["data-fetches", "requests-flood", "links-megabytes", "memory-loop", "endless-loop"];

const HONEST = Array.from({ length: 12 }, (_, at) => `/honest/${at}`);
/** A page of an application, with as many pictures and `data:` URLs as a large one has. */
const honest = (path: string) => `<title>plain</title><div id=root></div><script>
  fetch("${path}.json").then((answer) => answer.json()).then(({ words }) => {
    document.getElementById("root").textContent = words.repeat(20); document.title = "drawn";
    for (let at = 0; at < 300; at++) { fetch("data:text/plain," + at); new Image().src = "/picture/" + at + ".png"; } });
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

/** Looks at the installation until `work` ends: the longest answer of /health, and the most memory of its processes. */
async function watch<T>(work: Promise<T>): Promise<{ result: T; healthMs: number; bytes: number }> {
  const { address, pid } = shared.served;
  let isOver = false;
  let healthMs = 0;
  let bytes = 0;
  const watching = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      await fetch(`${address}/health`).then((answer) => answer.arrayBuffer());
      healthMs = Math.max(healthMs, performance.now() - startedAt);
      const now = [pid, ...descendantsOf(pid)].reduce((sum, one) => sum + proportionalBytes(one), 0);
      bytes = Math.max(bytes, now);
      await sleep(LOOK_EVERY_MS);
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
    const hostile = Object.entries(HOSTILE_SCRIPTS).filter(([name]) => CHOSEN.includes(name));
    expect(hostile).toHaveLength(CHOSEN.length);
    const honestPages = HONEST.map((path): [string, string] => [path, honest(path)]);
    const hostilePages = hostile.map(([name, { body }]): [string, string] => [`/${name}`, body]);
    const site = await open("127.0.0.1", new Map([...honestPages, ...hostilePages]));
    const calm = await open("127.0.0.2", new Map(honestPages));
    const seeds = [`${site.origin}/`, `${calm.origin}/`];
    const crawling = crawl(join(shared.dir.path, "hostile"), ...seeds, ...ARGS, ...shared.served.remote);
    const { result, healthMs, bytes } = await watch(crawling);
    const outcomes = hostile.map(([name]) => {
      const { status, reason, title, explanation } = result.byUrl.get(`${site.origin}/${name}`) ?? {};
      return { name, outcome: `${status} ${reason}`, said: reason === null ? title : explanation };
    });
    const unexpected = outcomes.filter(({ name, outcome }) => {
      const expected = HOSTILE_SCRIPTS[name]?.outcome;
      return expected === EITHER ? !EITHER.split(" or ").includes(outcome) : outcome !== expected;
    });
    expect(unexpected).toEqual([]);
    for (const { said } of outcomes) expect(said).toMatch(/^drawn$|than the crawl gives a page: /);
    const honestOnes = [site, calm].flatMap(({ origin }) => HONEST.map((path) => result.byUrl.get(`${origin}${path}`)));
    for (const page of honestOnes) expect(page).toMatchObject({ status: "completed" });
    // A page whose time is over while others take the machine is kept as far as it was drawn.
    expect(honestOnes.filter((page) => page?.title === "drawn").length).toBeGreaterThan(HONEST.length);
    expect(healthMs).toBeLessThan(MOST_HEALTH_MS);
    expect(bytes).toBeLessThan(MOST_BYTES);
    // Pages that never end take their time, and some are tried twice.
  }, 900_000);
});
