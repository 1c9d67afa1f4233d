import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { HTML, page, startHandmadeSite } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { beat, getOrPost } from "./api-calls.ts";
import { commandIn, run, type Served, scratch, serve } from "./cli.ts";

/** What a crawl says at its end: the limit that it reached, the command that goes on, and its exit code. */

const dir = scratch();
const QUICK = ["--delay", "0", "--max-attempts", "1"];
let served: Served;
let site: Site;

beforeAll(async () => {
  served = await serve(join(dir.path, "state"));
  site = await startGeneratedSite({ pages: 20, links: 5, bytes: 500 });
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

test("a crawl that reached its page limit says so, and the command that it names goes on", async () => {
  const first = await run("crawl", `${site.origin}/`, ...QUICK, "--limit", "8", ...served.remote);
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("It has reached its limit of 8 pages.")]);
  const second = await run(...commandIn(first.stdout, served.token));
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining("Completed: 16 pages")]);
  const third = await run(...commandIn(second.stdout, served.token));
  expect([third.code, third.stdout]).toEqual([0, expect.stringContaining("Completed: 20 pages")]);
  expect(third.stdout).not.toContain("limit");
  const id = /retry (\S+)/.exec(first.stdout)?.[1] ?? "";
  const status = await run("status", id.slice(0, 8), ...served.remote);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("Completed: 20 pages")]);
});

test("a crawl that reached its time limit says so, and the command that it names goes on", async () => {
  const freed = Promise.withResolvers<void>();
  const slow = await startSite(async ({ url = "" }, response) => {
    if (url === "/robots.txt") return void response.writeHead(404).end();
    if (url !== "/") await freed.promise;
    response.writeHead(200, HTML).end(page(url, "/a", "/b"));
  });
  const order = { url: `${slow.origin}/`, source: "links", maxDurationS: 1, politeness: { minDelayMs: 0 } };
  const { id } = await getOrPost<{ id: string }>(served, "/api/crawls", order);
  const statusAfterHeartbeat = async () => {
    await beat(served);
    return (await getOrPost<{ status: string }>(served, `/api/crawls/${id}`)).status;
  };
  await expect.poll(statusAfterHeartbeat).toBe("cancelled_due_to_timeout");
  freed.resolve();
  const status = await run("status", id, ...served.remote);
  expect(status.stdout).toContain("It has reached its time limit of 1 s.\n");
  expect(status.stdout).toContain(`retry ${id} --status cancelled`);
  const again = await run(...commandIn(status.stdout, served.token));
  await slow.close();
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("Completed: 3 pages")]);
});

describe("--fail-on", () => {
  const broken = { "/": page("home", "/gone"), "/gone": { status: 404, body: "gone" } };

  test.each([
    ["with a page that failed", broken, ["--fail-on", "errors"], 1],
    ["without the option", broken, [], 0],
    ["without such a page", { "/": page("home") }, ["--fail-on", "errors"], 0],
    ["with a broken link", broken, ["--fail-on", "orphans,broken"], 1],
    ["without a broken link", { "/": page("home") }, ["--fail-on", "errors,broken"], 0],
    ["with a limit", { "/": page("home", "/b"), "/b": page("b") }, ["--limit", "1", "--fail-on", "incomplete"], 1],
  ])("%s", async (_, pages, flags, code) => {
    const small = await startHandmadeSite(pages);
    const ended = await run("crawl", `${small.origin}/`, ...QUICK, ...flags, ...served.remote);
    await small.close();
    expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining("Completed: 1 page")]);
  });

  test("a page that is gone since an earlier crawl of the same seeds is newly broken, once", async () => {
    const pages: Record<string, string | { status: number }> = { "/": page("home", "/b"), "/b": page("b") };
    const small = await startHandmadeSite(pages);
    const check = () =>
      run("crawl", `${small.origin}/`, ...QUICK, "--fail-on", "new-broken", ...served.remote).then(({ code }) => code);
    const codes = [await check()];
    pages["/b"] = { status: 404 };
    codes.push(await check(), await check());
    await small.close();
    expect(codes).toEqual([0, 1, 0]);
  });

  test("nothing else", async () => {
    const { code, stderr } = await run("crawl", `${site.origin}/`, "--fail-on", "skips", ...served.remote);
    expect([code, stderr]).toEqual([2, expect.stringContaining("errors")]);
  });
});
