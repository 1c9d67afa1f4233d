import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { crawl, run, type Served, scratch, serve } from "./cli.ts";

/** A site that sets a cookie and sends its visitor back. */

/** As a server sends text: its bytes in UTF-8. */
const bytes = (text: string) => Buffer.from(text).toString("latin1");

const dir = scratch();
let site: Site;
let served: Served;
let result: Awaited<ReturnType<typeof crawl>>;
/** Each request as `PATH COOKIE`. */
const asked: string[] = [];

beforeAll(async () => {
  served = await serve(join(dir.path, "served"));
  site = await startSite(({ url = "/", headers: { cookie = "" } }, response) => {
    asked.push(`${url} ${cookie}`.trim());
    const lead = (location: string, ...setCookies: string[]) =>
      response.writeHead(302, { location, "set-cookie": setCookies }).end();
    if (url === "/robots.txt") response.writeHead(404).end();
    else if (url === "/" && cookie === "") lead("/", "session=S3cret; Path=/; HttpOnly", `lang=${bytes("é")}`);
    else if (url === "/gated" && !cookie.includes("pass=1")) lead("/gate?back=/gated");
    else if (url === "/gate?back=/gated") lead("/gated", "pass=1; Path=/; SameSite=Lax");
    else if (url === "/loop") lead("/loop");
    else response.writeHead(200, HTML).end(page(url, ...(url === "/" ? ["/gated", "/loop", "/plain"] : [])));
  });
  result = await crawl(dir.path, `${site.origin}/`, "--delay", "0", ...served.remote);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

test("the pages behind the cookies are stored, and a real loop is one", () => {
  const ends = result.records.map(({ url, status, reason }) => [url.slice(site.origin.length), reason ?? status]);
  expect(Object.fromEntries(ends)).toEqual({
    "/": "completed",
    "/gated": "completed",
    "/gate?back=/gated": "redirected",
    "/loop": "redirect-loop",
    "/plain": "completed",
  });
});

test("a cookie is sent in its chain alone", () => {
  const without = asked.filter((request) => !/robots|sitemap/.test(request));
  expect(without.toSorted()).toEqual(
    [
      "/",
      `/ session=S3cret; lang=${bytes("é")}`,
      "/gated",
      "/gate?back=/gated",
      "/gated pass=1",
      "/loop",
      "/plain",
    ].toSorted(),
  );
});

test("with --cookies each request sends what the host has set before", async () => {
  asked.length = 0;
  const flags = ["--cookies", "--source", "links", "--delay", "0", ...served.remote];
  const { byUrl } = await crawl(join(dir.path, "kept"), `${site.origin}/`, ...flags);
  expect(byUrl.get(`${site.origin}/gated`)?.status).toBe("completed");
  const session = `session=S3cret; lang=${bytes("é")}`;
  expect(asked.filter((request) => !request.startsWith("/robots.txt")).toSorted()).toEqual(
    [
      "/",
      `/ ${session}`,
      `/gated ${session}`,
      `/gate?back=/gated ${session}`,
      `/gated ${session}; pass=1`,
      `/loop ${session}`,
      `/plain ${session}`,
    ].toSorted(),
  );
});

test("the WARC has no Cookie of ours", async () => {
  const file = join(dir.path, "site.warc.gz");
  await run("export", result.summary.id, "--format", "warc", "--out", file, ...served.remote);
  const warc = gunzipSync(readFileSync(file)).toString("latin1");
  expect(warc).toContain("GET / HTTP/1.1");
  expect(warc).not.toMatch(/^cookie:/im);
});
