/**
 * Lines of `pages/pages.jsonl` in a WACZ, the pages that a reader lists
 * (https://specs.webrecorder.net/wacz/1.1.1/#pages-jsonl).
 */

interface WaczPage {
  /** Any text that no other page has. */
  id: string;
  url: string;
  /** The record's WARC-Date, in milliseconds since the Unix epoch. A reader finds the record by URL and date. */
  date: number;
  title: string | null;
  /** For the reader's full-text search. */
  text?: string;
}

/** The first line, which describes the others. */
export function pagesHeader(hasText: boolean): string {
  return jsonLine({ format: "json-pages-1.0", id: "pages", title: "All Pages", hasText });
}

export function pageLine({ id, url, date, title, text }: WaczPage): string {
  return jsonLine({ id, url, ts: new Date(date).toISOString(), title: title ?? undefined, text });
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
