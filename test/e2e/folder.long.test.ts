import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HTML, page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import {
  crawl,
  type Ended,
  type OutRecord,
  type Running,
  readRecords,
  run,
  type Served,
  scratch,
  serve,
  start,
} from "./cli.ts";
import { killAll } from "./kill-all.ts";

/** The folder of `--out`: complete or marked as incomplete, written again at any time, and never of two crawls. */

const PAGES = 60;
const dir = scratch();
const QUICK = ["--delay", "0", "--concurrency", "8"];
let site: Site;
let served: Served;
let id: string;
let records: OutRecord[];

beforeAll(async () => {
  const paths = Array.from({ length: PAGES - 1 }, (_, i) => `/p${i}.html`);
  site = await startHandmadeSite({
    "/": page("Home", ...paths, "/missing"),
    ...Object.fromEntries(paths.map((path) => [path, page(`Page ${path}`, "/")])),
  });
  served = await serve(join(dir.path, "served"));
  const crawled = await crawl(dir.path, `${site.origin}/`, ...QUICK, ...served.remote);
  ({ records } = crawled);
  id = crawled.summary.id;
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

/** All files below a folder. */
function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(path, name)).filter((file) => statSync(file).isFile());
}

const hashOf = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
const hashes = () => new Set(records.flatMap(({ sha256 }) => sha256 ?? []));
const completed = () => records.filter(({ status }) => status === "completed");

/** Expects every page, byte for byte, and the same records as the first folder. */
function expectComplete(out: string): void {
  expect(readRecords(out)).toEqual(records);
  for (const { file, sha256 } of completed()) expect(hashOf(join(out, file ?? ""))).toBe(sha256);
  expect(filesIn(join(out, "pages"))).toHaveLength(PAGES);
  expect(readdirSync(out).sort()).toEqual(["crawl.json", "pages", "records.jsonl"]);
}

