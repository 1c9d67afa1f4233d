import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CrawlOptions, DEFAULT_POLITENESS } from "../../src/crawl/crawl-options.ts";
import type { RowFields } from "../../src/crawl/page/row-fields.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { ReaderDied } from "../../src/fetch/reading/call-reader.ts";
import { HeavyReader } from "../../src/fetch/reading/heavy-reader.ts";
import { settleDeadLetters } from "../../src/frontier/batch/dead-letter.ts";
import { hintsOf } from "../../src/frontier/batch/message.ts";
import { HookCaller } from "../../src/frontier/hook/hook-caller.ts";
import { heartbeat } from "../../src/lifecycle/heartbeat.ts";
import { cancelCrawl, resumeCrawl } from "../../src/lifecycle/start.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import reader from "../../src/reader.ts";
import { readFields } from "../../src/store/mirror/kept-fields.ts";
import { readStoredPage } from "../../src/store/mirror/read-mirror.ts";
import { tinyPdf } from "../sites/tiny-pdf.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { DAY_MS, HOUR_MS, removeWatches, watchOf } from "./watched-world.ts";
import { World } from "./world.ts";

/** The way of a document: the page fetcher, R2, its message, the reader Worker, and the last three stages. */

const SEED = "https://a.test/";
const MANUAL = `${SEED}manual.pdf`;
const PDF = tinyPdf("The manual", ["A page about looms.", "Another one about threads."]);

type Answers = Record<string, (init?: RequestInit) => Response>;
const html = (body: string) => () => new Response(body, { headers: { "content-type": "text/html" } });
const file = (bytes: BodyInit, type: string | null, headers: Record<string, string> = {}) => {
  return () => new Response(bytes, { headers: { ...(type === null ? {} : { "content-type": type }), ...headers } });
};
const pdf = (bytes: Uint8Array<ArrayBuffer> = PDF, headers: Record<string, string> = {}) =>
  file(bytes, "application/pdf", { "content-length": String(bytes.byteLength), ...headers });

beforeEach(() => removeWatches());
afterEach(() => vi.unstubAllGlobals());

/** A world with the real page fetcher and the real reader, and these answers below SEED. */
function worldOf(answers: Answers) {
  const fetched: string[] = [];
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    fetched.push(url.slice(SEED.length));
    return (answers[url.slice(SEED.length)] ?? (() => new Response("none", { status: 404 })))(init);
  });
  const world = new World(() => ({ status: 500 }));
  world.now = Date.UTC(2031, 0, 1);
  const binding = { fetch: (url: string, init: RequestInit) => reader.fetch(new Request(url, init) as never) };
  const heavy = new HeavyReader(binding as unknown as Fetcher, world.deps.clock);
  world.deps.fetchPage = (request, secrets) =>
    new PageFetcher(createExecutionContext(), env).fetchPage(request, secrets);
  world.deps.readHeavyPage = (received, request, durationMs) => heavy.readPage(received, request, durationMs);
  world.deps.readVersion = (stored, request) => heavy.readVersion(stored, request);
  const start = (changes: Partial<CrawlOptions> = {}) =>
    world.start([SEED], { documents: [...DOCUMENT_KINDS], ...changes });
  return { world, fetched, start };
}

const SITE: Answers = { "": html("<a href=manual.pdf>x</a>"), "manual.pdf": pdf() };

async function rowsOf(crawl: string) {
  const { results } = await env.LEDGER.prepare("SELECT url, status, reason, title, detail FROM urls WHERE crawl = ?1")
    .bind(crawl)
    .all<{ url: string; status: string; reason: string | null; title: string | null; detail: string | null }>();
  return new Map(results.map(({ url, ...row }) => [url.slice(SEED.length), row]));
}

/** The bodies in R2 and the rows of the ledger are the same. */
async function waitingDocuments(crawl: string): Promise<number> {
  const { objects } = await env.MIRROR.list({ prefix: `${crawl}/packs/documents/` });
  const rows = env.LEDGER.prepare("SELECT count(*) AS n FROM waiting_documents WHERE crawl = ?1").bind(crawl);
  expect((await rows.first<{ n: number }>())?.n).toBe(objects.length);
  return objects.length;
}

