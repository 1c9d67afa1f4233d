import { readFile } from "node:fs/promises";
import { parquetReadObjects } from "hyparquet";
import { beforeAll, expect, test } from "vitest";
import type { InlinksView, RecordView, SearchView } from "../../src/api/views.ts";
import { redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import { crawl, run } from "./cli.ts";
import { shareServer } from "./served-sites.ts";

/** `orbweaver inlinks`: who links to a URL, and with what words; and what else knows the ranks of an analysis. */

const shared = shareServer();
let id = "";
let target = "";

beforeAll(async () => {
  const site = await startHandmadeSite({
    "/": `<title>Home</title><nav><a href=/a rel=nofollow>First</a></nav><p>A garden. See <a href="/a#top">the first page</a>. <a href=/b>B</a>`,
    "/a": "<title>A</title><p>The garden of A. <a href=/old>Old</a>",
    "/b": "<title>B</title><p>The garden of B. <a href=/>Home</a>",
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
