import { env } from "cloudflare:test";
import { expect, test } from "vitest";
import type { PageFetched } from "../../src/crawl/page/outcome.ts";
import { ReaderDied } from "../../src/fetch/reading/call-reader.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import { documentKey } from "../../src/store/mirror/documents.ts";
import { expectCountersExact } from "./ledger-invariant.ts";
import { World } from "./world.ts";

/** Turns at the reader: what hangs it, what is killed while it reads, and who waits for whom. */

const MINUTE_MS = 60_000;
const ANSWER = { statusText: "OK", date: 1_000, headers: [], requestHeaders: [], contentType: "application/pdf" };
const PAGE: PageFetched = {
  ...{ kind: "page", httpStatus: 200, durationMs: 5, retryAfterMs: null, contentType: "application/pdf" },
  ...{ body: new Uint8Array(1), bytes: 1, sha256: "x", truncated: null, encoding: "utf-8", title: "A document" },
  ...{
    links: [],
    sitemaps: [],
    feeds: [],
    assets: [],
    headers: [],
    content: null,
    text: null,
    version: null,
    said: null,
  },
  ...{ nofollow: { count: 0, examples: [] }, noindex: null, language: null, otherLanguage: null, notModified: null },
  ...{ leftOut: { links: { count: 0, examples: [] }, requisites: { count: 0, examples: [] }, problem: null } },
  ...{ looksMissing: false, shell: null, capture: null },
};

type Read = (url: string, deaths: number) => void;

/** A world whose documents are what ends in ".pdf". `onRead` may throw. */
function worldOf(onRead: Read = () => undefined) {
  const reads: { url: string; at: number }[] = [];
  const world = new World((url) => ({ links: linksOf.get(url) ?? [] }));
  const linksOf = new Map<string, string[]>();
  world.now = Date.UTC(2031, 0, 1);
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets, gateway) => {
    if (!request.url.endsWith(".pdf")) return fetchPage(request, secrets, gateway);
    world.fetched.push(request.url);
    const { document } = request;
    if (document === null) throw new Error("no order for a document");
    await env.MIRROR.put(document.key, "%PDF-1.4");
    return { ...ANSWER, kind: "document", httpStatus: 200, durationMs: 5, retryAfterMs: null, bodyBytes: 8, writes: 1 };
  };
  const died = new Map<string, number>();
  world.deps.readHeavyPage = async ({ body }, { url }) => {
    const deaths = died.get(url) ?? 0;
    try {
      onRead(url, deaths);
    } catch (error) {
      if (error instanceof ReaderDied) {
        died.set(url, deaths + 1);
        world.now += MINUTE_MS;
      }
      throw error;
    } finally {
      world.now += 1_000;
      reads.push({ url, at: world.now });
    }
    return { ...PAGE, body, bytes: body.byteLength, sha256: url };
  };
  const start = async (seed: string, documents: string[]) => {
    linksOf.set(seed, documents);
    return world.start([seed], { documents: [...DOCUMENT_KINDS], includeExternalLinks: true, store: "files" });
  };
  /** Delivers until all documents wait. */
  const untilFetched = async (count: number) => {
    const wait = "SELECT count(*) AS n FROM waiting_documents";
    for (let turn = 0; ((await env.LEDGER.prepare(wait).first<{ n: number }>())?.n ?? 0) < count; turn++) {
      if (turn === 500) throw new Error("the documents do not come");
      await world.deliverPages();
    }
  };
  return { world, reads, start, untilFetched };
}

const hang = (isCertain: boolean) => {
  throw new ReaderDied("it did not end within 60 s", isCertain);
};
const pdfs = (host: string, count: number) => Array.from({ length: count }, (_, i) => `https://${host}/${i}.pdf`);
async function rowsOf(crawl: string) {
  const { results } = await env.LEDGER.prepare("SELECT url, status, reason, detail FROM urls WHERE crawl = ?1")
    .bind(crawl)
    .all<{ url: string; status: string; reason: string | null; detail: string | null }>();
  return new Map(results.map(({ url, ...row }) => [url, row]));
}
async function expectNothingLeft(): Promise<void> {
  const tables = ["waiting_documents", "document_claims"];
  for (const table of tables)
    expect((await env.LEDGER.prepare(`SELECT * FROM ${table}`).all()).results, table).toEqual([]);
}

test.each([
  ["the cause is known", true, 10],
  ["another document may be the cause", false, 20],
] as const)("ten documents that hang delay others by a minute, if %s", async (_, isCertain, hungReads) => {
  const { world, reads, start, untilFetched } = worldOf((url) => {
    if (url.startsWith("https://slow.")) hang(isCertain);
  });
  // One after the other is one reader.
  world.deps.limits.readers = 1;
  const crawl = await start("https://site.test/", [
    ...pdfs("slow.test", 10),
    ...pdfs("one.test", 10),
    ...pdfs("two.test", 5),
  ]);
  const other = await start("https://other.test/", pdfs("other.test", 5));
  await untilFetched(30);
  const began = world.now;
  for (const id of [crawl, other]) await world.runToEnd(id);
  const isHung = ({ url }: { url: string }) => url.startsWith("https://slow.");
  const last = Math.max(...reads.filter((read) => !isHung(read)).map(({ at }) => at)) - began;
  expect(Math.floor(last / MINUTE_MS)).toBeLessThanOrEqual(1);
  expect(reads.filter(isHung)).toHaveLength(hungReads);
  const rows = await rowsOf(crawl);
  for (const url of pdfs("slow.test", 10)) expect(rows.get(url)).toMatchObject({ status: "errored", reason: "poison" });
  for (const url of pdfs("one.test", 10)) expect(rows.get(url)).toMatchObject({ status: "completed" });
  await expectNothingLeft();
  await expectCountersExact(crawl);
  await expectCountersExact(other);
});