/** Delivers until the document waits. */
async function untilFetched(world: World): Promise<void> {
  for (let turn = 0; world.documents.length === 0; turn++) {
    if (turn === 20) throw new Error("no document came");
    await world.turn();
  }
}

/** Delivers what was sent to the queue of documents, however late it is due. */
async function untilDelivered(world: World): Promise<void> {
  for (let turn = 0; world.documents.length > 0; turn++) {
    if (turn === 20) throw new Error("messages of documents do not end");
    await world.turn();
  }
}

describe.each(["warc", "files"] as const)("with store: %s", (store) => {
  test("a document waits in R2, is read, and is a page like any other", async () => {
    const { world, start } = worldOf(SITE);
    const crawl = await start({ store, search: true });
    await untilFetched(world);
    expect(await waitingDocuments(crawl)).toBe(1);
    expect(await world.deps.ledger.crawl(crawl)).toMatchObject({ status: "running", counters: { queued: 1 } });
    await world.runToEnd(crawl);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed", title: "The manual" });
    expect(await waitingDocuments(crawl)).toBe(0);
    const stored = await readStoredPage((await world.deps.ledger.crawl(crawl)) as never, MANUAL, world.deps);
    expect(stored).toMatchObject({ contentType: "application/pdf", httpStatus: 200 });
    expect(stored?.body).toEqual(PDF);
    await expectCountersExact(crawl);
  });
});

test("the links of a document are followed", async () => {
  const { world, start, fetched } = worldOf({ ...SITE, linked: html("<title>linked</title>") });
  const { readHeavyPage } = world.deps;
  world.deps.readHeavyPage = async (...asked) => {
    const page = await readHeavyPage(...asked);
    return page.kind === "page" ? { ...page, links: [`${SEED}linked`] } : page;
  };
  const crawl = await start();
  await world.runToEnd(crawl);
  expect(fetched).toEqual(["", "manual.pdf", "linked"]);
  expect((await rowsOf(crawl)).get("linked")).toMatchObject({ status: "completed" });
});

describe("what cannot be read", () => {
  const bomb = new Uint8Array(3_000);
  bomb.set(PDF);
  const noLength = () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(bomb);
        controller.close();
      },
    });
  test.each<[name: string, answer: () => Response, changes: Partial<CrawlOptions>, expected: object]>([
    [
      "damaged",
      pdf(Uint8Array.from("%PDF-1.4 and nothing more", (char) => char.charCodeAt(0))),
      {},
      { reason: "damaged" },
    ],
    ["larger than the limit, by its head", pdf(), { maxDocumentBytes: 500 }, { reason: "too-large" }],
    [
      "larger than the limit, without a length",
      () => file(noLength(), "application/pdf")(),
      { maxDocumentBytes: 2_000 },
      { reason: "too-large" },
    ],
    ["empty", () => new Response(null, { headers: { "content-type": "application/pdf" } }), {}, { reason: "empty" }],
    ["of a kind that is off", pdf(), { documents: ["office"] }, { reason: "content-type" }],
    ["a file of bytes", file("\0\x01\x02", "application/octet-stream"), {}, { reason: "content-type" }],
    ["noindex", pdf(PDF, { "x-robots-tag": "noindex" }), {}, { reason: "noindex" }],
    ["a page instead", html("<title>a page</title>"), {}, { status: "completed", title: "a page" }],
    ["called bytes", file(PDF, "application/octet-stream"), {}, { status: "completed", title: "The manual" }],
    ["called a page", file(PDF, "text/html"), {}, { status: "completed", title: "The manual" }],
    ["without a type", file(PDF, null), {}, { status: "completed", title: "The manual" }],
  ])("%s", async (_, answer, changes, expected) => {
    const { world, start } = worldOf({
      "": html("<a href=doc>x</a><a href=other>y</a>"),
      doc: answer,
      other: html("o"),
    });
    const crawl = await start(changes);
    await world.runToEnd(crawl);
    const rows = await rowsOf(crawl);
    expect(rows.get("doc")).toMatchObject(expected);
    expect(rows.get("other")).toMatchObject({ status: "completed" });
    expect(await waitingDocuments(crawl)).toBe(0);
    await expectCountersExact(crawl);
  });

  test("a link to a kind that is off is refused by its extension", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const crawl = await start({ documents: [] });
    await world.runToEnd(crawl);
    expect(fetched).toEqual([""]);
  });

  test.each([
    [1, { status: "completed", reason: null }],
    [2, { status: "errored", reason: "poison", detail: "its reader ended twice: it did not end within 60 s" }],
  ])("a reader that ends %d times", async (deaths, expected) => {
    const { world, start } = worldOf({
      ...SITE,
      "": html("<a href=manual.pdf>x</a><a href=other.pdf>y</a>"),
      "other.pdf": pdf(),
    });
    const { readHeavyPage } = world.deps;
    let left = deaths;
    world.deps.readHeavyPage = async (received, request, durationMs) => {
      if (request.url === MANUAL && left-- > 0) throw new ReaderDied("it did not end within 60 s");
      return readHeavyPage(received, request, durationMs);
    };
    const crawl = await start();
    await world.runToEnd(crawl);
    const rows = await rowsOf(crawl);
    expect(rows.get("manual.pdf")).toMatchObject(expected);
    expect(rows.get("other.pdf")).toMatchObject({ status: "completed" });
    await expectCountersExact(crawl);
  });
});

