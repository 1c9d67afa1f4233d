import { createExecutionContext, env } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { app } from "../../src/api/app.ts";
import type { FormattedRecordView } from "../../src/api/views.ts";
import type { StoredContent } from "../../src/crawl/page/page-format.ts";
import { Ledger } from "../../src/store/ledger/ledger.ts";
import { emptyCommit } from "../../src/store/ledger/ledger-commit.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";
import { contentKey } from "../../src/store/mirror/mirror-key.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { discovered, settled } from "./rows.ts";

/** A stored page in each format, through the API and the real page fetcher. */

useModelLedger();

const SEED = "https://a.test/";
const HTML = `<!doctype html><html lang="cs"><head><meta charset="windows-1250"><title>Žluťoučký kůň</title></head><body>
<nav><a href="/nav">Elsewhere</a></nav><main><h1>Kůň</h1><p>Příliš žluťoučký kůň úpěl ďábelské ódy, a to celou noc.</p>
<p><a href="more">More</a></p></main><script>steal()</script></body></html>`;
const mirror = new Mirror(env.MIRROR);
let id: string;

async function get(path: string): Promise<Response> {
  const headers = { authorization: "Bearer test-token" };
  return app.request(`/api/crawls/${id}${path}`, { headers }, env, createExecutionContext());
}

const page = (format: string) => get(`/page?url=${SEED}&format=${format}`);

async function result<T>(response: Promise<Response>): Promise<T> {
  return ((await (await response).json()) as { result: T }).result;
}

/** Encodes as windows-1250. */
function encode(html: string): Uint8Array {
  const decoder = new TextDecoder("windows-1250");
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Uint8Array.of(code)), code]));
  return Uint8Array.from(html, (char) => codes.get(char) ?? 63);
}

/** Stores a completed record and its page for each URL. */
async function storePages(urls: string[], html = HTML): Promise<void> {
  const ledger = new Ledger(env.LEDGER);
  const body = encode(html);
  const discoveries = urls.filter((url) => url !== SEED).map((url) => discovered(url, { via: SEED }));
  await ledger.commit([{ ...emptyCommit(id), discoveries }], 1);
  const outcomes = urls.map((url) => settled(url, { title: url, bytes: html.length, fetchedAt: 1 }));
  await ledger.commit([{ ...emptyCommit(id), outcomes }], 2);
  for (const url of urls) {
    await mirror.put({
      crawl: id,
      url,
      body,
      contentType: "text/html",
      httpStatus: 200,
      sha256: "00",
      headers: [
        ["server", "Žák"],
        ["x-robots-tag", "nofollow"],
      ],
      fetchedAt: 1,
    });
  }
}

beforeEach(async () => {
  const init = {
    method: "POST",
    headers: { authorization: "Bearer test-token" },
    body: JSON.stringify({ url: SEED, limit: 1_000 }),
  };
  const silent = { sendBatch: async () => undefined } as unknown as Queue;
  const started = app.request("/api/crawls", init, { ...env, FRONTIER: silent }, createExecutionContext());
  id = (await result<{ id: string }>(Promise.resolve(started))).id;
});

