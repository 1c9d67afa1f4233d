/** `pages/pages.jsonl` of a WACZ: what a reader lists for people (https://specs.webrecorder.net/wacz/1.1.1/#pages-jsonl). */

export interface WaczPage {
  /** Any, each page's own. */
  id: string;
  url: string;
  /** Its record's WARC-Date, in milliseconds: a reader finds the record by both. */
  date: number;
  title: string | null;
  /** For the reader's full-text search. */
  text?: string;
}

/** The first line, which tells what follows. */
export function pagesHeader(hasText: boolean): string {
  return line({ format: "json-pages-1.0", id: "pages", title: "All Pages", hasText });
}

export function pageLine({ id, url, date, title, text }: WaczPage): string {
  return line({ id, url, ts: new Date(date).toISOString(), title: title ?? undefined, text });
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