describe("a document that is interrupted", () => {
  test("by a lost message is read after the repair, and not fetched again", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const crawl = await start();
    await untilFetched(world);
    world.documents.length = 0;
    await world.runToEnd(crawl);
    expect(fetched).toEqual(["", "manual.pdf"]);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed" });
    await expectCountersExact(crawl);
  });

  test("without its body is fetched again", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const crawl = await start();
    await untilFetched(world);
    const { objects } = await env.MIRROR.list({ prefix: `${crawl}/packs/documents/` });
    await env.MIRROR.delete(objects.map(({ key }) => key));
    await world.runToEnd(crawl);
    expect(fetched).toEqual(["", "manual.pdf", "manual.pdf"]);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed" });
  });

  test.each(["packs.put", "ledger.commit", "documents.read", "documents.remove"] as const)(
    "by a failing %s settles once, and leaves nothing behind",
    async (name) => {
      const { world, start, fetched } = worldOf(SITE);
      const crawl = await start({ store: "warc" });
      await untilFetched(world);
      const [part, method] = name.split(".") as ["documents", "read"];
      const target = world.deps[part];
      const real = target[method].bind(target);
      let fails = true;
      target[method] = (async (...args: Parameters<typeof real>) => {
        if (fails) {
          fails = false;
          throw new Error("killed");
        }
        return real(...args);
      }) as typeof real;
      await world.runToEnd(crawl);
      while (world.documents.length > 0) await world.turn();
      expect(fails).toBe(false);
      expect(fetched).toEqual(["", "manual.pdf"]);
      expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed" });
      expect(await waitingDocuments(crawl)).toBe(0);
      await expectCountersExact(crawl);
    },
  );

  test("by a mirror that takes nothing is sent again, without an attempt", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const { fetchPage } = world.deps;
    let fails = 2;
    world.deps.fetchPage = async (request, secrets) => {
      const result = await fetchPage(request, secrets);
      const { httpStatus, retryAfterMs, durationMs } = result;
      const lack = { kind: "given-back", lacks: "mirror", httpStatus, retryAfterMs, durationMs } as const;
      return result.kind === "document" && fails-- > 0 ? lack : result;
    };
    const crawl = await start({ maxAttempts: 1 });
    await world.runToEnd(crawl);
    expect(fetched).toEqual(["", "manual.pdf", "manual.pdf", "manual.pdf"]);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed" });
  });

  test("by a fetcher that is lost after its put, whose URL then turns out to be no document, is swept", async () => {
    let isGone = false;
    const { world, start } = worldOf({
      ...SITE,
      "manual.pdf": () => (isGone ? new Response("none", { status: 404 }) : pdf()()),
    });
    const { fetchPage } = world.deps;
    world.deps.fetchPage = async (request, secrets) => {
      const result = await fetchPage(request, secrets);
      if (result.kind !== "document") return result;
      isGone = true;
      throw new Error("Network connection lost.");
    };
    const crawl = await start();
    await world.runToEnd(crawl);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "errored", reason: "http-status" });
    await untilDelivered(world);
    expect(await waitingDocuments(crawl)).toBe(0);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "errored", reason: "http-status" });
    await expectCountersExact(crawl);
  });

  test("by a put that takes effect when another attempt has settled is swept", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const { fetchPage } = world.deps;
    const late: string[] = [];
    world.deps.fetchPage = async (request, secrets) => {
      const result = await fetchPage(request, secrets);
      if (result.kind !== "document" || late.length > 0) return result;
      late.push(request.document?.key ?? "");
      await env.MIRROR.delete(late);
      const { httpStatus, retryAfterMs, durationMs } = result;
      return { kind: "given-back", lacks: "mirror", httpStatus, retryAfterMs, durationMs };
    };
    const crawl = await start();
    await world.runToEnd(crawl);
    expect(fetched).toEqual(["", "manual.pdf", "manual.pdf"]);
    await env.MIRROR.put(late[0] ?? "", PDF);
    await untilDelivered(world);
    expect(await waitingDocuments(crawl)).toBe(0);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed" });
  });

  test("by a ledger that does not take the note, whose crawl ends, is swept", async () => {
    const { world, start } = worldOf(SITE);
    world.deps.waitingDocuments.add = async () => {
      await cancelCrawl(crawl, "cancelled_by_user", world.deps);
      throw new Error("D1_ERROR: Network connection lost.");
    };
    const crawl = await start();
    await world.runToEnd(crawl);
    await untilDelivered(world);
    expect(await waitingDocuments(crawl)).toBe(0);
  });

  test("by a sweep is read all the same", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const crawl = await start();
    await untilFetched(world);
    const [read] = world.documents.splice(0);
    if (read === undefined) throw new Error("no document came");
    world.documents.push({ ...read, body: { ...read.body, sweeps: true } });
    await untilDelivered(world);
    expect(await waitingDocuments(crawl)).toBe(1);
    world.documents.push(read);
    await world.runToEnd(crawl);
    expect(fetched).toEqual(["", "manual.pdf"]);
    expect(await waitingDocuments(crawl)).toBe(0);
  });

  test("by a sweep that fails again and again ends no URL", async () => {
    const { world, start } = worldOf(SITE);
    const { fetchPage } = world.deps;
    world.deps.fetchPage = async (request, secrets) => {
      if (request.url === MANUAL) throw new Error("Network connection lost.");
      return fetchPage(request, secrets);
    };
    const crawl = await start();
    await untilFetched(world);
    const [sweep] = world.documents;
    expect(sweep?.body).toMatchObject({ urls: [MANUAL], sweeps: true });
    await settleDeadLetters(hintsOf(sweep?.body) ?? [], world.deps);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "queued" });
  });

  test("by dead letters before anybody reads it is swept", async () => {
    const { world, start } = worldOf(SITE);
    const crawl = await start();
    await untilFetched(world);
    const [ticket] = world.documents.splice(0);
    await settleDeadLetters(hintsOf(ticket?.body) ?? [], world.deps);
    await untilDelivered(world);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "errored", reason: "dead-letter" });
    expect(await waitingDocuments(crawl)).toBe(0);
    await expectCountersExact(crawl);
  });

  test("by a pause is read after the crawl resumes, and the old message is dropped", async () => {
    const { world, start, fetched } = worldOf(SITE);
    const crawl = await start();
    await untilFetched(world);
    await world.deps.ledger.pause(crawl, world.now);
    await world.turn();
    expect(world.documents).toEqual([]);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "queued" });
    await resumeCrawl(crawl, world.deps);
    await world.runToEnd(crawl);
    expect(fetched).toEqual(["", "manual.pdf"]);
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "completed" });
    expect(await waitingDocuments(crawl)).toBe(0);
  });

  test("by a pause between its commit and its removal is removed when its message comes again", async () => {
    const { world, start } = worldOf({ ...SITE, "": html("<a href=manual.pdf>x</a> <a href=other>y</a>") });
    const crawl = await start({ politeness: { ...DEFAULT_POLITENESS, minDelayMs: HOUR_MS, maxDelayMs: HOUR_MS } });
    const { documents, ledger } = world.deps;
    const remove = documents.remove.bind(documents);
    let isPaused = false;
    documents.remove = async (key) => {
      if (isPaused) return remove(key);
      isPaused = true;
      await ledger.pause(crawl, world.now);
      throw new Error("killed");
    };
    await untilFetched(world);
    while (world.documents.length > 0) await world.turn();
    expect(await ledger.crawl(crawl)).toMatchObject({ status: "paused", counters: { completed: 2 } });
    expect(await waitingDocuments(crawl)).toBe(0);
  });

  test("by a cancel is dropped with its body", async () => {
    const { world, start } = worldOf(SITE);
    const crawl = await start();
    await untilFetched(world);
    await cancelCrawl(crawl, "cancelled_by_user", world.deps);
    await world.turn();
    expect((await rowsOf(crawl)).get("manual.pdf")).toMatchObject({ status: "cancelled" });
    expect(await waitingDocuments(crawl)).toBe(0);
  });
});