describe("a completed crawl is written again", () => {
  test("by `resume ID --out`, which fetches no page again", async () => {
    const asked = site.log.length;
    const out = join(dir.path, "again");
    for (const _ of ["a new folder", "its own folder"]) {
      const ended = await run("resume", id, "--out", out, ...served.remote);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain(`Wrote ${PAGES} pages and records.jsonl to ${out}.\n`);
      expectComplete(out);
    }
    expect(site.log.length).toBe(asked);
  });

  test("as one ZIP of the same files, by `export ID --out FILE.zip`", async () => {
    const file = join(dir.path, "site.zip");
    const ended = await run("export", id, "--out", file, ...served.remote);
    expect([ended.code, ended.stdout]).toEqual([0, ""]);
    const entries = unzipSync(readFileSync(file));
    const out = join(dir.path, "beside");
    await run("export", id, "--format", "folder", "--out", out, ...served.remote);
    const pages = filesIn(join(out, "pages")).map((path) => path.slice(out.length + 1));
    expect(Object.keys(entries).sort()).toEqual(["index.html", "records.jsonl", ...pages].sort());
    for (const path of pages) expect(Buffer.from(entries[path] ?? []), path).toEqual(readFileSync(join(out, path)));
    const lines = strFromU8(entries["records.jsonl"] ?? new Uint8Array())
      .trimEnd()
      .split("\n");
    const filesOf = (all: { url: string; file: string | null }[]) => all.map(({ url, file }) => [url, file]);
    expect(filesOf(lines.map((line) => JSON.parse(line)))).toEqual(filesOf(readRecords(out)));
    const first = `pages/127.0.0.1~${site.port}/index.html`;
    expect(strFromU8(entries["index.html"] ?? new Uint8Array())).toContain(`<a href="${first}">${site.origin}/</a>`);
  });

  test("by `export ID --format folder --out`", async () => {
    const out = join(dir.path, "exported");
    const ended = await run("export", id, "--format", "folder", "--out", out, ...served.remote);
    expect([ended.code, ended.stdout]).toEqual([0, ""]);
    const first = join(out, "pages", `127.0.0.1~${site.port}`, "index.html");
    expect(ended.stderr).toBe(`Wrote ${PAGES} pages and records.jsonl to ${out}. Open ${first} in a browser.\n`);
    const written = readRecords(out);
    expect(written).toEqual(records);
    expect(filesIn(join(out, "pages")).sort()).toEqual(
      completed()
        .map(({ file }) => join(out, file ?? ""))
        .sort(),
    );
  });

  test("on this machine, without a server", async () => {
    const state = join(dir.path, "local");
    const first = await run("crawl", `${site.origin}/`, ...QUICK, "--state", state);
    const [, localId = ""] = /Crawl (\S+) started/.exec(first.stdout) ?? [];
    for (const args of [
      ["resume", localId],
      ["export", localId, "--format", "folder"],
    ]) {
      const out = join(dir.path, `local-${args[0]}`);
      expect((await run(...args, "--out", out, "--state", state)).code).toBe(0);
      expect(readRecords(out).map(({ url, file }) => [url, file])).toEqual(records.map(({ url, file }) => [url, file]));
    }
  });

  test.each([
    [["--format", "folder"], "--out DIR"],
    [["--format", "folder", "--out", "x", "--status", "completed"], "no --status"],
    [["--format", "folder", "--out", "x", "--with", "markdown"], "no --with"],
  ])("but not with %j", async (args, words) => {
    const ended = await run("export", id, ...args, ...served.remote);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test("and without --out the refusal stays", async () => {
    const ended = await run("resume", id, ...served.remote);
    expect([ended.code, ended.stderr]).toEqual([1, "This crawl is completed, so it cannot be resumed.\n"]);
  });
});

/** Forwards requests to the server. After `most` pages, a download gets half of its page and no end. */
async function startStallingProxy(most: number): Promise<Site> {
  let pages = 0;
  return startSite(async ({ url = "", method = "GET" }, response) => {
    const headers = { authorization: `Bearer ${served.token}` };
    const answer = await fetch(served.address + url, { method, headers });
    const body = Buffer.from(await answer.arrayBuffer());
    if (url.includes("/page?")) pages += 1;
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    if (pages <= most) response.end(body);
    else response.write(body.subarray(0, body.length / 2));
  });
}

/** Resolves when the condition holds. Fails if the command ends before. */
async function reached(running: Running, condition: () => boolean): Promise<void> {
  let end: Ended | null = null;
  void running.ended.then((ended) => {
    end = ended;
  });
  while (!condition()) {
    expect(end).toBeNull();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("after a kill the folder has complete files alone and no records.jsonl, and `resume --out` completes it", async () => {
  const proxy = await startStallingProxy(40);
  const out = join(dir.path, "killed");
  const running = start("resume", id, "--out", out, "--remote", proxy.origin, "--token", "t");
  const downloads = () => proxy.log.filter(({ path }) => path.includes("/page?")).length;
  await reached(running, () => downloads() > 40 && filesIn(join(out, "pages")).length >= 32);
  await killAll(running);
  await proxy.close();

  expect(existsSync(join(out, "records.jsonl"))).toBe(false);
  expect(JSON.parse(readFileSync(join(out, "crawl.json"), "utf8"))).toMatchObject({ id, urls: [`${site.origin}/`] });
  const written = filesIn(join(out, "pages"));
  expect(written.length).toBeLessThan(PAGES);
  for (const file of written) expect(hashes()).toContain(hashOf(file));

  // The folder says which crawl it belongs to.
  expect((await run("resume", "--out", out, ...served.remote)).code).toBe(0);
  expectComplete(out);
});

test("a kill while a complete folder is written again leaves no records.jsonl", async () => {
  const proxy = await startStallingProxy(20);
  const out = join(dir.path, "rewritten");
  expect((await run("resume", id, "--out", out, ...served.remote)).code).toBe(0);
  const running = start("resume", id, "--out", out, "--remote", proxy.origin, "--token", "t");
  await reached(running, () => proxy.log.filter(({ path }) => path.includes("/page?")).length > 20);
  await killAll(running);
  await proxy.close();
  expect(existsSync(join(out, "records.jsonl"))).toBe(false);
  expect((await run("resume", "--out", out, ...served.remote)).code).toBe(0);
  expectComplete(out);
});

test("a folder belongs to a crawl from its start: another that is started meanwhile is refused", async () => {
  const held = Promise.withResolvers<void>();
  const slow = await startSite(async ({ url = "" }, response) => {
    if (url !== "/") return void response.writeHead(404).end();
    await held.promise;
    response.writeHead(200, HTML).end(page("Slow"));
  });
  const out = join(dir.path, "with space");
  const first = start("crawl", `${slow.origin}/`, ...QUICK, "--out", out, ...served.remote);
  const owner = () => JSON.parse(readFileSync(join(out, "crawl.json"), "utf8")) as { id: string };
  await reached(first, () => existsSync(join(out, "crawl.json")));
  const asked = site.log.length;
  const second = await run("crawl", `${site.origin}/`, ...QUICK, "--out", out, ...served.remote);
  expect([second.code, second.stdout, site.log.length]).toEqual([1, "", asked]);
  expect(second.stderr).toBe(
    `The folder ${out} belongs to crawl ${owner().id}. Choose another with --out DIR, or remove this one. ` +
      `To write that crawl again: npm run orbweaver -- resume ${owner().id} --out '${out}' --remote ${served.address}\n`,
  );
  held.resolve();
  expect((await first.ended).code).toBe(0);
  expect(readRecords(out).map(({ url }) => url)).toEqual([`${slow.origin}/`]);
  await slow.close();
});

test("a crawl whose folder is taken when it starts says how it is written to another", async () => {
  const out = join(dir.path, "taken");
  // The folder is claimed after it was checked, and before the crawl has started.
  const proxy = await startSite(async ({ url = "", method = "GET" }, response) => {
    if (url === "/api/crawls" && method === "POST") writeFileSync(join(out, "crawl.json"), '{"id":"another"}');
    const headers = { authorization: `Bearer ${served.token}`, "content-type": "application/json" };
    const body = method === "POST" ? JSON.stringify({ urls: [`${site.origin}/`], limit: 1 }) : null;
    const answer = await fetch(served.address + url, { method, headers, body });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  const remote = ["--remote", proxy.origin, "--token", "t"];
  const { code, stderr } = await run("crawl", `${site.origin}/`, "--limit", "1", "--out", out, ...remote);
  await proxy.close();
  expect([code, stderr]).toEqual([1, expect.stringContaining(`The folder ${out} belongs to crawl another.`)]);
  expect(stderr).toMatch(/\nTo write crawl \S+ to another: npm run orbweaver -- resume \S+ --out DIR --remote \S+\n$/);
  expect(stderr).not.toContain("Write it again with");
});

test("a server that stops in between leaves no records.jsonl, and the message says how to go on", async () => {
  const proxy = await startStallingProxy(20);
  const out = join(dir.path, "broken");
  const remote = ["--remote", proxy.origin, "--token", "t"];
  const running = start("resume", id, "--out", out, ...remote);
  await reached(running, () => filesIn(join(out, "pages")).length >= 16);
  await proxy.close();
  const { code, stderr } = await running.ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`The folder ${out} is not complete, but the crawl has all its pages. Write it again with: `);
  expect(stderr).toContain(`npm run orbweaver -- resume ${id} --out ${out} --remote ${proxy.origin}\n`);
  expect(readdirSync(out).sort()).toEqual(["crawl.json", "pages"]);
});

describe("a folder of another crawl is refused", () => {
  test.each([
    ["crawl", () => ["crawl", `${site.origin}/`, ...QUICK]],
    ["resume", () => ["resume", "other"]],
    ["retry", () => ["retry", "other"]],
  ])("by `%s`, before anything happens", async (_, args) => {
    const out = join(dir.path, "out");
    const before = [readFileSync(join(out, "records.jsonl"), "utf8"), site.log.length];
    const { code, stdout, stderr } = await run(...args(), "--out", out, ...served.remote);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      `The folder ${out} belongs to crawl ${id}. Choose another with --out DIR, or remove this one. ` +
        `To write that crawl again: npm run orbweaver -- resume ${id} --out ${out} --remote ${served.address}\n`,
    );
    expect([readFileSync(join(out, "records.jsonl"), "utf8"), site.log.length]).toEqual(before);
  });

  test("by `export`", async () => {
    const other = join(dir.path, "other");
    mkdirSync(other);
    writeFileSync(join(other, "crawl.json"), '{"id":"another"}');
    const { code, stderr } = await run("export", id, "--format", "folder", "--out", other, ...served.remote);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The folder ${other} belongs to crawl another.`)]);
    expect(readdirSync(other)).not.toContain("records.jsonl");
  });
});
