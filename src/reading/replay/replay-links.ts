/** Turns the links of a mirrored page into addresses of its replay. */

export class ReplayLinks {
  /** The beginning of each address in this replay. The mirrored URL follows as it is, with query and fragment. */
  readonly prefix: string;
  readonly #base: string;
  readonly #baseIsPage: boolean;

  /** `base`: the URL against which the page's relative links are resolved. */
  constructor(prefix: string, pageUrl: string, base = pageUrl) {
    this.prefix = prefix;
    this.#base = base;
    this.#baseIsPage = base === pageUrl;
  }

  /**
   * Returns null for a link that stays as written: a place in the page itself, `data:`, `mailto:`, and what is no URL.
   */
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
