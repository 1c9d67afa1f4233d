import { readFile, writeFile } from "node:fs/promises";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, expect, test } from "vitest";
import type { ClassificationView, InlinksView, RecordView, SearchView, TopicsView } from "../../src/api/views.ts";
import { redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** What passes find, by the command line: who links to a URL, ranks, labels and topics. */

const shared = shareServer();
let id = "";
let target = "";

beforeAll(async () => {
  const site = await startHandmadeSite({
    "/": `<title>Home</title><nav><a href=/a rel=nofollow>First</a></nav><p>A garden. See <a href="/a#top">the first page</a>. <a href=/b>B</a>`,
    "/a": "<title>A</title><p>The garden of A. <a href=/old>Old</a>",
    "/b": "<title>B</title><p>The garden of B. <a href=/>Home</a> <a href=/c>C</a>",
    "/c": "<title>C</title><p>Only stones.",
    "/old": redirect("/a"),
  });
  const { dir, served } = shared;
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0", "--search", ...served.remote);
  await site.close();
  id = summary.id;
  target = `${site.origin}/a`;
});

test("who links to a URL is told after an analysis, and before it the command that makes one", async () => {
  const early = await run("inlinks", target, ...shared.served.remote);
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining(`orbweaver analyze ${id}`)]);
  await run("analyze", id, ...shared.served.remote);
  const found = JSON.parse((await run("inlinks", target, "--json", ...shared.served.remote)).stdout) as InlinksView;
  const link = { kind: "a", fragment: null, nofollow: false, rel: "" };
  expect([found.total, found.sources]).toEqual([
    2,
    [
      {
        url: new URL("/", target).href,
        title: "Home",
        redirects: false,
        links: [
          { ...link, text: "First", place: "navigation", nofollow: true, rel: "nofollow" },
          { ...link, text: "the first page", place: "content", fragment: "top" },
        ],
      },
      { url: new URL("/old", target).href, title: null, redirects: true, links: [] },
    ],
  ]);
  const { stdout } = await run("inlinks", target, "--limit", "1", "--crawl", id, ...shared.served.remote);
  expect(stdout).toContain('"First"  a, navigation, nofollow\n  "the first page"  a, content, #top\n');
  expect(stdout).toContain("1 more not shown");
});

test("records, an export and a search have the ranks of the analysis, and can be ordered by them", async () => {
  const flags = ["records", id, "--sort", "inLinks", "--descending", "--limit", "1", ...shared.served.remote];
  const records = (await run(...flags)).stdout.trimEnd().split("\n");
  expect(records.map((line) => JSON.parse(line) as RecordView)).toMatchObject([
    { url: target, inLinks: 2, rank: expect.any(Number) },
  ]);
  const file = `${shared.dir.path}/crawl.parquet`;
  expect(await run("export", id, "--format", "parquet", "--out", file, ...shared.served.remote)).toMatchObject({
    code: 0,
  });
  const rows = await parquetReadObjects({ file: new Uint8Array(await readFile(file)).buffer });
  expect(rows.find(({ url }) => url === target)).toMatchObject({ inLinks: 2n, fetchedAt: expect.any(Date) });
  const order = ["--order", "authority"];
  const found = await run("search", "garden", "--crawl", id, ...order, "--json", ...shared.served.remote);
  const { hits } = JSON.parse(found.stdout) as SearchView;
  expect(hits[0]).toMatchObject({ url: target, authority: expect.any(Number) });
  expect(hits).toHaveLength(3);
  const early = await run("search", "garden", ...order, ...shared.served.remote);
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("--crawl ID")]);
});

test("pages get labels by a file of examples, or by marks", async () => {
  const { dir, served } = shared;
  const at = (path: string) => new URL(path, target).href;
  const file = `${dir.path}/examples.csv`;
  const write = (lines: string[]) => writeFile(file, lines.join("\n"));
  const classify = (...flags: string[]) => run("classify", id, ...flags, ...served.remote);
  await write(["label,url", `garden,${at("/a")}`, "nonsense"]);
  const bad = await classify("--examples", file);
  expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining(`Line 3 of ${file} must be a label and a URL`)]);
  await write([`garden,${at("/a")}`, `garden ${at("/b")}`, `stones ${at("/c")}`]);
  const rare = await classify("--examples", file);
  expect([rare.code, rare.stderr]).toEqual([2, expect.stringContaining('The label "stones" has one example')]);
  await write([
    `garden,${at("/a")}`,
    `garden ${at("/b")}`,
    `stones ${at("/c")}`,
    `stones ${at("/")}`,
    `stones ${at("/no")}`,
  ]);
  const done = await classify("--examples", file);
  expect(done.stderr).toContain(`Left out: 1 example that is no completed page of this crawl:\n  ${at("/no")}`);
  expect(done.stdout).toContain("Cross-validation in 2 folds over 4 examples:");
  expect(done.stdout).toContain(`\nstones  1.00  ${at("/c")}\n`);
  const records = (await run("records", id, "--label", "garden", ...served.remote)).stdout.trimEnd().split("\n");
  expect(records.map((line) => (JSON.parse(line) as RecordView).url)).toEqual([at("/a"), at("/b")]);
  const csv = await run("export", id, "--format", "csv", "--label", "stones", ...served.remote);
  expect(csv.stdout.trimEnd().split("\r\n")).toHaveLength(3);
  // Without a file, the marks are the examples.
  const early = await classify();
  expect([early.code, early.stderr]).toEqual([2, expect.stringContaining("No page of this crawl is marked")]);
  await run("mark", id, "plants", at("/a"), at("/b"), ...served.remote);
  const marked = await run("mark", id, "rocks", at("/"), at("/c"), at("/no"), ...served.remote);
  expect([marked.code, marked.stderr]).toEqual([1, expect.stringContaining(at("/no"))]);
  expect((await run("marked", id, "--label", "rocks", ...served.remote)).stdout.split("\n")[1]).toBe(
    `rocks  ${at("/c")}`,
  );
  const found = JSON.parse((await classify("--json")).stdout) as ClassificationView;
  expect([found.byMarks, found.labels.map(({ label, pages }) => [label, pages])]).toEqual([
    true,
    [
      ["plants", 2],
      ["rocks", 2],
    ],
  ]);
  await run("unmark", id, at("/a"), ...served.remote);
  expect((await run("marked", id, ...served.remote)).stdout).not.toContain(at("/a"));
});

test("four pages have too little in common for topics, which is said", async () => {
  const before = await run("clusters", id, "--last", ...shared.served.remote);
  expect([before.code, before.stderr]).toEqual([1, expect.stringContaining("This crawl has no topics yet")]);
  const { stdout } = await run("clusters", id, ...shared.served.remote);
  expect(stdout).toContain("No groups: 4 pages");
  const found = JSON.parse(
    (await run("clusters", id, "--last", "--json", ...shared.served.remote)).stdout,
  ) as TopicsView;
  expect(found).toMatchObject({ pages: 4, topics: [] });
});
