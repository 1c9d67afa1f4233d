import type { SitemapFetched, SitemapResult } from "../crawl/outcome.ts";
import type { LinkKind } from "../media/links.ts";
import { readSitemap } from "../media/sitemap/sitemap.ts";
import { canonicalize } from "../url/canonicalize.ts";
import { ask, type Readable, type Request } from "./answer.ts";
import { type FetchEnv, streamBody } from "./http.ts";

/** Fetches a sitemap and reads it as it arrives, so that a long one needs no more memory. */

export type SitemapRequest = Request;

const ACCEPT = "application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5";

export async function fetchSitemap(request: SitemapRequest, env: FetchEnv): Promise<SitemapResult> {
  return ask(request, ACCEPT, env, (readable) => read(readable, request.url));
}

async function read({ response, signal, deadline }: Readable, url: string): Promise<SitemapFetched> {
  const { status, headers } = response;
  const chunks = streamBody(response, signal);
  const { links, leftOut } = await readSitemap(chunks, url, headers.get("content-type"), canonicalize);
  const entries = (wanted: LinkKind) =>
    links.flatMap(({ url, kind, lastmod = null }) => (kind === wanted ? [{ url, lastmod }] : []));
  const { truncated, problem, invalid, links: dropped } = leftOut;
  const sitemap = { pages: entries("page"), sitemaps: entries("sitemap"), dropped, truncated, problem, invalid };
  return { kind: "sitemap", sitemap, httpStatus: status, retryAfterMs: null, durationMs: deadline.elapsed() };
}
