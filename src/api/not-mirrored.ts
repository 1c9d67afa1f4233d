import { html } from "hono/html";
import type { CrawlUrl } from "../crawl/crawl.ts";
import { shownStatus, viewRecord } from "./views.ts";

/** The page of ours that stands where a replay has nothing to show: what is not there, why, and where else it may be. */

/** Its own styles alone, and in any frame: it says nothing but what its address asks for. */
export const NOT_MIRRORED_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 10vh auto; padding: 0 1rem } code { overflow-wrap: anywhere }
li { margin: .3rem 0 }`;

/** `url`: canonical; null where what was asked for is none. */
export function notMirrored(crawl: string, asked: string, url: string | null, record: CrawlUrl | null) {
  const query = new URLSearchParams({ url: url ?? asked });
  const inside = `/crawls/${crawl}/${record === null ? "explain" : "record"}?${query}`;
  const links =
    url === null
      ? html``
      : html`<ul>
          <li><a href="${url}" rel="noreferrer noopener nofollow">The page on the live web</a></li>
          <li><a href="${inside}">${record === null ? "What the crawl decides of it" : "Its record"}</a></li>
        </ul>`;
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not in this mirror</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><main><h1>Not in this mirror</h1><p><code>${url ?? asked}</code></p><p>${reasonFor(url, record)}</p>${links}</main></body></html>`;
}

function reasonFor(url: string | null, record: CrawlUrl | null): string {
  if (url === null) return "It is not an http or https URL.";
  if (record === null) return "The crawl has no record of it: it came upon no link to it, or did not take it.";
  const status = shownStatus(record.status);
  if (status === "completed") return "The crawl fetched it, and the mirror holds it no more.";
  if (status === "queued") return "It is queued: the crawl has not come to it yet.";
  return `It is ${status}: ${viewRecord(record).explanation ?? "no reason is on record"}.`;
}
