import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import { page, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { run, type Served, scratch, serve } from "./cli.ts";

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

/** The arguments of the command that the output names, and the token that it leaves out. */
function commandIn(output: string): string[] {
  const command = /To go on: npm run orbweaver -- (.*)/.exec(output)?.[1] ?? "";
  return [...command.split(" "), "--token", served.token];
}

test("a crawl that reached its page limit says so, and the command that it names goes on", async () => {
  const first = await run("crawl", `${site.origin}/`, ...QUICK, "--limit", "8", ...served.remote);
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining("It has reached its limit of 8 pages.")]);
  const second = await run(...commandIn(first.stdout));
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining("Completed: 16 pages")]);
  const third = await run(...commandIn(second.stdout));
  expect([third.code, third.stdout]).toEqual([0, expect.stringContaining("Completed: 20 pages")]);
  expect(third.stdout).not.toContain("limit");
  const id = /retry (\S+)/.exec(first.stdout)?.[1] ?? "";
  const status = await run("status", id.slice(0, 8), ...served.remote);
  expect([status.code, status.stdout]).toEqual([0, expect.stringContaining("Completed: 20 pages")]);
});

describe("--fail-on errors", () => {
  const broken = { "/": page("home", "/gone"), "/gone": { status: 404, body: "gone" } };

  test.each([
    ["with a page that failed", broken, ["--fail-on", "errors"], 1],
    ["without the option", broken, [], 0],
    ["without such a page", { "/": page("home") }, ["--fail-on", "errors"], 0],
  ])("%s", async (_, pages, flags, code) => {
    const small = await startHandmadeSite(pages);
    const ended = await run("crawl", `${small.origin}/`, ...QUICK, ...flags, ...served.remote);
    await small.close();
    expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining("Completed: 1 page")]);
  });

  test("nothing else", async () => {
    const { code, stderr } = await run("crawl", `${site.origin}/`, "--fail-on", "skips", ...served.remote);
    expect([code, stderr]).toEqual([2, expect.stringContaining("errors")]);
  });
});
