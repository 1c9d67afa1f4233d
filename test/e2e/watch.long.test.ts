import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ChangesView, CrawlView } from "../../src/api/views.ts";
import { readWithWarcio } from "../unit/archive/warcio.ts";
import { getOrPost, untilIdle } from "./api-calls.ts";
import { run, serveFast } from "./cli.ts";
import { shareServer } from "./served-sites.ts";
import { articleOf, startTaggedSite, until, visitsOf } from "./watched-site.ts";

/** A watch over days of its clock, through the API and the command line. A second of it is a real millisecond. */

const SPEED = 1_000;
const EVERY_S = 3_600;

/** Profiles of revisit records (WARC 1.1, section 6.7). */
const IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

const shared = shareServer((state) => serveFast(state, SPEED, new Date("2031-01-01T00:00:00Z")));
const { sites } = shared;

const call = <T>(path: string, body?: unknown) => getOrPost<T>(shared.served, path, body);

const textOf = (text: string, ...links: string[]) => articleOf("A page", [text], ...links);

test("a watch tells what is added, changed, moved, removed and restored, and nothing else", async () => {
  const long = "Words that stay the same in this page, again and again, so that it has a text. ".repeat(5);
  /** A price that no reader sees. */
  const pricedAt = (price: string) =>
    textOf(`Page c. ${long}`).replace("<main>", `<meta id="price" content="${price}"><main>`);
  const pages: Record<string, string> = {
    "/": textOf(`Home. ${long}`, "/a", "/b", "/c"),
    "/a": textOf(`Page a. ${long}`),
    "/b": textOf(`Page b. ${long}`),
    "/c": pricedAt("12.50"),
  };
  const site = await startTaggedSite(pages, "127.0.0.50");
  sites.push(site);
  const { id } = await call<{ id: string }>("/api/crawls", {
    url: `${site.origin}/`,
    source: "links",
    limit: 100,
    fields: [{ urls: ["/c"], fields: { price: { selector: "#price", as: "number" } } }],
    politeness: { minDelayMs: 0 },
    watch: { everyS: EVERY_S, fixed: true },
  });
  const crawl = () => call<CrawlView>(`/api/crawls/${id}`);
  const changes = async () => (await call<ChangesView>(`/api/crawls/${id}/changes`)).changes;
  const first = await until(shared.served, crawl, ({ status }) => status === "watching");
  expect(first).toMatchObject({ counts: { completed: 4, queued: 0 }, finishedAt: null, watching: { changes: 0 } });

  // Visits find nothing new, most of them by a 304: one that is late looks at the whole page.
  await until(shared.served, crawl, (view) => visitsOf(view) >= 8 && (view.watching?.visits["not-modified"] ?? 0) > 0);
  expect(await changes()).toEqual([]);

  pages["/a"] = textOf(`Page a says something else now. ${long}`, "/d");
  pages["/d"] = textOf(`Page d is new. ${long}`);
  delete pages["/b"];
  const told = await until(shared.served, changes, (list) => list.length >= 3);
  expect(told.map(({ kind, url }) => `${kind} ${new URL(url).pathname}`).toSorted()).toEqual([
    "added /d",
    "changed /a",
    "removed /b",
  ]);
  const after = await until(shared.served, crawl, ({ status }) => status === "watching");
  expect(after.counts).toMatchObject({ completed: 4, errored: 1, queued: 0 });

  pages["/b"] = textOf(`Page b. ${long}`);
  const all = await until(shared.served, changes, (list) => list.length >= 4);
  expect(all[3]).toMatchObject({ kind: "restored", url: `${site.origin}/b`, seq: 4 });
  expect((await crawl()).counts).toMatchObject({ completed: 5, errored: 0 });

  pages["/c"] = pricedAt("9.50");
  const priced = await until(shared.served, changes, (list) => list.length >= 5);
  expect(priced[4]).toMatchObject({
    kind: "changed",
    url: `${site.origin}/c`,
    detail: "price: 12.5 → 9.5",
    fields: [{ name: "price", before: 12.5, after: 9.5 }],
  });

  const printed = await run("changes", id, "--kind", "added,removed", "--json", ...shared.served.remote);
  expect(
    printed.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).kind),
  ).toEqual(["added", "removed"]);
});

