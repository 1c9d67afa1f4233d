import { MAX_WRITTEN_LENGTH, type SitemapList } from "./sitemap-list.ts";

const ABSOLUTE = /^https?:\/\//i;

/** A sitemap of plain text, one URL a line. https://www.sitemaps.org/protocol.html#otherformats */
export class SitemapLines {
  readonly format = "text";
  problem: string | null = null;

  readonly #list: SitemapList;
  /** The line that may go on in the next piece, or as much of it as shows that it is too long. */
  #line = "";
  #isEmpty = true;

  constructor(list: SitemapList) {
    this.#list = list;
  }

  write(text: string): void {
    // An empty line is none, so that the two characters of a line's end may be cut apart.
    const [first = "", ...lines] = text.split(/[\r\n]/);
    this.#append(first);
    for (const line of lines) {
      this.#endLine();
      this.#append(line);
    }
  }

  end(): void {
    // The line in which a limit was met may be cut off.
    if (this.#list.truncated !== null) return;
    this.#endLine();
    if (this.#isEmpty) this.problem = "it is neither XML nor a list of URLs";
  }

  #append(text: string): void {
    const more = this.#line === "" ? text.trimStart() : text;
    this.#line += more.slice(0, MAX_WRITTEN_LENGTH + 1 - this.#line.length);
  }

  #endLine(): void {
    if (this.#line === "") return;
    // Only absolute URLs: each word of a text would be a relative one.
    if (!ABSOLUTE.test(this.#line)) this.#list.reject(this.#line);
    else if (this.#list.add("pages", this.#line, this.#line) !== null) this.#isEmpty = false;
    this.#line = "";
  }
}
