import { MAX_WRITTEN_LENGTH, type SitemapList } from "./sitemap-list.ts";

const ABSOLUTE = /^https?:\/\//i;

/** Reads a sitemap of plain text, one URL per line. https://www.sitemaps.org/protocol.html#otherformats */
export class SitemapLines {
  readonly format = "text";
  problem: string | null = null;

  readonly #list: SitemapList;
  /** The line that may continue in the next piece; if it is too long, its beginning. */
  #line = "";
  #isEmpty = true;

  constructor(list: SitemapList) {
    this.#list = list;
  }

  write(text: string): void {
    // Empty lines do not count, so a piece may end between CR and LF.
    const [first = "", ...lines] = text.split(/[\r\n]/);
    this.#append(first);
    for (const line of lines) {
      this.#endLine();
      this.#append(line);
    }
  }

  end(): void {
    // The line at which reading ended may be incomplete.
    if (this.#list.isEnded) return;
    this.#endLine();
    if (this.#isEmpty) this.problem = "it is neither XML nor a list of URLs";
  }

  #append(text: string): void {
    const more = this.#line === "" ? text.trimStart() : text;
    this.#line += more.slice(0, MAX_WRITTEN_LENGTH + 1 - this.#line.length);
  }

  #endLine(): void {
    if (this.#line === "") return;
    // Absolute URLs only: any word would be a relative URL.
    if (!ABSOLUTE.test(this.#line)) this.#list.reject(this.#line);
    else if (this.#list.add("page", this.#line, this.#line) !== null) this.#isEmpty = false;
    this.#line = "";
  }
}
