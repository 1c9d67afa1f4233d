import { createExecutionContext, env } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CrawlHook, ReadPage } from "../../src/crawl/subject/hook.ts";
import type { Secrets } from "../../src/fetch/answer/answer.ts";
import { PageFetcher } from "../../src/fetch/page-fetcher.ts";
import { type ReaderOrder, unframe } from "../../src/fetch/reading/call-reader.ts";
import { HeavyReader } from "../../src/fetch/reading/heavy-reader.ts";
import type { PageRequest } from "../../src/fetch/request/page-request.ts";
import { HookCaller } from "../../src/frontier/hook/hook-caller.ts";
import { DOCUMENT_KINDS } from "../../src/media/kind/document-kinds.ts";
import reader from "../../src/reader.ts";
import { removeWatches } from "./watched-world.ts";
import { World } from "./world.ts";

/** The reader Worker is asked about a document what the page fetcher is asked about a page. */

const SEED = "https://a.test/";
const TEXTS: Record<string, string> = {
  "roads-en.rtf": "Road repair in winter: the asphalt of the roads breaks, and road crews repair roads with asphalt. ",
  "roads-de.rtf":
    "Im Winter bricht der Asphalt der Straßen, und die Arbeiter reparieren die Straßen mit neuem Asphalt. ",
};
const rtf = (text: string) => `{\\rtf1\\ansi ${text.repeat(12).replaceAll("ß", "\\'df")}\\par}`;

function answer(url: string): Response {
  const text = TEXTS[url.slice(SEED.length)];
  if (text !== undefined) return new Response(rtf(text), { headers: { "content-type": "application/rtf" } });
  const links = Object.keys(TEXTS).map((name) => `<a href="${name}">${name}</a>`);
  const html = `<html lang="de"><title>Straßen</title>${links.join(" ")}`;
  return url === SEED
    ? new Response(html, { headers: { "content-type": "text/html" } })
    : new Response("none", { status: 404 });
}

beforeEach(() => removeWatches());
afterEach(() => vi.unstubAllGlobals());

test("its language, its subject, the hook and nothing secret", async () => {
  vi.stubGlobal("fetch", async (url: string) => answer(url));
  const orders: string[] = [];
  const asked: ReaderOrder[] = [];
  const binding = {
    fetch: async (url: string, init: RequestInit) => {
      const sent = new Uint8Array(await new Response(init.body).arrayBuffer());
      const { head } = unframe<ReaderOrder>(sent);
      asked.push(head);
      orders.push(JSON.stringify(head));
      return reader.fetch(new Request(url, { ...init, body: sent }) as never);
    },
  };
  const read: ReadPage[] = [];
  const hook: CrawlHook = {
    pagesRead: (pages) => {
      read.push(...pages);
      return pages.map(() => null);
    },
  };
  const world = new World(() => ({ status: 500 }));
  const heavy = new HeavyReader(binding as unknown as Fetcher, world.deps.clock);
  const fetched = new Map<string, PageRequest>();
  const sent: Secrets[] = [];
  world.deps.fetchPage = (request, secrets) => {
    fetched.set(request.url, request);
    sent.push(secrets);
    return new PageFetcher(createExecutionContext(), env).fetchPage(request, secrets);
  };
  world.deps.readHeavyPage = (received, request, durationMs) => heavy.readPage(received, request, durationMs);
  world.deps.hook = new HookCaller(hook, new Set());
  const crawl = await world.start([SEED], {
    documents: [...DOCUMENT_KINDS],
    languages: ["de"],
    topic: "Straßen Asphalt",
    headers: { authorization: "Bearer secret-of-the-site" },
  });
  await world.runToEnd(crawl);

  const { results } = await env.LEDGER.prepare("SELECT url, status, reason, relevance FROM urls WHERE crawl = ?1")
    .bind(crawl)
    .all<{ url: string; status: string; reason: string | null; relevance: number | null }>();
  const rows = new Map(results.map(({ url, ...row }) => [url.slice(SEED.length), row]));
  expect(rows.get("roads-en.rtf")).toMatchObject({ status: "skipped", reason: "language" });
  expect(rows.get("roads-de.rtf")).toMatchObject({ status: "completed" });
  expect(rows.get("roads-de.rtf")?.relevance).toBeGreaterThan(0);
  expect(read.find(({ url }) => url.endsWith("roads-de.rtf"))?.text).toContain("Asphalt der Straßen");

  expect(orders).toHaveLength(2);
  expect(sent.map(({ authorization }) => authorization)).toEqual(Array(3).fill("Bearer secret-of-the-site"));
  for (const each of [...orders, JSON.stringify([...fetched])]) expect(each).not.toContain("secret-of-the-site");
  for (const order of asked) {
    const { request } = order as Extract<ReaderOrder, { task: "page" }>;
    // A document that is there has no lane, and the crawl has learned more of its subject.
    const { topic } = request;
    expect(request).toEqual({ ...fetched.get(request.url), leaseMs: null, topic });
    expect(topic).not.toBeNull();
  }
});

test("an order of an older version, which lacks fields, is read as before", async () => {
  const request = { url: `${SEED}a.rtf`, agent: "orbweaver", pageRobots: true, scriptLinks: false, assets: false };
  const version = { ignoredElements: [] };
  const older = { ...request, documents: ["office"], asset: false, parts: [], search: true, version };
  const body = new TextEncoder().encode(rtf(TEXTS["roads-en.rtf"] ?? ""));
  const heavy = new HeavyReader(
    { fetch: (url: string, init: RequestInit) => reader.fetch(new Request(url, init) as never) } as unknown as Fetcher,
    { now: () => 0 },
  );
  const received = { body, contentType: "application/rtf", headers: [], httpStatus: 200 };
  const page = await heavy.readPage(received, { ...older, modifiedSince: null } as never, 1);
  expect(page).toMatchObject({ kind: "page", text: expect.stringContaining("Road repair"), assets: [] });
  expect(page).toMatchObject({ version: { blocks: [expect.stringContaining("Road repair")] } });
});
