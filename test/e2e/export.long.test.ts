import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FormattedRecordView } from "../../src/api/views.ts";
import { readSitemap } from "../../src/media/sitemap/sitemap.ts";
import { canonicalize } from "../../src/url/canonicalize.ts";
import { listedIn } from "../listed-in.ts";
import { readCsv } from "../read-csv.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, type OutRecord, run, type Served, scratch, serve, start } from "./cli.ts";

/** `orbweaver export` writes complete files, or none. */

const dir = scratch();
/** More than the 24 pages that one part of an export converts. */
const PAGES = 60;
let site: Site;
let served: Served;
let id: string;
let records: OutRecord[];

beforeAll(async () => {
  const paths = Array.from({ length: PAGES - 1 }, (_, i) => `/p${i}?a=1&b='2'`);
  site = await startHandmadeSite({
    "/robots.txt": { headers: { "content-type": "text/plain" }, body: "Sitemap: /sitemap.xml" },
    "/": page('=HYPERLINK("x", "y")', ...paths, "/missing"),
    ...Object.fromEntries(paths.map((path) => [path, page(`Page ${path}, “quoted”`)])),
  });
  served = await serve(join(dir.path, "served"));
  const crawled = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--concurrency", "8", ...served.remote);
  ({ records } = crawled);
  id = crawled.summary.id;
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

const exported = (...args: string[]) => run("export", id, ...args, ...served.remote);
const completed = () => records.filter(({ status }) => status === "completed");

describe("on the standard output", () => {
  test("jsonl with converted pages comes in several parts", async () => {
    const { code, stdout, stderr } = await run(
      ...["export", "latest", "--format", "jsonl", "--with", "text,rawHtml", ...served.remote],
    );
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    const found = lines.map((line) => JSON.parse(line) as FormattedRecordView);
    expect(found.map(({ url }) => url)).toEqual(records.map(({ url }) => url));
    expect(found).toHaveLength(PAGES + 1);
    for (const { url, status, title, text, rawHtml } of found) {
      const isKept = status === "completed";
      expect([url, typeof text]).toEqual([url, isKept ? "string" : "undefined"]);
      if (isKept) expect(rawHtml).toContain(`<title>${title}</title>`);
    }
  });

  test("csv can be read back, and its titles are not formulas", async () => {
    const [columns = [], ...rows] = readCsv((await exported("--format", "csv")).stdout);
    const found = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
    expect(found.map(({ url, title }) => [url, title])).toEqual(
      records.map(({ url, title }) => [url, title?.replace(/^=/, "'=") ?? ""]),
    );
  });

  test("markdown contains every page", async () => {
    const { stdout } = await exported("--format", "markdown");
    expect([...stdout.matchAll(/^url: (".*")$/gm)].map(([, url = ""]) => JSON.parse(url))).toEqual(
      completed().map(({ url }) => url),
    );
    expect(stdout).toContain('title: "=HYPERLINK(\\"x\\", \\"y\\")"\n');
  });
});

describe("in a file", () => {
  test("a sitemap can be read by our sitemap reader", async () => {
    const out = join(dir.path, "sitemap.xml");
    const { code, stdout, stderr } = await exported("--format", "sitemap", "--out", out);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^Wrote .* to .*sitemap\.xml\.\n$/);
    const { pages, problem, format } = await sitemapIn(out);
    expect([format, problem]).toEqual(["urlset", null]);
    expect(pages.map(({ url }) => url)).toEqual(completed().map(({ url }) => url));
  });

  test.each([
    ["a folder that does not exist", () => join(dir.path, "nowhere", "x.csv"), 1, "ENOENT"],
    ["an unknown format", () => "xlsx", 2, "Allowed choices"],
  ])("%s", async (_, value, code, words) => {
    const args = code === 2 ? ["--format", value()] : ["--format", "csv", "--out", value()];
    const ended = await exported(...args);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringContaining(words)]);
  });
});

async function sitemapIn(path: string) {
  const chunks = (async function* () {
    yield new Uint8Array(readFileSync(path));
  })();
  return listedIn(await readSitemap(chunks, `${site.origin}/sitemap.xml`, "application/xml", canonicalize));
}

