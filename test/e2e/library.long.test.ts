import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { crawl, read } from "../../src/cli/library/library.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { callApi } from "./api-calls.ts";
import { run, startScript } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** The library with an installation elsewhere, and with one of its own. */

const LIBRARY = join(import.meta.dirname, "..", "..", "src", "cli", "library", "library.ts");
const PAGES = Array.from({ length: 30 }, (_, i) => `/p${i + 1}`);
const FAST = { politeness: { minDelayMs: 0 }, source: "links" } as const;
const shared = shareServer();
let site: Site;

beforeAll(async () => {
  site = await startHandmadeSite({
    "/": page("home", ...PAGES, "/gone"),
    ...Object.fromEntries(PAGES.map((path) => [path, page(path.slice(1))])),
  });
  shared.sites.push(site);
});

const remote = () => ({ remote: shared.served.address, token: shared.served.token });

async function listed(): Promise<{ id: string; status: string }[]> {
  return JSON.parse((await run("list", "--json", ...shared.served.remote)).stdout);
}

test("each page comes once, with its formats, and the summary after them", async () => {
  const run = crawl(site.origin, { ...FAST, ...remote() });
  expect([run.id, run.summary]).toEqual([null, null]);
  const pages = [];
  for await (const each of run) pages.push(each);
  expect(pages[0]?.url).toBe(`${site.origin}/`);
  expect(pages.map(({ url }) => new URL(url).pathname).sort()).toEqual(["/", ...PAGES].sort());
  expect(pages.every(({ status, markdown }) => status === "completed" && markdown !== undefined)).toBe(true);
  expect(run.summary).toMatchObject({ id: run.id, status: "completed", completed: 31, errored: 1 });

  const all = crawl(site.origin, { ...FAST, ...remote(), records: "all", formats: [], resume: run.id ?? "" });
  const statuses = [];
  for await (const { status, markdown } of all) statuses.push(`${status} ${markdown}`);
  expect(statuses.filter((each) => each === "errored undefined")).toHaveLength(1);
  expect(statuses).toHaveLength(32);
});

test("a file of cookies is for this crawl alone", async () => {
  const seen: (string | undefined)[] = [];
  const members = await startSite(({ url, headers }, response) => {
    if (url !== "/") return void response.writeHead(404).end();
    seen.push(headers.cookie);
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Members</title><p>Words of members.</p>");
  });
  shared.sites.push(members);
  const cookieFile = join(shared.dir.path, "cookies.txt");
  writeFileSync(cookieFile, "127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tmember\n");
  const pages = [];
  for await (const { title } of crawl(members.origin, { ...FAST, ...remote(), cookieFile })) pages.push(title);
  for await (const { title } of crawl(members.origin, { ...FAST, ...remote() })) pages.push(title);
  expect([pages, seen]).toEqual([
    ["Members", "Members"],
    ["sid=member", undefined],
  ]);
  const both = crawl(members.origin, { ...FAST, ...remote(), cookieFile, session: "wiki" });
  await expect(both[Symbol.asyncIterator]().next()).rejects.toThrow("Give either --cookie-file or --session.");
});

test("leaving the loop cancels the crawl, and so does a signal; with `resume` it is paused and goes on", async () => {
  const paced = { ...FAST, politeness: { minDelayMs: 200 }, ...remote() };
  const left = crawl(site.origin, paced);
  for await (const _ of left) break;
  const stop = new AbortController();
  const stopped = crawl(site.origin, { ...paced, signal: stop.signal });
  const reading = (async () => {
    for await (const _ of stopped) stop.abort(new Error("enough"));
  })();
  await expect(reading).rejects.toThrow("enough");
  const thrown = crawl(site.origin, paced);
  const failing = (async () => {
    for await (const _ of thrown) throw new TypeError("own");
  })();
  await expect(failing).rejects.toThrow(TypeError);
  for (const { summary } of [left, stopped, thrown]) expect(summary?.status).toBe("cancelled_by_user");

  const slow = { ...paced, resume: true };
  const first = crawl(`${site.origin}/p1`, slow);
  for await (const _ of crawl(site.origin, slow)) break;
  const again = crawl(site.origin, { ...slow, limit: 1 });
  for await (const _ of again) {
    const now = await callApi<{ status: string }>(shared.served, "GET", `/api/crawls/${again.id}`);
    expect(now.status).toBe("running");
    break;
  }
  expect(again.summary?.status).toBe("paused");
  for await (const _ of first);
  expect(first.summary?.status).toBe("completed");
});

test("a page is read, and nothing is kept; errors say what to do", async () => {
  const before = (await listed()).length;
  expect((await read(`${site.origin}/p3`, { ...remote(), formats: ["text"] })).text).toContain("p3");
  await expect(read(`${site.origin}/gone`, remote())).rejects.toMatchObject({ code: "not-read" });
  expect(await listed()).toHaveLength(before);
  const failing = (options: object) => crawl(site.origin, options)[Symbol.asyncIterator]().next();
  await expect(failing({ ...remote(), limt: 3 })).rejects.toMatchObject({ code: "invalid-option", option: "limt" });
  await expect(failing({ ...remote(), token: "no" })).rejects.toMatchObject({ code: "unauthorized" });
  await expect(failing({ ...remote(), resume: "abcd" })).rejects.toMatchObject({ code: "not-found" });
  await expect(failing({ remote: "http://127.0.0.1:1/", token: "t" })).rejects.toMatchObject({ code: "unreachable" });
});

test("on this machine, crawls of a process share an installation that is gone at the end, and the process ends", async () => {
  const script = join(shared.dir.path, "own.ts");
  writeFileSync(
    script,
    `import { crawl } from ${JSON.stringify(LIBRARY)};
const options = { politeness: { minDelayMs: 0 }, source: "links" } as const;
const count = async (path: string, most = 99) => {
  let pages = 0;
  for await (const _ of crawl(${JSON.stringify(site.origin)} + path, options)) if (++pages === most) break;
  return pages;
};
console.log(JSON.stringify(await Promise.all([count("/"), count("/p1"), count("/p2"), count("/", 2)])));`,
  );
  const TMPDIR = join(shared.dir.path, "tmp");
  mkdirSync(TMPDIR);
  const { ended } = startScript(script, [], { cwd: shared.dir.path, env: { ...process.env, TMPDIR } });
  expect(await ended).toEqual({ code: 0, stdout: "[31,1,1,2]\n", stderr: "" });
  expect(readdirSync(TMPDIR)).toEqual([]);
  expect(existsSync(join(shared.dir.path, ".orbweaver"))).toBe(false);
});
