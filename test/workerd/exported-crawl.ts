import { createExecutionContext, env } from "cloudflare:test";
import { expect } from "vitest";
import { app } from "../../src/api/app.ts";
import type { FormattedRecordView } from "../../src/api/views.ts";
import { Mirror } from "../../src/store/mirror/mirror.ts";

/** A crawl with rows that were never fetched, and its exports as the API gives them. */

const silent = { sendBatch: async () => undefined } as unknown as Queue;
const TOKEN = { authorization: "Bearer reading-token" };
export const SEED = "https://a.test/";

/** Creates a crawl with its seed and `rows` other URLs: every third is skipped, the others are completed. */
export async function crawlOf(rows: number, options: Record<string, unknown> = {}): Promise<string> {
  const init = {
    method: "POST",
    headers: { authorization: "Bearer test-token" },
    body: JSON.stringify({ url: SEED, ...options }),
  };
  const created = await app.request("/api/crawls", init, { ...env, FRONTIER: silent }, createExecutionContext());
  const { id } = ((await created.json()) as { result: { id: string } }).result;
  await env.LEDGER.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO urls (crawl, url, status, reason, depth, priority, seq, title, fetched_at, lastmod)
     SELECT ?1, 'https://a.test/' || substr('00000' || i, -5) || '?a&b', iif(i % 3 = 0, 'skipped', 'completed'),
       iif(i % 3 = 0, 'empty', NULL), 1, 0, i, '=Title, ' || i, 1000, iif(i % 2 = 0, 86400000 * 10000, NULL) FROM n`,
  )
    .bind(id, rows)
    .run();
  return id;
}

export const urlOf = (i: number) => `${SEED}${String(i).padStart(5, "0")}?a&b`;

export async function storePage(crawl: string, url: string, markdown?: string): Promise<void> {
  const mirror = new Mirror(env.MIRROR);
  const body = new TextEncoder().encode(`<!doctype html><title>t</title><p>Text of ${url}</p>`);
  const page = { crawl, url, body, contentType: "text/html", httpStatus: 200, sha256: "00", headers: [], fetchedAt: 1 };
  await mirror.put(page);
  if (markdown === undefined) return;
  await mirror.putContent(crawl, url, new TextEncoder().encode(JSON.stringify({ metadata: {}, markdown })));
}

interface Part {
  response: Response;
  text: string;
}

export async function ask(path: string, changes: Partial<Env> = {}): Promise<Response> {
  return app.request(path, { headers: TOKEN }, { ...env, ...changes }, createExecutionContext());
}

/** Fetches all parts by their links. */
export async function fetchParts(crawl: string, query: string): Promise<Part[]> {
  const found: Part[] = [];
  for (let path: string | undefined = `/api/crawls/${crawl}/export?${query}&parts=true`; path !== undefined; ) {
    const response = await ask(path);
    expect(response.status).toBe(200);
    found.push({ response, text: new TextDecoder().decode(await response.arrayBuffer()) });
    path = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
  }
  return found;
}

export const joinParts = (all: Part[]) => all.map(({ text }) => text).join("");
export const parseLines = (all: Part[]) =>
  joinParts(all)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as FormattedRecordView);
