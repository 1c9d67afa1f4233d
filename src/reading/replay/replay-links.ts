import type { EncodeQuery } from "../../media/characters/query-encoding.ts";

/** Turns the links of a mirrored page into other addresses. */

/** What the links of a document are resolved against. */
export interface LinkContext {
  /** The document's own URL. */
  pageUrl: string;
  base: string;
  /** Null for a document whose queries are in UTF-8. */
  encodeQuery: EncodeQuery | null;
}

export interface PageLinks {
  /** The beginning of each address in a replay, whose sandbox keeps some links from working. Null without a sandbox. */
  readonly prefix: string | null;
  readonly context: LinkContext;
  /** Returns null for a link that stays as written. */
  addressOf(written: string): string | null;
  /** The links of a document within this one. */
  within(context: LinkContext): PageLinks;
}

/** A document without a base of its own, with queries in UTF-8. */
export function plainContext(pageUrl: string): LinkContext {
  return { pageUrl, base: pageUrl, encodeQuery: null };
}

/** Links become addresses of the page's replay. */
export class ReplayLinks implements PageLinks {
  /** The mirrored URL follows as it is, with query and fragment. */
  readonly prefix: string;
  readonly context: LinkContext;

  constructor(prefix: string, context: LinkContext) {
    this.prefix = prefix;
    this.context = context;
  }

  addressOf(written: string): string | null {
    const url = resolveLink(written, this.context);
    return url === null ? null : this.prefix + url;
  }

  within(context: LinkContext): ReplayLinks {
    return new ReplayLinks(this.prefix, context);
  }
}

/**
 * The absolute URL of a link, with its fragment and without credentials. Returns null for a link that stays as written:
 * a place in the page itself, `data:`, `mailto:`, and what is no URL.
 */
export function resolveLink(written: string, { pageUrl, base, encodeQuery }: LinkContext): string | null {
  const href = written.trim();
  if (base === pageUrl && (href === "" || href.startsWith("#"))) return null;
  const url = URL.parse(encodeQuery?.(href) ?? href, base);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  url.username = "";
  url.password = "";
  return url.href;
}
