import { createExecutionContext, env } from "cloudflare:test";
import { unzipSync } from "fflate";
import { expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { SearchView } from "../../src/api/views.ts";
import { sha256Of } from "../../src/archive/sha256.ts";
import { capturePage } from "../../src/fetch/answer/capture-page.ts";
import { readPage } from "../../src/fetch/reading/read-page.ts";
import { exportWacz } from "../../src/reading/exports/export-archive.ts";
import { MANUAL_PAGES, NAVIGATION } from "../unit/media/html/manual-pages.ts";
import { clearIndex } from "./clear-index.ts";
import { World } from "./world.ts";

/** What a search shows of manuals, and the text of a page in their archive, have no navigation. */

const SEED = "https://a.test/";
const NAMES = Object.keys(MANUAL_PAGES);
const urlOf = (at: number) => `${SEED}${at}`;

/** The manuals of all programs as one crawl, each page read as the crawler reads it. */
async function crawlManuals() {
  const world = new World(() => ({ links: NAMES.map((_, at) => urlOf(at)) }));
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    const page = await fetchPage(request, secrets);
    const html = MANUAL_PAGES[NAMES[Number(request.url.slice(SEED.length) || "-1")] ?? ""];
    if (html === undefined || page.kind !== "page" || request.capture === null) return page;
    const body = new TextEncoder().encode(html);
    const answer = { body, contentType: "text/html", headers: [], httpStatus: 200 };
    const read = await readPage(answer, request, body.length, 1);
    if (read.kind !== "page") return read;
    const head = { statusText: "OK", date: 1_000, headers: [], requestHeaders: [] };
    const stored = { ...page, title: read.title, text: read.text, body, sha256: sha256Of(body) };
    return capturePage(request.url, stored, head, request.capture);
  };
  const id = await world.start([SEED], { store: "warc", search: true });
  await world.runToEnd(id);
  return { world, id };
}

async function find(q: string): Promise<SearchView> {
  const headers = { authorization: "Bearer reading-token" };
  const query = new URLSearchParams({ q, limit: "50" });
  const response = await app.request(`/api/search?${query}`, { headers }, env, createExecutionContext());
  return ((await response.json()) as { result: SearchView }).result;
}

test("search and WACZ have the text of manuals without their navigation", async () => {
  await clearIndex();
  const { world, id } = await crawlManuals();

  for (const words of ["loom shuttles", "threads of silk tear", "program reads its options"]) {
    const { hits } = await find(words);
    expect(hits).toHaveLength(NAMES.length);
    const shown = hits.map(({ snippet }) => snippet.map(({ text }) => text).join(""));
    expect(shown.filter((text) => NAVIGATION.test(text))).toEqual([]);
  }
  expect(await find("Xenolith")).toMatchObject({ total: 0 });

  const crawl = await world.deps.ledger.crawl(id);
  if (crawl === null) throw new Error("no such crawl");
  const { open } = await exportWacz(crawl, world.deps.archiveIndex, world.deps);
  const files = unzipSync(new Uint8Array(await new Response(open(0)).arrayBuffer()));
  const lines = new TextDecoder().decode(files["pages/pages.jsonl"]).trim().split("\n").slice(1);
  const pages = lines.map((line) => JSON.parse(line) as { url: string; text?: string });
  const texts = NAMES.map((_, at) => pages.find(({ url }) => url === urlOf(at))?.text ?? "");
  expect(texts.filter((text) => !text.includes("Threads of silk may tear"))).toEqual([]);
  expect(texts.filter((text) => NAVIGATION.test(text))).toEqual([]);
});