test("crawls take turns, and so do the hosts of a crawl", async () => {
  const { world, reads, start, untilFetched } = worldOf();
  const long = await start("https://long.test/", [...pdfs("a.test", 6), ...pdfs("b.test", 2)]);
  const short = await start("https://short.test/", pdfs("c.test", 2));
  await untilFetched(10);
  for (const id of [long, short]) await world.runToEnd(id);
  const order = reads.map(({ url }) => new URL(url).host[0]).join("");
  expect(
    order
      .match(/../g)
      ?.slice(0, 2)
      .map((pair) => pair.includes("c")),
  ).toEqual([true, true]);
  expect(order.replaceAll("c", "")).toBe("ababaaaa");
});

test("a document that always fails ends as a dead letter, and costs no other one a try", async () => {
  const { world, reads, start } = worldOf((url) => {
    if (url.endsWith("/0.pdf")) throw new Error("the reader has a fault");
  });
  const crawl = await start("https://site.test/", pdfs("a.test", 3));
  await world.runToEnd(crawl);
  const [bad, ...good] = pdfs("a.test", 3) as [string, ...string[]];
  const rows = await rowsOf(crawl);
  expect(rows.get(bad)).toMatchObject({ status: "errored", reason: "dead-letter" });
  for (const url of good) {
    expect(rows.get(url)).toMatchObject({ status: "completed" });
    expect(reads.filter((read) => read.url === url)).toHaveLength(1);
  }
  const tries = reads.filter((read) => read.url === bad);
  expect(tries).toHaveLength(world.deps.limits.failures);
  // It is free when its next message comes. If it were held instead, the claim would end after five minutes.
  expect((tries[1]?.at ?? 0) - (tries[0]?.at ?? 0)).toBeLessThan(MINUTE_MS);
  expect(await env.MIRROR.head(documentKey(crawl, bad, null))).toBeNull();
  await expectNothingLeft();
  await expectCountersExact(crawl);
});

test("what a killed consumer held is read when its message comes again and the claim has ended", async () => {
  const { world, reads, start, untilFetched } = worldOf();
  const crawl = await start("https://site.test/", pdfs("a.test", 2));
  await untilFetched(2);
  // The claim of a consumer that died, and its message.
  const now = world.now;
  await env.LEDGER.prepare("INSERT INTO document_claims VALUES (?1, ?2, -1, 'dead', NULL, ?3, 0, 1, 0)")
    .bind(crawl, "https://a.test/0.pdf", now + 5 * MINUTE_MS)
    .run();
  for (const message of world.documents) message.failures = 1;
  await world.runToEnd(crawl);
  expect(reads.map(({ url }) => url)).toEqual(["https://a.test/1.pdf", "https://a.test/0.pdf"]);
  expect((reads[1]?.at ?? 0) - now).toBeLessThan(6 * MINUTE_MS);
  await expectNothingLeft();
});

test("a claim of another process on this machine has ended with it", async () => {
  const { world, reads, start, untilFetched } = worldOf();
  world.deps.boot = "this";
  const crawl = await start("https://site.test/", pdfs("a.test", 1));
  await untilFetched(1);
  await env.LEDGER.prepare("INSERT INTO document_claims VALUES (?1, ?2, -1, 'dead', 'before', ?3, 1, 1, 0)")
    .bind(crawl, "https://a.test/0.pdf", world.now + 5 * MINUTE_MS)
    .run();
  const now = world.now;
  await world.runToEnd(crawl);
  expect(reads).toHaveLength(1);
  expect((reads[0]?.at ?? 0) - now).toBeLessThan(MINUTE_MS);
});

test("a look reads rows by crawls and hosts, however many documents wait", async () => {
  const { world, start, untilFetched } = worldOf();
  const crawl = await start("https://site.test/", pdfs("a.test", 1));
  await untilFetched(1);
  const look = async () => {
    world.deps.meter.take();
    await world.deps.documentTurns.waiting(null, 0, world.now);
    return world.deps.meter.take().ledgerRowsRead ?? 0;
  };
  const few = await look();
  const many = Array.from({ length: 2_000 }, (_, i) => `https://a.test/x/${i}.pdf`);
  await env.LEDGER.prepare(
    "INSERT INTO waiting_documents (crawl, url, answer, host) SELECT ?1, value, '{}', 'a.test' FROM json_each(?2)",
  )
    .bind(crawl, JSON.stringify(many))
    .run();
  expect(await look()).toBeLessThanOrEqual(few + 5);
});
