import { markdownLinks } from "../links/markdown-links.ts";
import { LineReader } from "./line-reader.ts";
import { MAX_WRITTEN_LENGTH, type SitemapList } from "./sitemap-list.ts";

/**
 * Reads `llms.txt`, a list of a site's pages in Markdown (https://llmstxt.org). A link to another `llms.txt` leads to
 * more of them.
 */

const NAME = /\/llms(?:-[a-z]+)?\.txt$/i;
/** Of a line that goes on for longer, the beginning is read. */
const MAX_LINE = 16 * MAX_WRITTEN_LENGTH;

/** Whether a URL is that of such a list. */
export function isLlmsTxt(url: string): boolean {
  return NAME.test(URL.parse(url)?.pathname ?? "");
}

export class LlmsLinks {
  readonly format = "llms";
  problem: string | null = null;

  readonly #list: SitemapList;
  readonly #url: string;
  readonly #lines = new LineReader({ maxLine: MAX_LINE, skipsIndent: false }, (line) => this.#read(line));
  #isEmpty = true;

  constructor(list: SitemapList, url: string) {
    this.#list = list;
    this.#url = url;
  }

  write(text: string): void {
    this.#lines.write(text);
  }

  end(): void {
    // The line at which reading ended may be incomplete.
    if (this.#list.isEnded) return;
    this.#lines.end();
    if (this.#isEmpty) this.problem = "it has no links";
  }

  #read(line: string): void {
    for (const { target } of markdownLinks(line)) {
      const kind = isLlmsTxt(URL.parse(target, this.#url)?.href ?? "") ? "sitemap" : "page";
      if (!target.startsWith("#") && this.#list.add(kind, target, this.#url) !== null) this.#isEmpty = false;
    }
  }
}
