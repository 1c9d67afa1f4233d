import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CrawlView } from "../../src/api/views.ts";
import type { Summary } from "../../src/cli/output/summary.ts";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { readRecords, run, scratch, serve } from "./cli.ts";

/** A crawl over three ledgers by the command line, on one's own machine and at an installation that is served. */

const HOSTS = Array.from({ length: 6 }, (_, i) => `127.0.0.${41 + i}`);
const PAGES = 8;
const dir = scratch();
const state = join(dir.path, "state");
let site: Site;
let seeds: string[];

beforeAll(async () => {
  site = await startSite(
    ({ url = "", headers: { host = "" } }, response) => {
      const page = Number(/^\/(\d*)$/.exec(url)?.[1] ?? Number.NaN);
      if (!(page < PAGES)) return void response.writeHead(404).end();
      const next = `/${page + 1}`;
      const other = `http://${HOSTS[(page * 5) % HOSTS.length]}:${host.split(":")[1]}${next}`;
      response
        .writeHead(200, HTML)
        .end(
          `<title>Page ${page}</title><p>Spiders of ${host}</p><a href="${next}">on</a><a href="${other}">there</a>`,
        );
    },
    { host: "0.0.0.0" },
  );
  seeds = HOSTS.map((host) => `http://${host}:${site.port}/`);
  await (await serve(state, "--ledgers", "3")).close();
});

afterAll(async () => {
  await site.close();
  dir.remove();
});

const FAST = ["--shards", "3", "--delay", "0", "--source", "links", "--search", "--markdown"];

/** What a user would do with a crawl, wherever it runs. */
async function use(...at: string[]): Promise<void> {
  const out = join(dir.path, at.length === 2 ? "local" : "remote");
  const total = HOSTS.length * PAGES;
  const first = await run("crawl", ...seeds, ...FAST, "--limit", "30", "--out", out, ...at);
  expect([first.code, first.stdout, first.stderr]).toEqual([
    0,
    expect.stringContaining("Completed: 30 pages"),
    expect.not.stringContaining("divided"),
  ]);
  const [{ id }] = JSON.parse((await run("list", "--json", ...at)).stdout) as [CrawlView];
  const retried = await run("retry", id, "--reason", "limit", "--limit", "500", "--out", out, ...at);
  expect([retried.code, retried.stdout]).toEqual([0, expect.stringContaining(`Completed: ${total} pages`)]);
  const completed = readRecords(out).filter(({ status }) => status === "completed");
  expect(new Set(completed.map(({ url }) => url)).size).toBe(total);
  expect((await run("analyze", id, ...at)).code).toBe(0);
  const wacz = `${out}.wacz`;
  const commands: [string[], string][] = [
    [["report", id, "--format", "csv"], `${seeds[4]}${PAGES}`],
    [["inlinks", `${seeds[1]}1`, "--crawl", id], seeds[1] ?? ""],
    [["sections", id], "127.0.0.4"],
    [["export", id, "--format", "wacz", "--out", wacz], ""],
    [["import", wacz], `${total} pages`],
    [["export", id, "--format", "folder", "--out", `${out}-folder`], `${total} pages`],
    [["status", id], `${total} pages`],
    [["records", id], `127.0.0.44:${site.port}/5`],
    [["explain", `${seeds[2]}3`], "Completed"],
    // The pages of a host say the same.
    [["search", "spiders", "--crawl", id], `${HOSTS.length} pages match`],
    [["versions", `${seeds[1]}2`], "200"],
    [["export", id, "--format", "urls"], `${seeds[5]}7`],
    [["export", id, "--format", "markdown"], `Spiders of ${HOSTS[3]}`],
    [["webhooks", "list", id], ""],
    [["webhooks", "deliveries", id], ""],
  ];
  for (const [command, expected] of commands) {
    const { code, stdout, stderr } = await run(...command, ...at);
    expect([command, code, stdout + stderr]).toEqual([command, 0, expect.stringContaining(expected)]);
  }
  const broken = await run("crawl", ...seeds, ...FAST, "--fail-on", "broken", ...at);
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("Found: broken (")]);
  const json = await run("crawl", ...seeds, ...FAST, "--json", ...at);
  expect([json.code, (JSON.parse(json.stdout) as Summary).completed]).toEqual([0, total]);
  for (const each of [id, (JSON.parse(json.stdout) as Summary).id])
    expect((await run("delete", each, "--yes", ...at)).code).toBe(0);
}

test("on one's own machine", () => use("--state", state));

test("at an installation that is served", async () => {
  const { remote, close } = await serve(state);
  try {
    await use(...remote);
  } finally {
    await close();
  }
});