test.each([
  ["on what it says", "pagesRead", { status: "errored", reason: "hook-failed" }],
  ["on its links", "urlsFound", { status: "errored", reason: "hook-failed" }],
] as const)("a hook that always fails %s ends a document that was fetched once", async (_, point, expected) => {
  const { world, start, fetched } = worldOf({
    ...SITE,
    p1: html("p"),
    "": html("<a href=manual.pdf>x</a><a href=p1>y</a>"),
  });
  const { readHeavyPage } = world.deps;
  world.deps.readHeavyPage = async (...asked) => {
    const page = await readHeavyPage(...asked);
    return page.kind === "page" ? { ...page, links: [`${SEED}linked`] } : page;
  };
  const fail = (urls: readonly (string | null)[]) => {
    if (urls.includes(MANUAL)) throw new Error("I cannot read this");
    return urls.map(() => null);
  };
  world.deps.hook = new HookCaller(
    point === "pagesRead"
      ? { pagesRead: (pages) => fail(pages.map(({ url }) => url)) }
      : { urlsFound: (urls) => fail(urls.map(({ via }) => via)) },
    new Set(),
  );
  const crawl = await start();
  await world.runToEnd(crawl);
  expect(fetched.toSorted()).toEqual(["", "manual.pdf", "p1"]);
  const rows = await rowsOf(crawl);
  expect(rows.get("manual.pdf")).toMatchObject(expected);
  expect(rows.get("p1")).toMatchObject({ status: "completed" });
  expect(await waitingDocuments(crawl)).toBe(0);
  await expectCountersExact(crawl);
});

