import type { Document } from "../src/media/document.ts";
import type { LinkKind } from "../src/media/links/links.ts";

/** A sitemap's document as lists of its pages and sitemaps. */
export function listedIn({ type, links, leftOut }: Document) {
  const entries = (wanted: LinkKind) =>
    links.filter(({ kind }) => kind === wanted).map(({ url, lastmod = null }) => ({ url, lastmod }));
  return { format: type, pages: entries("page"), sitemaps: entries("sitemap"), ...leftOut };
}
