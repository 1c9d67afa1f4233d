/** Where a link of a mirrored page leads in its replay. */

export class ReplayLinks {
  /** What an address in this replay begins with; the mirrored URL follows as it is, query and fragment included. */
  readonly prefix: string;
  readonly #base: string;
  readonly #baseIsPage: boolean;

  /** `base`: what the page's relative links are seen from. */
  constructor(prefix: string, pageUrl: string, base = pageUrl) {
    this.prefix = prefix;
    this.#base = base;
    this.#baseIsPage = base === pageUrl;
  }

  /** Null where it is to stay as it is written: a place in the page itself, `data:`, `mailto:`, and what is no URL. */
  addressOf(written: string): string | null {
    const href = written.trim();
    if (this.#baseIsPage && (href === "" || href.startsWith("#"))) return null;
    const url = URL.parse(href, this.#base);
    if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
    url.username = "";
    url.password = "";
    return this.prefix + url.href;
  }
}
