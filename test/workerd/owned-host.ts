import { env } from "cloudflare:test";
import type { CrawlOptions } from "../../src/crawl/crawl-options.ts";
import type { FetchResult } from "../../src/crawl/page/outcome.ts";
import { WATCH } from "./rows.ts";
import { World } from "./world.ts";

/** A watched host whose owner submits by IndexNow. */

export const HOST = "owned.test";
export const ORIGIN = `https://${HOST}`;
export const KEY = "0123456789abcdef";
export const LOCATION = `${ORIGIN}/${KEY}.txt`;

/** A watch of two pages. `file`: the answer of the key file. */
export async function startWatch(
  file: (result: FetchResult, url: string) => FetchResult,
  changes: Partial<CrawlOptions> = {},
) {
  await env.LEDGER.prepare("DELETE FROM indexnow_keys").run();
  await env.LEDGER.prepare("UPDATE crawls SET status = 'completed'").run();
  const world = new World((url) => ({ links: url === `${ORIGIN}/` ? [`${ORIGIN}/a`] : [] }));
  const { fetchPage } = world.deps;
  world.deps.fetchPage = async (request, secrets) => {
    const result = await fetchPage(request, secrets);
    return request.url.endsWith(".txt") ? file(result, request.url) : result;
  };
  const watch = { ...WATCH, everyS: 30 * 86_400, fixed: false };
  const crawl = await world.start([`${ORIGIN}/`], { watch, ...changes });
  for (let turn = 0; turn < 100 && (await world.deps.ledger.crawl(crawl))?.status !== "watching"; turn++)
    await world.turn();
  return { world, crawl };
}

export const holds =
  (text: string) =>
  (result: FetchResult): FetchResult =>
    result.kind === "page" ? { ...result, body: new TextEncoder().encode(text) } : result;

export const submission = (...paths: string[]) => ({
  host: HOST,
  key: KEY,
  location: LOCATION,
  urls: paths.map((path) => `${ORIGIN}${path}`),
});
