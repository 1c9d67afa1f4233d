/** What stands in one place of a list. */
export interface ListEntry {
  /** The URL as it is written, without what surrounds it. */
  text: string;
  /** From 1 on. */
  line: number;
  /** The other cells of its row, in their order; for lines, the words after the URL. */
  rest: string[];
  /** All cells by the names of their columns, in lower case with letters alone; absent without such names. */
  named?: ReadonlyMap<string, string>;
  /** Its URL is that of a sitemap, and not of a page. */
  isSitemap?: true;
}
