import { flag, integer, number, special, text } from "./option.ts";

/** How fast a crawl asks a host, and how it presents itself. */
export const POLITENESS_OPTIONS = {
  "politeness.minDelayMs": integer("--delay <seconds>", 0, 600_000, 1_000, {
    label: "Min delay",
    unit: "ms",
    flagNote: "at least 0.2 unless `own` shows that the host is yours",
    sentence: "Minimum delay between two requests to a host.",
    see: "politeness.md#whose-host-it-is",
    elsewhere: { firecrawl: "delay" },
  }),
  "politeness.maxDelayMs": integer("--max-delay <seconds>", 0, 600_000, 30_000, {
    label: "Max delay",
    unit: "ms",
    sentence: "Maximum adaptive delay between two requests to a host. A longer Crawl-delay is still obeyed.",
  }),
  /** The host rests for this many times the duration of the last fetch. */
  "politeness.delayFactor": number("--delay-factor <n>", 0, 100, 5, {
    label: "Delay factor",
    sentence: "Delay factor: the adaptive delay is this many times the duration of the last fetch.",
  }),
  "politeness.maxConcurrencyPerHost": integer("--concurrency <n>", 1, 32, 1, {
    label: "Max concurrency per host",
    flagNote: "at most 2 unless `own` shows that the host is yours",
    sentence: "Maximum number of connections to one host at once. The platform opens at most six for a batch of URLs.",
  }),
  "politeness.maxBytesPerSecond": integer("--bandwidth <size>", 0, 1_000_000_000, 0, {
    label: "Bandwidth per host",
    unit: "bytes/s",
    sentence:
      "Bandwidth limit per host: after a body the host rests until the average is at most this many bytes per second. 0 means no limit.",
  }),
  userAgent: text("--user-agent <ua>", {
    label: "User agent",
    flagNote: "its first product token selects the rules in robots.txt",
    sentence: "User-Agent header of the crawl.",
    otherwise: "the installation's `USER_AGENT`",
  }),
  from: text("--from <mail>", {
    label: "From (mail address)",
    sentence: "From header: the mail address of whoever runs the crawl. Every request carries it.",
  }),
  acceptLanguage: text("--accept-language <value>", {
    label: "Accept-Language",
    example: "de, en;q=0.5",
    sentence:
      "Accept-Language header: the languages in which a site that chooses by this header answers. Every request for a page, an asset or a sitemap carries it. Which pages are stored is up to `languages`.",
    see: "politeness.md#languages-and-countries",
  }),
  headers: special("--header <name:value>", "pairs", {} as Record<string, string>, {
    label: "Request headers",
    example: "Authorization: Bearer ...",
    sentence: "HTTP headers for requests to the seeds' origins, and to no other.",
    inJson:
      "The API never shows them. `Host`, `User-Agent` and headers of the connection are not sent: the crawler sets them.",
    elsewhere: { cloudflare: "setExtraHTTPHeaders", firecrawl: "scrapeOptions.headers" },
  }),
  keepCookies: flag("--cookies", false, {
    label: "Keep cookies",
    sentence:
      "Keep the cookies that a host sets, and send them back to this host alone. They are deleted with the crawl. Without it, cookies count only within a chain of redirects.",
  }),
};
