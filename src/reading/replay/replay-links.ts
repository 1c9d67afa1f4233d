import type { EncodeQuery } from "../../media/query-encoding.ts";

/** Turns the links of a mirrored page into addresses of its replay. */

export class ReplayLinks {
  /** The beginning of each address in this replay. The mirrored URL follows as it is, with query and fragment. */
  readonly prefix: string;
  /** The URL against which relative links are resolved. */
  readonly base: string;
  readonly #baseIsPage: boolean;
  readonly #encodeQuery: EncodeQuery | null;

  /**
   * `base`: the URL against which the page's relative links are resolved. `encodeQuery`: for a page whose queries are
   * not in UTF-8.
   */
  constructor(prefix: string, pageUrl: string, base = pageUrl, encodeQuery: EncodeQuery | null = null) {
    this.prefix = prefix;
    this.base = base;
    this.#baseIsPage = base === pageUrl;
    this.#encodeQuery = encodeQuery;
  }

  /**
   * Returns null for a link that stays as written: a place in the page itself, `data:`, `mailto:`, and what is no URL.
   */
  addressOf(written: string): string | null {
    const href = written.trim();
    if (this.#baseIsPage && (href === "" || href.startsWith("#"))) return null;
    const url = URL.parse(this.#encodeQuery?.(href) ?? href, this.base);
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
    url.username = "";
    url.password = "";
    return this.prefix + url.href;
  }
}