/** A server whose export a test defines. */
describe("from an installation", () => {
  const servers: Site[] = [];
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
  });

  /** Serves `many` parts with the text of `text(part)`. A part of null never ends. */
  async function remote(many: number, text: (part: number) => string | null): Promise<string[]> {
    const server = await startSite(({ url = "" }, response) => {
      const { pathname, searchParams } = new URL(url, "http://x/");
      if (!pathname.endsWith("/export")) {
        response.end(JSON.stringify({ success: true, result: { id: "x", urls: ["https://a.test/docs/"] } }));
        return;
      }
      const part = Number(searchParams.get("cursor") ?? 0);
      const body = text(part);
      if (part + 1 < many)
        response.setHeader(
          "link",
          `</api/crawls/x/export?format=${searchParams.get("format")}&cursor=${part + 1}>; rel="next"`,
        );
      if (body === null) response.write("the beginning\n");
      else response.end(body);
    });
    servers.push(server);
    return ["--remote", server.origin, "--token", "t"];
  }

  const files = () => readdirSync(dir.path).filter((name) => name.startsWith("far"));
  const out = (name: string) => join(dir.path, name);

  /** Resolves when the first bytes of the endless answer have been written. */
  async function begun(partial: string): Promise<void> {
    while (!existsSync(partial) || !readFileSync(partial, "utf8").includes("beginning"))
      await new Promise((resolve) => setTimeout(resolve, 20));
  }

  test("many parts become one file", async () => {
    const at = await remote(40, (part) => `${part}\n`);
    const expected = Array.from({ length: 40 }, (_, part) => `${part}\n`).join("");
    expect(await run("export", "x", "--format", "jsonl", ...at)).toEqual({ code: 0, stdout: expected, stderr: "" });
    writeFileSync(out("far.jsonl"), "an older one");
    expect((await run("export", "x", "--format", "jsonl", "--out", out("far.jsonl"), ...at)).code).toBe(0);
    expect(readFileSync(out("far.jsonl"), "utf8")).toBe(expected);
    expect(files()).toEqual(["far.jsonl"]);
  });

  test("it requests only as much as the reader reads, and a closed pipe is no error", async () => {
    const at = await remote(200, (part) => `${part}\n`.repeat(100_000));
    const { child, ended } = start("export", "x", "--format", "jsonl", ...at);
    child.stdout?.pause();
    // The command asks for parts until its buffers are full, and then for a second no more.
    let asked = 0;
    for (let before = -1; asked === 0 || asked !== before; ) {
      before = asked;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      asked = servers.at(-1)?.log.length ?? 0;
    }
    expect(asked).toBeLessThan(20);
    child.stdout?.destroy();
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
    expect(servers.at(-1)?.log.length).toBeLessThan(30);
  });

  test("a slow reader gets every line", async () => {
    // The id is the number of records. The last of them fit into the pipe, or wait in the command until it is read.
    const server = await startSite(({ url = "" }, response) => {
      const many = Number(/crawls\/(\d+)/.exec(url)?.[1]);
      const records = Array.from({ length: many }, (_, i) => ({
        url: `https://a.test/${i}`,
        title: "x".repeat(1_000),
      }));
      response.end(JSON.stringify({ success: true, result: { records, cursor: null } }));
    });
    servers.push(server);
    const counts = Array.from({ length: 6 }, (_, i) => 300 + 12 * i);
    const written = counts.map(async (many) => {
      const { child, ended } = start("records", String(many), "--remote", server.origin, "--token", "t");
      child.stdout?.on("data", () => {
        child.stdout?.pause();
        setTimeout(() => child.stdout?.resume(), 50);
      });
      return (await ended).stdout.trimEnd().split("\n").length;
    });
    expect(await Promise.all(written)).toEqual(counts);
  });

  test("several sitemaps become numbered files with an index", async () => {
    const urlset = (part: number) =>
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.test/${part}</loc></url></urlset>`;
    const at = await remote(3, urlset);
    expect(await run("export", "x", "--format", "sitemap", ...at)).toEqual({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--out FILE"),
    });
    const { code, stderr } = await run("export", "x", "--format", "sitemap", "--out", out("far&.xml"), ...at);
    expect([code, stderr]).toEqual([0, expect.stringContaining("https://a.test/.")]);
    const { format, sitemaps } = await sitemapIn(out("far&.xml"));
    expect(format).toBe("index");
    expect(sitemaps.map(({ url }) => url)).toEqual([1, 2, 3].map((n) => `https://a.test/far%26-${n}.xml`));
    for (const n of [1, 2, 3]) expect(readFileSync(out(`far&-${n}.xml`), "utf8")).toBe(urlset(n - 1));
    expect(files().some((name) => name.endsWith(".part"))).toBe(false);
  });

  test("Ctrl-C leaves no file behind", async () => {
    const at = await remote(2, (part) => (part === 0 ? "first\n" : null));
    const running = start("export", "x", "--format", "csv", "--out", out("far.csv"), ...at);
    await begun(out("far.csv.part"));
    expect(existsSync(out("far.csv"))).toBe(false);
    running.child.kill("SIGINT");
    expect(await running.ended).toEqual({ code: 130, stdout: "", stderr: "" });
    expect(files()).not.toContain("far.csv");
    expect(files()).not.toContain("far.csv.part");
  });

  test("a broken answer is an error, and the older file stays", async () => {
    const at = await remote(1, () => null);
    writeFileSync(out("far.md"), "an older one");
    const running = start("export", "x", "--format", "markdown", "--out", out("far.md"), ...at);
    await begun(out("far.md.part"));
    await servers.at(-1)?.close();
    expect(await running.ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^The export broke off: /) });
    expect(readFileSync(out("far.md"), "utf8")).toBe("an older one");
    expect(existsSync(out("far.md.part"))).toBe(false);
  });
});
