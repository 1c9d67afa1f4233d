import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CrawlOptions, DEFAULT_OPTIONS } from "../../src/crawl/crawl-options.ts";
import type { PageFetched } from "../../src/crawl/outcome.ts";
import { HeavyReader } from "../../src/fetch/heavy-reader.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { readWork } from "../../src/frontier/admit.ts";
import { HookCaller } from "../../src/frontier/hook-caller.ts";
import { settleLargePage } from "../../src/frontier/large-page.ts";
import type { PageWork } from "../../src/frontier/work.ts";
import { DOCUMENT_KINDS } from "../../src/media/document-kinds.ts";
import reader from "../../src/reader.ts";
import { readStoredContent, readStoredPage } from "../../src/store/read-mirror.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { DAY_MS, removeWatches, watchOf } from "./watched-world.ts";
import { World } from "./world.ts";

/** Pages that the reader Worker reads because of their size have the records that they have without a reader. */

const SEED = "https://a.test/";
type Answers = Record<string, (init?: RequestInit) => Response>;

/** More than a page may weigh: a comment, which costs no time. */
const PADDING = `<!--${"x".repeat(1_100_000)}-->`;
const SPACE = " ".repeat(1_100_000);
const TAGS = "<i></i>".repeat(26_000);
const answer = (body: BodyInit, type = "text/html", headers: Record<string, string> = {}) => {
  return () => new Response(body, { headers: { "content-type": type, ...headers } });
};

beforeEach(() => removeWatches());
afterEach(() => vi.unstubAllGlobals());

/** A world with the real page fetcher, which has a reader Worker or none, and these answers below SEED. */
function worldOf(answers: Answers, hasReader: boolean) {
  const fetched: string[] = [];
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    const path = url.slice(SEED.length);
    fetched.push(path);
    return (answers[path] ?? answers["*"] ?? (() => new Response("none", { status: 404 })))(init);
  });
  const world = new World(() => ({ status: 500 }));
  world.now = Date.UTC(2031, 0, 1);
  const read: string[] = [];
  const binding = { fetch: (url: string, init: RequestInit) => reader.fetch(new Request(url, init) as never) };
  const heavy = new HeavyReader(binding as unknown as Fetcher, world.deps.clock);
  const fetcher = () => {
    const { READER: _, ...others } = env;
    return new PageFetcher(createExecutionContext(), hasReader ? env : (others as Env));
  };
  world.deps.fetchPage = (request, gateway) => fetcher().fetchPage(request, gateway);
  world.deps.readPage = (stored, request) => fetcher().readPage(stored, request);
  world.deps.readHeavyPage = (received, request, durationMs) => {
    read.push(request.url.slice(SEED.length));
    return heavy.readPage(received, request, durationMs);
  };
  world.deps.readVersion = (stored, request) => fetcher().readVersion(stored, request);
  return { world, fetched, read };
}

const TIMES = [
  "fetched_at",
  "due_at",
  "duration_ms",
  "queued_by",
  "settled_by",
  "settled_at",
  "changed_at",
  "stored_at",
];

/** What the crawl has of each URL: its row, its content, its links, and the record of its answer. */
async function recordsOf(world: World, crawl: string) {
  const { results } = await env.LEDGER.prepare("SELECT * FROM urls WHERE crawl = ?1 ORDER BY url").bind(crawl).all();
  const state = (await world.deps.ledger.crawl(crawl)) as never;
  const rows = [];
  for (const row of results) {
    const url = row.url as string;
    const stored = await readStoredPage(state, url, world.deps);
    const content = await readStoredContent(state, url, world.deps).catch(() => null);
    const kept = Object.entries(row).filter(
      ([name]) => name !== "crawl" && !TIMES.includes(name) && !/pack|offset|length/.test(name),
    );
    rows.push({
      ...Object.fromEntries(kept),
      stored: stored === null ? null : { ...stored, body: stored.body.byteLength },
      content,
    });
  }
  return rows;
}

async function textsOf(crawl: string) {
  const { results } = await env.LEDGER.prepare("SELECT url, text FROM search_pages WHERE crawl = ?1 ORDER BY url")
    .bind(crawl)
    .all()
    .catch(() => ({ results: [] }));
  return results;
}