test.each(["warc", "files"] as const)(
  "large fields that the hook gives a document are kept, with store: %s",
  async (store) => {
    const { world, start } = worldOf(SITE);
    const fields = { text: Array.from({ length: 20 }, () => "x".repeat(10_000)), n: 1 };
    world.deps.hook = new HookCaller({ pagesRead: (pages) => pages.map(() => ({ fields })) }, new Set());
    const crawl = await start({ store });
    await world.runToEnd(crawl);
    const row = await world.deps.records.get(crawl, MANUAL);
    expect(row?.status).toBe("completed");
    const inRow = JSON.parse(row?.fields ?? "null") as RowFields;
    expect(inRow).toMatchObject({ n: 1, $kept: { names: ["text"] } });
    expect((await readFields(crawl, inRow, world.deps.packs)).values).toEqual(fields);
    await expectCountersExact(crawl);
  },
);

test("a page limit for each host counts documents that wait", async () => {
  const names = Array.from({ length: 20 }, (_, i) => `d${i}.pdf`);
  const { world, start, fetched } = worldOf({
    "": html(names.map((name) => `<a href=${name}>x</a>`).join(" ")),
    ...Object.fromEntries(names.map((name) => [name, pdf(tinyPdf(name, [`Text of ${name}`]))])),
  });
  const crawl = await start({ limitPerHost: 6 });
  await world.runToEnd(crawl);
  expect(fetched).toHaveLength(6);
  expect((await world.deps.ledger.crawl(crawl))?.counters).toMatchObject({ completed: 6, skipped: 15 });
  expect(await waitingDocuments(crawl)).toBe(0);
  await expectCountersExact(crawl);
});

