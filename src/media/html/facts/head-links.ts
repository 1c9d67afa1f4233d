import { canonicalize } from "../../../url/canonicalize.ts";
import type { PageMetadata } from "../../document.ts";
import { tidy } from "../tree/tidy.ts";

/**
 * Reads what the `link` elements of a page name besides pages to follow: its icon, its feeds, its other languages.
 * https://html.spec.whatwg.org/multipage/links.html#linkTypes
 */

/** As written; the relations in lower case. */
export interface HeadLink {
  rel: readonly string[];
  href: string;
  type: string | null;
  title: string | null;
  hreflang: string | null;
}

const FEED_TYPE = /^\s*application\/(?:rss\+xml|atom\+xml|feed\+json)\s*(?:;|$)/i;
export const MAX_FEEDS = 20;
const MAX_ALTERNATES = 200;
const MAX_TITLE = 200;
const MAX_LANGUAGE = 35;

/** Each URL is resolved against `base` and canonical. One that cannot be fetched is left out. */
export function readHeadLinks(
  links: readonly HeadLink[],
  base: string,
): Pick<PageMetadata, "favicon" | "feeds" | "alternates"> {
  const named = (relation: string) => links.filter(({ rel }) => rel.includes(relation));
  const resolve = ({ href }: HeadLink) => canonicalize(href, base);
  const found = named("alternate").flatMap((link) => {
    const url = resolve(link);
    return url === null || link.rel.includes("stylesheet") ? [] : [{ ...link, url }];
  });
  const feeds = found.filter(({ type }) => FEED_TYPE.test(type ?? ""));
  const alternates = found.filter(({ hreflang, type }) => hreflang?.trim() && !FEED_TYPE.test(type ?? ""));
  const icons = [...named("icon"), ...named("apple-touch-icon"), ...named("apple-touch-icon-precomposed")];
  return {
    favicon: icons.map(resolve).find((url) => url !== null) ?? null,
    feeds: feeds.slice(0, MAX_FEEDS).map(({ url, title, type }) => ({
      url,
      type: (type ?? "").replace(/;.*$/s, "").trim().toLowerCase(),
      title: tidy(title ?? "", MAX_TITLE) || null,
    })),
    alternates: alternates
      .slice(0, MAX_ALTERNATES)
      .map(({ url, hreflang }) => ({ url, language: tidy(hreflang ?? "", MAX_LANGUAGE) })),
  };
}
