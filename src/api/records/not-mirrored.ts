import { html } from "hono/html";
import type { CrawlUrl } from "../../crawl/crawl.ts";
import { shownStatus, viewRecord } from "./record-schemas.ts";

/** The pages for what a replay cannot show: they say why, and where else the page may be. */

/** Only inline styles. Any page may frame it, because it tells no more than its address. */
export const NOT_MIRRORED_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 10vh auto; padding: 0 1rem } code { overflow-wrap: anywhere }
li { margin: .3rem 0 }`;

/** `url` is canonical, and null if the request has no valid URL. */
export function notMirrored(crawl: string, requested: string, url: string | null, record: CrawlUrl | null) {
  const query = new URLSearchParams({ url: url ?? requested });
  const inside = `/crawls/${crawl}/${record === null ? "explain" : "record"}?${query}`;
  const links =
    url === null
      ? html``
      : html`<ul>
          <li><a href="${url}" rel="noreferrer noopener nofollow">The page on the live web</a></li>
          <li><a href="${inside}">${record === null ? "What the crawl decides for it" : "Its record"}</a></li>
        </ul>`;
  return page(url ?? requested, reasonFor(url, record), links);
}

/** `newest`: the address of the newest memento of the same URL. */
export function notATime(digits: string, newest: string) {
  const reason = `${digits} is not a time. Write a time in UTC as YYYYMMDDhhmmss, or its beginning: 2026 is the end of that year, and 20261121 the end of that day.`;
  return page(newest, reason, html`<ul><li><a href="${newest}">The newest version</a></li></ul>`);
}

function page(subject: string, reason: string, links: ReturnType<typeof html>) {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Not in this mirror</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${STYLE}</style></head>
<body><main><h1>Not in this mirror</h1><p><code>${subject}</code></p><p>${reason}</p>${links}</main></body></html>`;
}

function reasonFor(url: string | null, record: CrawlUrl | null): string {
  if (url === null)
    return "It is not an http or https URL. Write /replay/CRAWL/URL, or /replay/CRAWL/YYYYMMDDhhmmss/URL for a time.";
  if (record === null)
    return "The crawl has no record of it: it found no link to it, or did not follow it. To list the crawls that have it: orbweaver versions URL";
  const status = shownStatus(record.status);
  if (record.media !== null && record.sha256 === null)
    return "It is a sound, a film or a picture. The crawl recorded what it says about itself, and did not store it.";
  if (status === "completed") return "The crawl fetched it, but it is no longer in the mirror.";
  if (status === "queued") return "It is queued: the crawl has not fetched it yet.";
  return `It is ${status}: ${viewRecord(record).explanation ?? "no reason is recorded"}.`;
}
