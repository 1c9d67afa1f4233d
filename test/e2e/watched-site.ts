import { createHash } from "node:crypto";
import type { CrawlView } from "../../src/api/views.ts";
import { HTML, page } from "../sites/handmade-site.ts";
import { type Site, startSite } from "../sites/site.ts";
import { beat } from "./api-calls.ts";
import type { Served } from "./cli.ts";

/** A site that a test changes while a watch visits it. */

/** Under load a watch takes long: a heartbeat may take as long as its interval. */
const PATIENCE_MS = 200_000;

/** Pages by path. Each has an ETag, which changes with the page. */
export function startTaggedSite(pages: Record<string, string>, host: string): Promise<Site> {
  return startSite(
    (request, response) => {
      const body = pages[request.url ?? ""];
      if (body === undefined) return void response.writeHead(404, HTML).end("not found");
      const etag = `"${createHash("sha1").update(body).digest("hex")}"`;
      if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
      response.writeHead(200, { ...HTML, etag }).end(body);
    },
    { host },
  );
}

/** A page with these paragraphs as its main content. */
export function articleOf(title: string, paragraphs: readonly string[], ...links: string[]): string {
  const main = paragraphs.map((text) => `<p>${text}</p>`).join("\n");
  return page(title, ...links).replace("<h1>", `<main>${main}</main><h1>`);
}

/** Sends heartbeats until this holds. */
export async function until<T>(server: Served, read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    await beat(server);
    const value = await read();
    if (holds(value)) return value;
    if (performance.now() - startedAt > PATIENCE_MS)
      throw new Error(`it did not come to hold: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The number of visits of a watch. */
export function visitsOf({ watching }: CrawlView): number {
  return Object.values(watching?.visits ?? {}).reduce((sum: number, n) => sum + (n ?? 0), 0);
}
