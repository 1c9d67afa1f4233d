import { afterAll, expect, test } from "vitest";
import type { InlinksView } from "../../src/api/views.ts";
import { page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import { crawl, run, scratch } from "./cli.ts";

/** `orbweaver inlinks`: who links to a URL, and with what words. */

const dir = scratch();
afterAll(() => dir.remove());

test("who links to a URL is told after an analysis, and before it the command that makes one", async () => {
  const site = await startHandmadeSite({
    "/": `<title>Home</title><nav><a href=/a rel=nofollow>First</a></nav><p>See <a href="/a#top">the first page</a>. <a href=/b>B</a>`,
    "/a": page("A", "/old"),
    "/b": page("B", "/"),
    "/old": redirect("/a"),
  });
  const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0");
  await site.close();
  const state = ["--state", `${dir.path}/state`];
  const target = `${site.origin}/a`;
  const early = await run("inlinks", target, ...state);
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining(`orbweaver analyze ${summary.id}`)]);
  await run("analyze", summary.id, ...state);
  const found = JSON.parse((await run("inlinks", target, "--json", ...state)).stdout) as InlinksView;
  const link = { kind: "a", fragment: null, nofollow: false, rel: "" };
  expect([found.total, found.sources]).toEqual([
    2,
    [
      {
        url: `${site.origin}/`,
        title: "Home",
        redirects: false,
        links: [
          { ...link, text: "First", place: "navigation", nofollow: true, rel: "nofollow" },
          { ...link, text: "the first page", place: "content", fragment: "top" },
        ],
      },
      { url: `${site.origin}/old`, title: null, redirects: true, links: [] },
    ],
  ]);
  const { stdout } = await run("inlinks", target, "--limit", "1", "--crawl", summary.id, ...state);
  expect(stdout).toContain('"First"  a, navigation, nofollow\n  "the first page"  a, content, #top\n');
  expect(stdout).toContain("1 more not shown");
});