test("warcio finds a revisit record of each 304 in the exported archive", async () => {
  const site = await startTaggedSite({ "/": textOf("Home", "/a"), "/a": textOf("a") }, "127.0.0.58");
  sites.push(site);
  const { id } = await call<{ id: string }>("/api/crawls", {
    url: `${site.origin}/`,
    source: "links",
    politeness: { minDelayMs: 0 },
    watch: { everyS: EVERY_S, fixed: true },
  });
  const crawl = () => call<CrawlView>(`/api/crawls/${id}`);
  const unmodified = (view: CrawlView) => view.watching?.visits["not-modified"] ?? 0;
  await until(shared.served, crawl, (view) => unmodified(view) >= 2);
  await call(`/api/crawls/${id}/pause`, {});
  await untilIdle(shared.served);
  const paused = await crawl();
  expect(site.log.filter(({ status }) => status === 304)).toHaveLength(unmodified(paused));
  const file = join(shared.dir.path, "watch.warc.gz");
  await run("export", id, "--format", "warc", "--out", file, ...shared.served.remote);
  const records = await readWithWarcio(readFileSync(file));
  const responses = new Map(
    records
      .filter(({ type, url }) => type === "response" && !url?.endsWith(".txt"))
      .map((record) => [record.url, record]),
  );
  const revisitsOf = (profile: string) =>
    records.filter(({ type, warcHeaders }) => type === "revisit" && warcHeaders["warc-profile"] === profile);
  // A visit that is late asks without the ETag, so the page may come whole and be the same.
  expect(revisitsOf(IDENTICAL)).toHaveLength(paused.watching?.visits.same ?? 0);
  const revisits = revisitsOf(NOT_MODIFIED);
  expect(revisits).toHaveLength(unmodified(paused));
  for (const { url, startLine, headers, warcHeaders, digest } of revisits) {
    const response = responses.get(url);
    expect(startLine).toBe("HTTP/1.1 304 Not Modified");
    expect(headers).toContainEqual(["etag", response?.headers.find(([name]) => name === "etag")?.[1]]);
    expect(digest).toBe(response?.digest);
    expect(warcHeaders).toMatchObject({
      "warc-refers-to-target-uri": url,
      "warc-refers-to-date": response?.warcHeaders["warc-date"],
    });
  }
  const requests = records.filter(
    ({ type, headers }) => type === "request" && headers.some(([name]) => name === "if-none-match"),
  );
  expect(requests).toHaveLength(revisits.length);
});

test("an interval that the pace does not allow is refused for one page, and warned of for all of them", async () => {
  const site = await startTaggedSite(
    { "/": textOf("Home", "/a", "/b", "/c"), "/a": textOf("a"), "/b": textOf("b"), "/c": textOf("c") },
    "127.0.0.59",
  );
  sites.push(site);
  const order = { url: `${site.origin}/`, source: "links", politeness: { minDelayMs: 30_000 } };
  const { id } = await call<{ id: string }>("/api/crawls", { ...order, watch: { everyS: 60 } });
  const crawl = () => call<CrawlView>(`/api/crawls/${id}`);
  const { watching } = await until(shared.served, crawl, ({ status }) => status === "watching");
  expect(watching).toMatchObject({ leastEveryS: 120 });
  const { stdout } = await run("status", id, ...shared.served.remote);
  expect(stdout).toContain("The pace of its hosts does not allow a visit of each page every minute");
  expect(stdout).toContain("Give --every 1h or longer");
  const impatient = ["watch", order.url, "--again", "--every", "1m", "--delay", "90"];
  const refused = await run(...impatient, ...shared.served.remote);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("give at least 90, or a shorter minDelayMs"),
  ]);
});
