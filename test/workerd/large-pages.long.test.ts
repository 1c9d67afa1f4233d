import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { StoredPage } from "../../src/crawl/page/outcome.ts";
import type { StoredContent } from "../../src/crawl/page/page-format.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { ReaderDied } from "../../src/fetch/reading/call-reader.ts";
import { HeavyReader } from "../../src/fetch/reading/heavy-reader.ts";
import { readWork } from "../../src/frontier/batch/admit.ts";
import { OpenFeatures } from "../../src/frontier/features/open-features.ts";
import { HookCaller } from "../../src/frontier/hook/hook-caller.ts";
import type { PageWork } from "../../src/frontier/work.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import reader from "../../src/reader.ts";
import { readStoredContent, readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { DAY_MS, HOUR_MS, removeWatches, watchOf } from "./watched-world.ts";
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
    return new PageFetcher(createExecutionContext(), hasReader ? env : (others as unknown as Env));
  };
  world.deps.fetchPage = (request, secrets, gateway) => fetcher().fetchPage(request, secrets, gateway);
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
/** What a page to which several lead has from the first of them that is read: the reader has turns of its own. */
const ORDER = ["seq", "via", "priority"];
/** In which transaction a URL finished: the reader has turns of its own. */
const TURNS = ["finished_in"];

interface Row {
  url: string;
  [column: string]: unknown;
  stored: (Omit<StoredPage, "body"> & { body: number }) | null;
  content: StoredContent | null;
}