describe("a document that cannot be kept", () => {
  const NEIGHBOURS = ["p1", "p2", "p3", "p4"];
  const pages = Object.fromEntries(NEIGHBOURS.map((name) => [name, html(`<title>${name}</title>page ${name}`)]));
  const siteWith = (answer: Answers[string]): Answers => ({
    ...pages,
    "": html(["big.pdf", ...NEIGHBOURS].map((name) => `<a href=${name}>x</a>`).join(" ")),
    "big.pdf": answer,
  });
  /** Part of the body, and then an error or silence. */
  const broken = (end: "breaks off" | "hangs", length: number | null) => (init?: RequestInit) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Uint8Array.from({ length: 700_000 }, (_, i) => PDF[i] ?? 32));
        if (end === "breaks off") setTimeout(() => controller.error(new Error("Network connection lost.")), 20);
        else init?.signal?.addEventListener("abort", () => controller.error(new DOMException("no", "AbortError")));
      },
    });
    const headers = {
      "content-type": "application/pdf",
      ...(length === null ? {} : { "content-length": `${length}` }),
    };
    return new Response(body, { headers });
  };

  test.each([
    ["breaks off", 2_000_000, "connection"],
    ["breaks off", null, "connection"],
    ["hangs", 2_000_000, "timeout"],
    ["hangs", null, "timeout"],
  ] as const)("because its transfer %s, with a length of %s, has had an attempt", async (end, length, reason) => {
    const { world, start, fetched } = worldOf(siteWith(broken(end, length)));
    const crawl = await start({ timeoutMs: 300, maxAttempts: 3 });
    await world.runToEnd(crawl);
    const rows = await rowsOf(crawl);
    expect(rows.get("big.pdf")).toMatchObject({ status: "errored", reason });
    for (const name of NEIGHBOURS) expect(rows.get(name), name).toMatchObject({ status: "completed" });
    expect(fetched.toSorted()).toEqual(["", "big.pdf", "big.pdf", "big.pdf", ...NEIGHBOURS]);
    expect(await waitingDocuments(crawl)).toBe(0);
    await expectCountersExact(crawl);
  });

  test("by the mirror costs no other URL an attempt or a request", async () => {
    const { world, start, fetched } = worldOf(siteWith(pdf()));
    const { fetchPage } = world.deps;
    world.deps.fetchPage = async (request, secrets) => {
      const result = await fetchPage(request, secrets);
      const { httpStatus, retryAfterMs, durationMs } = result;
      const lack = { kind: "given-back", lacks: "mirror", httpStatus, retryAfterMs, durationMs } as const;
      return result.kind === "document" ? lack : result;
    };
    const crawl = await start();
    await world.runToEnd(crawl);
    const rows = await rowsOf(crawl);
    expect(rows.get("big.pdf")).toMatchObject({ status: "errored", reason: "dead-letter" });
    for (const name of NEIGHBOURS) expect(rows.get(name), name).toMatchObject({ status: "completed" });
    const others = fetched.filter((name) => name !== "big.pdf");
    expect(others.toSorted()).toEqual(["", ...NEIGHBOURS]);
    expect(fetched.length - others.length).toBe(world.deps.limits.failures + 1);
    await expectCountersExact(crawl);
  });

  test("for want of memory is sent again, and counts neither as an attempt nor as a failure", async () => {
    const { world, start, fetched } = worldOf(siteWith(pdf()));
    const { fetchPage } = world.deps;
    let wants = 20;
    world.deps.fetchPage = async (request, secrets) => {
      const result = await fetchPage(request, secrets);
      const { httpStatus, retryAfterMs, durationMs } = result;
      const lack = { kind: "given-back", lacks: "room", httpStatus, retryAfterMs, durationMs } as const;
      return result.kind === "document" && wants-- > 0 ? lack : result;
    };
    const crawl = await start({ maxAttempts: 1 });
    await world.runToEnd(crawl);
    const rows = await rowsOf(crawl);
    for (const name of ["big.pdf", ...NEIGHBOURS]) expect(rows.get(name), name).toMatchObject({ status: "completed" });
    expect(fetched.filter((name) => name !== "big.pdf").toSorted()).toEqual(["", ...NEIGHBOURS]);
    expect(await world.deps.ledger.crawl(crawl)).toMatchObject({ lastFailure: null });
  });
});