async function bothWays(answers: Answers, changes: Partial<CrawlOptions>, large: readonly string[]) {
  const ways = [];
  for (const hasReader of [false, true]) {
    const { world, fetched, read } = worldOf(answers, hasReader);
    const hookTexts: [string, number][] = [];
    world.deps.hook = new HookCaller(
      {
        pagesRead: (pages) =>
          pages.map(({ url, text }) => {
            hookTexts.push([url, text.length]);
            return null;
          }),
      },
      new Set(),
    );
    const crawl = await world.start([SEED], { documents: [...DOCUMENT_KINDS], search: true, ...changes });
    await world.runToEnd(crawl);
    await expectCountersExact(crawl);
    const { objects } = await env.MIRROR.list({ prefix: `${crawl}/packs/documents/` });
    expect(objects).toEqual([]);
    expect(read.toSorted()).toEqual(hasReader ? large.toSorted() : []);
    ways.push({
      rows: await recordsOf(world, crawl),
      texts: await textsOf(crawl),
      hookTexts: hookTexts.toSorted(),
      fetched: [...new Set(fetched)].toSorted(),
    });
  }
  const [main, byReader] = ways;
  expect(byReader).toEqual(main);
  return (main?.rows ?? []) as { url: string; status: string; reason: string | null }[];
}

const LINKS = Array.from({ length: 12 }, (_, i) => `<a href="p${i}" rel="${i % 3 ? "" : "nofollow"}">Page ${i}</a>`);
const PROSE = "The looms of the old mill were driven by water, and the threads broke in winter. ".repeat(30);
const SITE: Answers = {
  "": answer(
    [
      "page",
      "tags",
      "json",
      "csv",
      "xml",
      "text",
      "markdown",
      "feed",
      "noindex",
      "german",
      "cyrillic",
      "policy",
      "headers",
      "missing",
    ]
      .map((name) => `<a href=${name}>${name}</a>`)
      .join(" "),
  ),
  page: answer(
    `<html lang=en><title>Looms</title><meta name=description content="About looms"><link rel=canonical href=page><h1 id=a>Looms</h1><p>${PROSE}</p>${LINKS.join("")}<img src=i.png>${PADDING}`,
  ),
  tags: answer(`<title>Many tags</title><p>${PROSE}${TAGS}<a href=p1>one</a>`),
  json: answer(`{"name":"loom","url":"/p3"${SPACE}}`, "application/json"),
  csv: answer(
    `name,price,url\n${"loom,3,https://a.test/p4\n".repeat(100)}${",,\n".repeat(20_000)}`,
    "text/csv",
  ),
  xml: answer(`<r><name>loom</name>${SPACE}</r>`, "application/xml"),
  text: answer(`${PROSE}\n${SPACE}end`, "text/plain"),
  markdown: answer(`# Looms\n\n${PROSE}\n\n[five](p5)\n${SPACE}`, "text/markdown"),
  feed: answer(
    `<rss version="2.0"><channel><title>News</title><item><title>One</title><link>${SEED}p6</link><pubDate>Wed, 02 Oct 2024 15:00:00 GMT</pubDate><description>${PROSE}</description></item></channel></rss>${PADDING}`,
    "application/rss+xml",
  ),
  noindex: answer(`<meta name=robots content=noindex><title>Hidden</title><a href=p7>x</a>${PADDING}`),
  german: answer(`<html lang=de><title>Webstühle</title><p>${"Die Webstühle der alten Mühle. ".repeat(20)}${PADDING}`),
  cyrillic: answer(
    new Uint8Array([
      ...new TextEncoder().encode("<meta charset=windows-1251><title>"),
      0xcf,
      0xf0,
      0xe8,
      ...new TextEncoder().encode(`</title><a href="?q=`),
      0xff,
      ...new TextEncoder().encode(`">x</a>${PADDING}`),
    ]),
  ),
  policy: answer(`<title>Policy</title>${PADDING}`, "text/html; charset=utf-8", {
    "content-security-policy": "x ".repeat(3_000),
    link: "<p8>; rel=next",
    "last-modified": "Wed, 02 Oct 2024 15:00:00 GMT",
  }),
  headers: answer(
    `<title>Headers</title>${PADDING}`,
    "text/html",
    Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`x-${i}`, "y".repeat(900)])),
  ),
  missing: answer(`<title>404 Page not found</title><h1>Page not found</h1>${PADDING}`),
  "*": (init) => (void init, new Response("none", { status: 404 })),
};
const LARGE = [
  "page",
  "tags",
  "json",
  "csv",
  "xml",
  "text",
  "markdown",
  "feed",
  "noindex",
  "german",
  "cyrillic",
  "policy",
  "missing",
];

test.each<[string, Partial<CrawlOptions>]>([
  [
    "packed, with all that may be asked",
    {
      store: "warc",
      formats: ["html", "markdown", "text", "links"] as never,
      scriptLinks: true,
      assets: true,
      languages: ["en", "ru"],
      topic: "looms and threads",
      fields: [{ match: "**", fields: [] }] as never,
    },
  ],
  ["as files, with nothing asked", { store: "files", search: false }],
])("%s", async (_, changes) => {
  const { fields: _fields, ...others } = changes;
  const rows = await bothWays(SITE, others, LARGE);
  expect(rows.find(({ url }) => url.endsWith("/missing"))?.status).toBe("completed");
});
