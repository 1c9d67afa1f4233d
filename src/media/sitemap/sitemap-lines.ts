import { LineReader } from "./line-reader.ts";
import { MAX_WRITTEN_LENGTH, type SitemapList } from "./sitemap-list.ts";

const ABSOLUTE = /^https?:\/\//i;

/** Reads a sitemap of plain text, one URL per line. https://www.sitemaps.org/protocol.html#otherformats */
export class SitemapLines {
  readonly format = "text";
  problem: string | null = null;

  readonly #list: SitemapList;
  readonly #lines = new LineReader({ maxLine: MAX_WRITTEN_LENGTH + 1, skipsIndent: true }, (line) => this.#read(line));
  #isEmpty = true;

  constructor(list: SitemapList) {
    this.#list = list;
  }

  write(text: string): void {
    this.#lines.write(text);
  }

  end(): void {
    // The line at which reading ended may be incomplete.
    if (this.#list.isEnded) return;
    this.#lines.end();
    if (this.#isEmpty) this.problem = "it is neither XML nor a list of URLs";
  }

  #read(line: string): void {
    // Absolute URLs only: any word would be a relative URL.
    if (!ABSOLUTE.test(line)) this.#list.reject(line);
    else if (this.#list.add("page", line, line) !== null) this.#isEmpty = false;
  }
}
