import LinkHeader from "http-link-header"; // the tests read Link headers with a parser that is not ours
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VersionsView } from "../../src/api/views.ts";
import { type Pages, page, redirect, startHandmadeSite } from "../sites/handmade-site.ts";
import type { Site } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** `orbweaver versions`, and Memento as a client uses it (RFC 7089), on a site that changes between two crawls. */

const dir = scratch();
const pages: Pages = { "/": page("home", "/news", "/old"), "/news": page("one"), "/old": redirect("/news", 301) };
let site: Site;
let served: Served;
const ids: string[] = [];

beforeAll(async () => {
  site = await startHandmadeSite(pages);
  served = await serve(`${dir.path}/served`);
  for (const title of ["one", "two"]) {
    pages["/news"] = page(title);
    const { summary } = await crawl(dir.path, `${site.origin}/`, "--delay", "0", ...served.remote);
    ids.push(summary.id);
  }
});

afterAll(async () => {
  await served?.close();
  await site?.close();
  dir.remove();
});

test("the command lists the versions of a URL over all crawls, newest first", async () => {
  const { stdout, stderr, code } = await run("versions", `${site.origin}/news`, ...served.remote);
  expect([stderr, code]).toEqual(["", 0]);
  const [url, , head = "", ...lines] = stdout.split("\n");
  expect(url).toBe(`${site.origin}/news`);
  expect(head).toMatch(/^TIME \(UTC\) +CRAWL +CODE +SIZE +CONTENT +SHA-256$/);
  expect(lines.slice(0, 2).map((line) => line.split(/ {2,}/).slice(1, 5))).toEqual([
    [ids[1], "200", expect.stringMatching(/ B$/), "changed"],
    [ids[0], "200", expect.stringMatching(/ B$/), "first"],
  ]);
  expect(stdout).toContain(`/replay/${ids[1]}/`);
});

test("the command prints JSON, for one crawl or for all", async () => {
  const versionsOf = async (...args: string[]) => {
    const { stdout, stderr } = await run("versions", `${site.origin}/`, "--json", ...args, ...served.remote);
    expect(stderr).toBe("");
    return (JSON.parse(stdout) as VersionsView).versions.map(({ crawl, changed }) => [crawl, changed]);
  };
  expect(await versionsOf()).toEqual([
    [ids[1], false],
    [ids[0], null],
  ]);
  expect(await versionsOf("--crawl", ids[0]?.slice(0, 8) ?? "")).toEqual([[ids[0], null]]);
});

test("the command says what to do where no crawl has the URL, and refuses what is no URL", async () => {
  const none = await run("versions", `${site.origin}/nowhere`, ...served.remote);
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining("npm run orbweaver -- crawl ")]);
  const wrong = await run("versions", "mailto://x", ...served.remote);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("not an http or https URL")]);
});

/** Follows redirects with the token, as a client does that the user has given it to. */
async function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${served.token}`, ...headers } });
}

test("a client goes from the TimeGate to the TimeMap, and to each memento", async () => {
  const date = new Date().toUTCString();
  const answer = await get(`${served.address}/replay/${ids[0]}/${site.origin}/news`, { "accept-datetime": date });
  expect([answer.status, answer.headers.get("vary")]).toEqual([200, "accept, accept-datetime"]);
  expect(await answer.text()).toContain("<h1>one</h1>");
  const links = LinkHeader.parse(answer.headers.get("link") ?? "");
  expect(links.rel("original")[0]?.uri).toBe(`${site.origin}/news`);
  const [memento] = links.rel("memento");
  expect(memento).toMatchObject({
    uri: answer.headers.get("content-location"),
    datetime: answer.headers.get("memento-datetime"),
  });
  const own = await get(memento?.uri ?? "");
  expect([own.headers.get("memento-datetime"), own.headers.get("content-location")]).toEqual([memento?.datetime, null]);
  expect(await own.text()).toContain("<h1>one</h1>");
  const timeMap = await get(links.rel("timemap")[0]?.uri ?? "");
  expect(timeMap.headers.get("content-type")).toBe("application/link-format");
  const listed = LinkHeader.parse(await timeMap.text());
  expect(listed.rel("memento")).toMatchObject([{ uri: memento?.uri, datetime: memento?.datetime }]);
  expect([listed.rel("original")[0]?.uri, listed.rel("timegate")[0]?.uri]).toEqual([
    `${site.origin}/news`,
    links.rel("timegate")[0]?.uri,
  ]);
  const far = await get(`${served.address}/replay/${ids[1]}/${site.origin}/old`, {
    "accept-datetime": "Fri, 01 Jan 2100 00:00:00 GMT",
  });
  expect(await far.text()).toContain("<h1>two</h1>");
  const refused = await get(`${served.address}/replay/${ids[0]}/${site.origin}/news`, { "accept-datetime": "today" });
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining("Accept-Datetime is not a date"),
  ]);
});
