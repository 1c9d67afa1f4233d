import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangesView, CrawlView, ExplainView } from "../../src/api/views.ts";
import { HTML } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { getOrPost } from "./api-calls.ts";
import { run, type Served, scratch, serveFast } from "./cli.ts";
import { articleOf, until } from "./watched-site.ts";

/** Signals of a site: a watch with a long interval finds at once what the site says. A second is a real millisecond. */

const SPEED = 1_000;
const START = new Date("2031-01-01T00:00:00Z");
/** A page's own turn comes after a day, which is a minute and a half here. */
const EVERY_S = 86_400;

const dir = scratch();
let served: Served;
let site: Site;

beforeAll(async () => {
  served = await serveFast(join(dir.path, "state"), SPEED, START);
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

const call = <T>(path: string, body?: unknown) => getOrPost<T>(served, path, body);
const XML = { "content-type": "application/xml" };
const KEY = "0123456789abcdef";
const textOf = (text: string) => articleOf("A page", [text]);

test("a sitemap, a feed and IndexNow bring changes long before the page's own turn", async () => {
  const long = "Words that stay the same in this page, again and again, so that it has a text. ".repeat(5);
  const names = ["/", "/by-sitemap", "/by-feed", "/by-owner", "/silent"];
  const pages = Object.fromEntries(names.map((name) => [name, textOf(`${name} ${long}`)]));
  pages["/"] =
    pages["/"]?.replace("<head>", '<head><link rel="alternate" type="application/atom+xml" href="/feed">') ?? "";
  const dates: Record<string, string> = Object.fromEntries(names.map((name) => [name, "2030-12-01T00:00:00Z"]));
  const asked: Record<string, number[]> = {};
  site = await startSite(
    (request, response) => {
      const { url = "" } = request;
      const origin = `http://${request.headers.host}`;
      const body =
        url === "/sitemap.xml"
          ? `<urlset>${names.map((name) => `<url><loc>${origin}${name}</loc><lastmod>${name === "/by-feed" ? dates["/silent"] : dates[name]}</lastmod></url>`).join("")}</urlset>`
          : url === "/feed"
            ? `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${origin}/by-feed"/><updated>${dates["/by-feed"]}</updated></entry></feed>`
            : url === `/${KEY}.txt`
              ? KEY
              : pages[url];
      if (body === undefined) return void response.writeHead(404, HTML).end("not found");
      const etag = `"${createHash("sha1").update(body).digest("hex")}"`;
      const isKnown = request.headers["if-none-match"] === etag;
      asked[url] = [...(asked[url] ?? []), isKnown ? 304 : 200];
      if (isKnown) return void response.writeHead(304, { etag }).end();
      const type = url.endsWith(".txt") ? { "content-type": "text/plain" } : url in pages ? HTML : XML;
      response.writeHead(200, { ...type, etag }).end(body);
    },
    { host: "127.0.0.51" },
  );
  const { id } = await call<{ id: string }>("/api/crawls", {
    url: `${site.origin}/`,
    limit: 100,
    politeness: { minDelayMs: 0 },
    watch: { everyS: EVERY_S },
  });
  const crawl = () => call<CrawlView>(`/api/crawls/${id}`);
  const changes = async () => (await call<ChangesView>(`/api/crawls/${id}/changes`)).changes;
  expect((await until(served, crawl, ({ status }) => status === "watching")).counts.completed).toBe(5);
  // A reading of the unchanged sitemap is answered by 304.
  await until(
    served,
    async () => asked["/sitemap.xml"] ?? [],
    (answers) => answers.includes(304),
  );

  const changedAt = new Date(START.getTime() + 60_000).toISOString();
  for (const name of names.slice(1)) pages[name] = textOf(`${name} says something else. ${long}`);
  dates["/by-sitemap"] = changedAt;
  dates["/by-feed"] = changedAt;
  const { host } = new URL(site.origin);
  const submit = () =>
    fetch(`${served.address}/indexnow`, {
      method: "POST",
      body: JSON.stringify({ host, key: KEY, urlList: [`${site.origin}/by-owner`] }),
    });
  expect((await submit()).status).toBe(202);
  await until(
    served,
    async () => asked[`/${KEY}.txt`] ?? [],
    (answers) => answers.length > 0,
  );
  await until(served, submit, ({ status }) => status === 200);

  const signalled = ["/by-sitemap", "/by-feed", "/by-owner"].map((path) => site.origin + path);
  const told = await until(served, changes, (list) => {
    const urls = list.map(({ url }) => url);
    return signalled.every((url) => urls.includes(url));
  });
  expect(new Set(told.map(({ kind }) => kind))).toEqual(new Set(["changed"]));

  const printed = await run("explain", `${site.origin}/by-sitemap`, "--crawl", id, "--json", ...served.remote);
  expect((JSON.parse(printed.stdout) as ExplainView).sentence).toMatch(/It is visited next (about 203\d-|soon)/);
});