/** A page that its lane reads is requested again. One that waits for the reader Worker is there already. */
test.each([
  ["a file", "files", "mirror", false, 3],
  ["a large page", "warc", "packs", false, 3],
  ["a file that the reader Worker has read", "files", "mirror", true, 1],
  ["a large page that the reader Worker has read", "warc", "packs", true, 1],
] as const)(
  "%s, and that the mirror does not take, costs no other URL a request",
  async (_, store, part, hasReader, asked) => {
    const names = ["p1", "p2", "big", "p3", "p4"];
    const noise = Array.from(crypto.getRandomValues(new Uint8Array(60_000)), (byte) => byte.toString(36)).join("");
    const text = Array.from({ length: 30 }, (_, i) => `<p>${i}${noise.slice(i)}`).join("");
    const { world, start, fetched } = worldOf({
      ...Object.fromEntries(names.map((name) => [name, html(`<title>${name}</title>`)])),
      "": html(names.map((name) => `<a href=${name}>x</a>`).join(" ")),
      big: html(text),
    });
    const { READER: _reader, ...others } = env;
    const bindings = hasReader ? env : (others as unknown as Env);
    world.deps.fetchPage = (request, secrets) =>
      new PageFetcher(createExecutionContext(), bindings).fetchPage(request, secrets);
    let fails = 2;
    const { mirror, packs } = world.deps;
    const fail = <T>(isConcerned: boolean, real: () => Promise<T>): Promise<T> =>
      isConcerned && fails-- > 0 ? Promise.reject(new Error("R2 is down")) : real();
    const putFile = mirror.put.bind(mirror);
    const putPack = packs.put.bind(packs);
    mirror.put = (page) => fail(part === "mirror" && page.url.endsWith("big"), () => putFile(page));
    packs.put = (crawl, name, pieces) => {
      const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
      return fail(part === "packs" && bytes > 1_000_000, () => putPack(crawl, name, pieces));
    };
    const crawl = await start({ store, documents: [], maxAttempts: 1 });
    await world.runToEnd(crawl);
    const rows = await rowsOf(crawl);
    for (const name of names) expect(rows.get(name), name).toMatchObject({ status: "completed" });
    expect(fails).toBeLessThanOrEqual(0);
    expect(fetched.filter((name) => name !== "big").toSorted()).toEqual(["", "p1", "p2", "p3", "p4"]);
    expect(fetched.filter((name) => name === "big")).toHaveLength(asked);
    await expectCountersExact(crawl);
  },
);

test("a watch tells of a document that has changed, once", async () => {
  let text = "The loom has four shafts.";
  const { world, start } = worldOf({ ...SITE, "manual.pdf": () => pdf(tinyPdf("The manual", [text]))() });
  const crawl = await start({ watch: watchOf(DAY_MS) });
  await world.runToEnd(crawl);
  const live = async (ms: number) => {
    for (const end = world.now + ms; world.now < end; ) {
      world.now += 2 * HOUR_MS;
      await heartbeat(world.deps);
      for (let turns = 0; world.inMotion > 0; turns++) {
        if (turns === 100) throw new Error("the messages do not come to an end");
        await world.turn();
      }
    }
  };
  await live(DAY_MS);
  text = "The loom has eight shafts, and a new treadle for each of them.";
  await live(2 * DAY_MS);
  const { changes } = await world.deps.changes.list(crawl, { after: 0, at: 0, kinds: null, limit: 100 });
  expect(changes.map(({ kind, url }) => `${kind} ${url}`)).toEqual([`changed ${MANUAL}`]);
  expect(await waitingDocuments(crawl)).toBe(0);
  await expectCountersExact(crawl);
});
