/**
 * The oracle: the pages that a complete crawl of a site must find. It shares only the list of non-page extensions with
 * the product, uses another HTML parser, has no politeness, and obeys robots.txt and patterns only through `decide`.
 */
import { Parser } from "htmlparser2";
import { refusedExtensions } from "../../src/media/kind/kinds.ts";

interface WalkOptions {
  /** Whether to fetch a URL of the seed's origin, without fragment. Not called for the seed. Default: all. */
  decide?: (url: string) => boolean;
}

const CONCURRENCY = 8;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * The URLs of the seed's origin that answered 200 with non-empty HTML or XHTML, breadth first from the seed. A redirect
 * counts as a link to its target. Throws when a request fails, because the oracle must not miss a page.
 */
export async function walk(seed: string, { decide = () => true }: WalkOptions = {}): Promise<Set<string>> {
  const start = new URL(seed);
  start.hash = "";
  const known = new Set([start.href]);
  const pages = new Set<string>();

  let level = [start.href];
  while (level.length > 0) {
    const next: string[] = [];
    const visit = async (url: string) => {
      const { isPage, links } = await fetchPage(url);
      if (isPage) pages.add(url);
      for (const link of links) {
        const found = sameOrigin(link, start);
        if (found === undefined || known.has(found) || hasNonPageExtension(found) || !decide(found)) continue;
        known.add(found);
        next.push(found);
      }
    };
    const waiting = level.values();
    const worker = async () => {
      for (const url of waiting) await visit(url);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    level = next;
  }
  return pages;
}

async function fetchPage(url: string): Promise<{ isPage: boolean; links: string[] }> {
  const response = await fetch(url, { redirect: "manual", headers: { "user-agent": "walk" } });
  const location = response.headers.get("location");
  const mediaType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const isHtml = mediaType === "text/html" || mediaType === "application/xhtml+xml";
  if (response.status !== 200 || !isHtml) {
    await response.body?.cancel();
    return {
      isPage: false,
      links: REDIRECTS.has(response.status) && location !== null ? [resolve(location, url)] : [],
    };
  }
  const html = await response.text();
  return { isPage: html !== "", links: linksOf(html, url) };
}

/** Absolute URLs in page order. <base> also applies to links before it. */
export function linksOf(html: string, url: string): string[] {
  const found: string[] = [];
  let base: string | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === "base" && attributes.href !== undefined) base ??= attributes.href;
      const link = linkOf(name, attributes);
      if (link !== undefined) found.push(link);
    },
  });
  parser.end(html);
  const against = base === undefined ? url : resolve(base, url) || url;
  return found.map((link) => resolve(link, against)).filter((link) => link !== "");
}

function linkOf(name: string, attributes: Record<string, string>): string | undefined {
  switch (name) {
    case "a":
    case "area":
      return attributes.href;
    case "frame":
    case "iframe":
      return attributes.src;
    case "link":
      return /(^|\s)(next|prev|alternate|canonical)(\s|$)/i.test(attributes.rel ?? "") ? attributes.href : undefined;
    case "meta":
      if (attributes["http-equiv"]?.trim().toLowerCase() !== "refresh") return undefined;
      return /^[\s\d.]*[;,]\s*url\s*=\s*(["']?)(.*?)\1\s*$/is.exec(attributes.content ?? "")?.[2];
    default:
      return undefined;
  }
}

/** "" if it is no URL. */
function resolve(link: string, base: string): string {
  return URL.parse(link, base)?.href ?? "";
}

/** The URL without fragment, user and password (fetch refuses them); undefined if it leaves the site. */
function sameOrigin(link: string, start: URL): string | undefined {
  const url = URL.parse(link);
  if (url === null || url.origin !== start.origin) return undefined;
  url.hash = "";
  url.username = "";
  url.password = "";
  return url.href;
}

/** Checks the last path segment, unless it has a colon: `/wiki/File:Photo.jpg` is a wiki page about a file. */
function hasNonPageExtension(url: string): boolean {
  const extension = /\/[^/:]*\.([^./:]+)$/.exec(new URL(url).pathname)?.[1];
  return extension !== undefined && refusedExtensions({ documents: [], media: false }).has(extension.toLowerCase());
}
