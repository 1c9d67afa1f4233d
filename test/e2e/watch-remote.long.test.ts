import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { CrawlView, InlinksView } from "../../src/api/views.ts";
import type { Site } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { run, type Served, scratch, serveWith, start } from "./cli.ts";
import { articleOf, startTaggedSite, until } from "./watched-site.ts";

/** `watch --remote` while its server is started again, and what a watch keeps of pages that read the same. */

const TEXT = "Words that stay the same in this page, again and again, so that it has a text. ".repeat(5);
const EVERY = ["--every", "1h", "--fixed", "--delay", "0", "--source", "links"];
/** A second of its clock is a real millisecond. */
const SPEED = 1_000;

const dir = scratch();
const open: (Site | Served)[] = [];
afterAll(async () => {
  for (const each of open) await each.close();
  dir.remove();
});

/** Starts `serve` with a clock that goes on from the real one. `port`: 0 for a free one. */
async function serveAt(port: string): Promise<Served> {
  const clock = `2031-01-01T00:00:00Z ${SPEED} ${BEGAN}`;
  const token = createHash("sha256").update(dir.path).digest("hex");
  return serveWith({ ORBWEAVER_CLOCK: clock }, join(dir.path, "state"), ["--port", port, "--token", token]);
}
const BEGAN = new Date().toISOString();

test("a watch outlives a restart of its server, is not started twice, and keeps the links of today", {
  timeout: 300_000,
}, async () => {
  const pages: Record<string, string> = {
    "/": articleOf("Home", [`Home. ${TEXT}`], "/a", "/b"),
    "/a": articleOf("A", [`Page a. ${TEXT}`], "/broken"),
    "/b": articleOf("B", [`Page b. ${TEXT}`]),
    "/mended": articleOf("M", [`This page is mended. ${TEXT}`]),
  };
  const site = await startTaggedSite(pages, "127.0.0.66");
  open.push(site);
  const seed = `${site.origin}/`;
  let server = await serveAt("0");
  const { port } = new URL(server.address);
  const watch = start("watch", seed, ...EVERY, ...server.remote);
  const id = /Watch (\S+) started/.exec(await watch.printed("started."))?.[1] ?? "";
  await watch.printed("Its pages are visited again");

  const second = await run("watch", seed, ...EVERY, ...server.remote);
  expect(second).toMatchObject({ code: 1, stdout: "" });
  expect(second.stderr).toContain(`There is a watch of ${seed} already, ${id}, which is watching.`);
  expect(second.stderr).toContain(`watch ${id} --every 1d`);

  await server.close();
  await watch.printed("this command waits until it answers again");
  server = await serveAt(port);
  open.push(server);
  await watch.printed("It answers again.");
  pages["/b"] = articleOf("B", [`Page b says something else now. ${TEXT}`]);
  // Its text stays, and its link does not.
  pages["/a"] = articleOf("A", [`Page a. ${TEXT}`], "/mended");
  const crawl = () => getOrPost<CrawlView>(server, `/api/crawls/${id}`);
  await until(server, crawl, ({ watching }) => (watching?.changes ?? 0) >= 2);
  const printed = await watch.printed("/b  blocks");
  expect(printed).toMatch(/changed +\S+\/b /);
  expect(printed).not.toMatch(/changed +\S+\/a(?: |$)/m);
  watch.child.kill("SIGINT");
  expect(await watch.ended).toMatchObject({ code: 0 });

  const stored = await fetch(`${server.address}/api/crawls/${id}/page?${new URLSearchParams({ url: `${seed}a` })}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  expect(await stored.text()).toContain("/mended");
  expect((await run("analyze", id, ...server.remote)).code).toBe(0);
  const inlinks = (path: string) =>
    getOrPost<InlinksView>(server, `/api/crawls/${id}/inlinks?${new URLSearchParams({ url: `${seed}${path}` })}`);
  expect((await inlinks("mended")).sources.map(({ url }) => url)).toEqual([`${seed}a`]);
  expect((await inlinks("broken")).sources).toEqual([]);
});