/** What the crawl has of each URL: its row, its content, its links, and the record of its answer. */
async function recordsOf(world: World, crawl: string) {
  const { results } = await env.LEDGER.prepare("SELECT * FROM urls WHERE crawl = ?1 ORDER BY url").bind(crawl).all();
  const state = (await world.deps.ledger.crawl(crawl)) as never;
  const rows: Row[] = [];
  for (const row of results) {
    const url = row.url as string;
    const stored = await readStoredPage(state, url, world.deps);
    const place = await world.deps.records.packed(crawl, url);
    const content = await readStoredContent(state, url, ["text"], world.deps, place);
    const kept = Object.entries(row).filter(
      ([name]) =>
        name !== "crawl" &&
        ![...TIMES, ...TURNS, ...(row.reason === "http-status" ? ORDER : [])].includes(name) &&
        !/pack|offset|length/.test(name),
    );
    rows.push({
      url,
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
  return new Map((main?.rows ?? []).map((row) => [row.url.slice(SEED.length), row]));
}

const LINKS = Array.from({ length: 12 }, (_, i) => `<a href="p${i}" rel="${i % 3 ? "" : "nofollow"}">Page ${i}</a>`);
const PROSE = "The looms of the old mill were driven by water, and the threads broke in winter. ".repeat(30);
const LARGE = "page tags json csv xml text markdown feed noindex german cyrillic policy missing".split(" ");
const SITE: Answers = {
  "": answer([...LARGE, "headers"].map((name) => `<a href=${name}>${name}</a>`).join(" ")),
  page: answer(
    `<html lang=en><title>Looms</title><meta name=description content="About looms"><link rel=canonical href=page><h1 id=a>Looms</h1><p>${PROSE}</p>${LINKS.join("")}<img src=i.png>${PADDING}`,
  ),
  tags: answer(`<title>Many tags</title><p>${PROSE}${TAGS}<a href=p1>one</a>`),
  json: answer(`{"name":"loom","url":"/p3"${SPACE}}`, "application/json"),
  csv: answer(`name,price,url\n${"loom,3,https://a.test/p4\n".repeat(100)}${",,\n".repeat(20_000)}`, "text/csv"),
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
};
test("packed, with all that may be asked", async () => {
  const rows = await bothWays(
    SITE,
    {
      store: "warc",
      formats: ["html", "markdown", "text"] as never,
      scriptLinks: true,
      assets: true,
      languages: ["en", "ru"],
      fields: [{ urls: [], fields: { heading: { selector: "h1" } } }] as never,
    },
    LARGE,
  );
  const page = rows.get("page");
  expect(page).toMatchObject({ status: "completed", title: "Looms", fields: expect.stringContaining("Looms") });
  expect(page?.content?.markdown).toContain("# Looms");
  expect(page?.stored?.body).toBeGreaterThan(1_100_000);
  expect(rows.get("json")?.content?.markdown).toContain("```json");
  expect(rows.get("german")).toMatchObject({ status: "skipped", reason: "language" });
  expect(rows.get("noindex")).toMatchObject({ status: "skipped", reason: "noindex" });
  expect(rows.get("missing")).toMatchObject({ status: "completed" });
  for (const path of ["p0", "p1", "p4", "p8", "cyrillic?q=%FF", "i.png"])
    expect(rows.has(path), path).toBe(path !== "p0");
});

test("as files, with nothing asked", async () => {
  const rows = await bothWays(SITE, { store: "files", search: false }, LARGE);
  expect(rows.get("policy")?.stored?.headers).toContainEqual(["link", "<p8>; rel=next"]);
});

test("soft 404s are told apart, by one page of the host that does not exist", async () => {
  const missing = answer(`<title>404 Page not found</title><h1>Page not found</h1>${PADDING}`);
  const site = { "": answer("<a href=m1>x</a> <a href=m2>y</a>"), "*": missing };
  const rows = await bothWays(site, {}, ["m1", "m2"]);
  for (const path of ["m1", "m2"]) expect(rows.get(path)).toMatchObject({ status: "errored", reason: "soft-404" });
});

test("the Markdown that a page names is taken", async () => {
  const page = `<link rel=alternate type=text/markdown href=page.md><title>Page</title><p>${PROSE}${PADDING}`;
  const site = {
    "": answer("<a href=page>x</a>"),
    page: answer(page),
    "page.md": answer("# Its own", "text/markdown"),
  };
  const rows = await bothWays(site, { store: "warc", preferMarkdown: true }, ["page"]);
  expect(rows.get("page")?.content?.markdown).toBe("# Its own");
});

test("what came of a broken body is kept at the last attempt, and is said to be broken", async () => {
  const broken = () => {
    const bytes = new TextEncoder().encode(`<title>Broken</title>${PADDING}`);
    let at = 0;
    const body = new ReadableStream({
      type: "bytes",
      pull(controller) {
        if (at >= bytes.byteLength) controller.error(new Error("Network connection lost."));
        else controller.enqueue(bytes.slice(at, at + 50_000));
        at += 50_000;
      },
    });
    return new Response(body, { headers: { "content-type": "text/html" } });
  };
  for (const store of ["warc", "files"] as const) {
    const rows = await bothWays({ "": answer("<a href=b>x</a>"), b: broken }, { maxAttempts: 1, store }, ["b"]);
    expect(rows.get("b")).toMatchObject({ status: "completed", title: "Broken", truncated: "disconnect" });
  }
});

test("same pages are learned", async () => {
  const names = ["looms", "threads", "mills", "wheels"].flatMap((name) =>
    ["", "?sid=1", "?sid=2"].map((query) => name + query),
  );
  const page = (name: string) => answer(`<title>${name}</title><p>About ${name}. ${PROSE}${PADDING}`);
  const site: Answers = {
    "": answer(names.map((name) => `<a href=${name}>x</a>`).join("")),
    ...Object.fromEntries(names.map((name) => [name, page(name.split("?")[0] ?? "")])),
  };
  const learned = [];
  for (const hasReader of [false, true]) {
    const { world, read } = worldOf(site, hasReader);
    const crawl = await world.start([SEED]);
    await world.runToEnd(crawl);
    expect(read).toHaveLength(hasReader ? names.length : 0);
    const known = (await world.deps.samePages.read(crawl, ["a.test"])).get("a.test");
    learned.push(Object.values(known?.rules ?? {}).map(({ part, same, different }) => ({ part, same, different })));
  }
  expect(learned[0]).toEqual([{ part: "?sid", same: 4, different: 0 }]);
  expect(learned[1]).toEqual(learned[0]);
});

describe("a large page", () => {
  const site = {
    "": answer("<a href=page>x</a><a href=other>y</a>"),
    page: SITE.page as () => Response,
    other: answer("<title>o</title>"),
  };

  test("that ends its reader twice is poison, and costs no other page", async () => {
    const { world } = worldOf(site, true);
    world.deps.readHeavyPage = async () => {
      throw new ReaderDied("out of memory");
    };
    const crawl = await world.start([SEED], { limit: 3 });
    await world.runToEnd(crawl);
    const rows = new Map((await recordsOf(world, crawl)).map((row) => [row.url, row]));
    expect(rows.get(`${SEED}page`)).toMatchObject({ status: "errored", reason: "poison" });
    expect(rows.get(`${SEED}other`)).toMatchObject({ status: "completed" });
    await expectCountersExact(crawl);
  });

  test("whose message is lost is read after the repair, and not fetched again", async () => {
    const { world, fetched } = worldOf(site, true);
    const crawl = await world.start([SEED], { limit: 3 });
    for (let turn = 0; world.documents.length === 0 && turn < 20; turn++) await world.turn();
    world.documents.length = 0;
    await world.runToEnd(crawl);
    expect(fetched.filter((path) => path === "page")).toHaveLength(1);
    expect((await recordsOf(world, crawl)).find(({ url }) => url === `${SEED}page`)).toMatchObject({
      status: "completed",
    });
    await expectCountersExact(crawl);
  });

  test.each([
    ["a shell", { shell: "its root is empty" }, { mayDraw: true }, "lane"],
    ["a shell that no browser can draw", { shell: "its root is empty" }, { mayDraw: false }, "page"],
    ["no shell", {}, { mayDraw: true }, "page"],
    [
      "a shell that is not to be stored",
      { shell: "its root is empty", noindex: "meta: noindex" },
      { mayDraw: true },
      "page",
    ],
    ["a page that looks missing, of a host that nobody has asked", { looksMissing: true }, { mayDraw: false }, "lane"],
  ])("that is %s", async (_, read, large, expected) => {
    const { world } = worldOf(site, true);
    const crawl = await world.start([SEED], { render: "auto" });
    const hint = { crawl, epoch: 1, url: SEED, sitemap: false, visit: null, failures: 0 };
    const state = await world.deps.ledger.crawl(crawl);
    const [work] = await readWork([{ ...hint, epoch: state?.epoch ?? 0 }], world.deps, "all");
    const page = { kind: "page", contentType: "text/html", noindex: null, notModified: null, links: [], ...read };
    const answered = { large: { truncated: null, ...large } };
    const { deps } = world;
    const opening = { works: [work as PageWork], host: "a.test", document: answered as never, deps };
    const features = await OpenFeatures.open({
      ...opening,
      ask: async () => null,
      visit: async () => null,
      wait: (event) => event,
    });
    const settled = await features.after(work as PageWork, { result: page as never, now: world.now });
    expect(settled === "lane" ? "lane" : settled.kind).toBe(expected);
  });
});

test("the subject of a page and of its links is the same", async () => {
  const site = { "": answer(`<title>Looms</title><p>${PROSE}${LINKS.join("")}${PADDING}`) };
  const rows = await bothWays(site, { topic: "looms and threads", limit: 1 }, [""]);
  expect(rows.get("")?.relevance).toBeGreaterThan(0.1);
});

describe("a visit of a watched page", () => {
  test.each([
    ["finds a change", "Another sentence of news stands here now.", 1],
    ["finds none", "", 0],
  ])("%s", async (_, more, changes) => {
    const ways = [];
    for (const hasReader of [false, true]) {
      removeWatches();
      let body = `<title>News</title><h1>News</h1><p>${PROSE}</p>`;
      const site: Answers = { "": () => answer(`${body}<!-- ${Math.random()} -->${PADDING}`)() };
      const { world, read } = worldOf(site, hasReader);
      const crawl = await world.start([SEED], { watch: watchOf(DAY_MS), store: "warc" });
      const live = async (ms: number) => {
        for (const end = world.now + ms; world.now < end; ) {
          world.now += 4 * HOUR_MS;
          await heartbeat(world.deps, "all");
          for (let turns = 0; world.inMotion > 0 && turns < 100; turns++) await world.turn();
        }
      };
      await live(DAY_MS);
      body += `<p>${more}</p>`;
      await live(2 * DAY_MS);
      expect(read.length > 1).toBe(hasReader);
      const row = await env.LEDGER.prepare("SELECT status, title, visits FROM urls WHERE crawl = ?1")
        .bind(crawl)
        .first();
      const told = await env.LEDGER.prepare("SELECT count(*) AS n FROM changes WHERE crawl = ?1").bind(crawl).first();
      ways.push({ row, told });
    }
    expect(ways[1]).toEqual(ways[0]);
    expect(ways[0]?.told).toMatchObject({ n: changes });
  });
});