describe("a page", () => {
  beforeEach(() => storePages([SEED]));

  test.each([
    ["html", "text/html", ["<p>Příliš žluťoučký kůň", "<title>Kůň</title>", 'lang="cs"'], ["steal"]],
    ["rawHtml", "text/html", ["<p>Příliš", "steal()"], []],
    ["markdown", "text/markdown", ["Příliš žluťoučký kůň", "[More](https://a.test/more)"], ["steal", "<p>"]],
    ["text", "text/plain", ["Příliš žluťoučký kůň"], ["steal", "<p>", "https:"]],
  ])("in the format %s is %s in UTF-8, in a sandbox", async (format, type, has, hasNot) => {
    const response = await page(format);
    const text = await response.text();
    expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`);
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
    for (const part of has) expect(text).toContain(part);
    for (const part of hasNot) expect(text).not.toContain(part);
  });

  test("has its metadata and its text as json", async () => {
    const json = await result<Record<string, unknown>>(page("json"));
    expect(json).toMatchObject({ url: SEED, title: "Kůň", sources: { title: "h1" }, language: "cs" });
    expect(json.text).toContain("Příliš");
  });

  test("has every field of the metadata where an earlier version stored fewer", async () => {
    const stored = { metadata: { title: "Old", kind: "article" }, text: "a text" };
    await mirror.putContent(id, SEED, new TextEncoder().encode(JSON.stringify(stored)));
    const json = await result<Record<string, unknown>>(page("json"));
    expect(json).toMatchObject({ title: "Old", kind: "article", keywords: [], feeds: [], favicon: null, robots: [] });
  });

  test("has canonical links", async () => {
    const links = await result<{ url: string }[]>(page("links"));
    expect(links.map(({ url }) => url)).toEqual(["https://a.test/nav", "https://a.test/more"]);
  });

  test("has the headers of its response", async () => {
    expect(await result(page("headers"))).toEqual({ server: "Žák", "x-robots-tag": "nofollow" });
  });

  test("is converted once, and the result is stored", async () => {
    await page("markdown");
    const first = await mirror.content(id, SEED);
    expect(Object.keys(first ?? {}).sort()).toEqual(["markdown", "metadata"]);
    const stored: StoredContent = { ...(first as StoredContent), markdown: "as stored" };
    await mirror.putContent(id, SEED, new TextEncoder().encode(JSON.stringify(stored)));
    expect(await (await page("markdown")).text()).toBe("as stored");
    await page("links");
    expect(Object.keys((await mirror.content(id, SEED)) ?? {}).sort()).toEqual(["links", "markdown", "metadata"]);
    expect(await (await page("markdown")).text()).toBe("as stored");
  });

  test("that is not stored is not found, and an unknown format is refused", async () => {
    expect((await get(`/page?url=${SEED}nope&format=markdown`)).status).toBe(404);
    expect((await page("pdf")).status).toBe(400);
  });

  test("is removed with its stored formats", async () => {
    await page("markdown");
    await mirror.remove(id, [SEED]);
    expect(await env.MIRROR.head(contentKey(id, SEED))).toBeNull();
    expect((await page("markdown")).status).toBe(404);
  });
});

describe("records", () => {
  const list = (query: string) =>
    result<{ records: FormattedRecordView[]; cursor: string | null }>(get(`/records?${query}`));

  async function all(query: string): Promise<{ urls: string[]; answers: number; records: FormattedRecordView[] }> {
    const records: FormattedRecordView[] = [];
    let answers = 0;
    for (let cursor: string | null = ""; cursor !== null; answers++) {
      const answer = await list(`${query}&cursor=${encodeURIComponent(cursor)}`);
      records.push(...answer.records);
      cursor = answer.cursor;
    }
    return { urls: records.map(({ url }) => url), answers, records };
  }

  test("have the requested formats if they are stored pages", async () => {
    await storePages([SEED]);
    const ledger = new Ledger(env.LEDGER);
    const waiting = discovered(`${SEED}wait`, { via: SEED });
    await ledger.commit([{ ...emptyCommit(id), discoveries: [waiting] }], 3);
    const { records } = await list("formats=markdown,headers");
    const [first, second] = records;
    expect(first?.markdown).toContain("Příliš");
    expect(first?.headers?.server).toBe("Žák");
    expect(first).not.toHaveProperty("html");
    expect(second).not.toHaveProperty("markdown");
  });

  test("with an unknown format are refused", async () => {
    expect((await get("/records?formats=markdown,word")).status).toBe(400);
  });

  test("come in several answers while formats are made, and in one answer afterwards", async () => {
    const urls = [SEED, ...Array.from({ length: 69 }, (_, i) => `${SEED}${String(i).padStart(3, "0")}`)];
    await storePages(urls);
    const first = await all("formats=text&limit=1000");
    expect(first.urls).toEqual(urls);
    expect(first.answers).toBeGreaterThan(2);
    expect(first.records.every(({ text }) => text?.includes("Příliš"))).toBe(true);
    expect((await all("formats=text&limit=1000")).answers).toBe(1);
  });

  test("come in answers of less than 10 MB, with a cursor", async () => {
    const urls = [SEED, ...[1, 2, 3, 4].map((i) => `${SEED}${i}`)];
    await storePages(urls, `<title>x</title><p>${"word ".repeat(800_000)}`);
    const { urls: listed, answers } = await all("formats=rawHtml");
    expect(listed).toEqual(urls);
    expect(answers).toBe(3);
  });

  test("say that a page is missing from the mirror, and the other pages still come", async () => {
    await storePages([SEED, `${SEED}a`]);
    await mirror.remove(id, [SEED]);
    const { records } = await list("formats=text");
    expect(records.map(({ problem = null }) => problem)).toEqual(["it is not in the mirror", null]);
    expect(records[1]?.text).toContain("Příliš");
  });
});
