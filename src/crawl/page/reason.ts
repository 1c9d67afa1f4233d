import type { FinalStatus } from "./status.ts";

/**
 * The reasons for the result of a URL: a closed list, each reason under its only status, with its text for people.
 * A row's `detail` adds the particulars (the HTTP status, the redirect's target, the rule that matched).
 */
export const REASONS = {
  robots: ["disallowed", "robots.txt forbids it"],
  "content-signal": ["disallowed", "robots.txt does not let it be used for what the crawl is for"],

  "dry-run": ["skipped", "it would be fetched: this was a dry run"],
  redirected: ["skipped", "it redirects; the target has a record of its own"],
  "same-page": ["skipped", "a part of it never changes the page, and the URL without that part is stored"],
  "nothing-new": ["skipped", "the last 200 pages of its pattern said nothing new, and one in 50 is fetched"],
  limit: ["skipped", "the crawl had reached its page limit"],
  "host-limit": ["skipped", "the crawl had reached its page limit for the host"],
  "content-type": ["skipped", "it is neither HTML nor text"],
  "not-modified": ["skipped", "it has not changed since the time that the crawl asks for"],
  language: ["skipped", "it is in another language than the crawl asks for"],
  country: ["skipped", "its host is in another country than the crawl asks for"],
  noindex: ["skipped", "it asks not to be indexed"],
  "too-large": ["skipped", "it is larger than the crawl keeps"],
  empty: ["skipped", "the answer had no body"],
  hook: ["skipped", "the installation's hook dropped it"],
  "no-sitemap": ["skipped", "there is no sitemap at this usual place"],

  "http-status": ["errored", "the server answered with an error"],
  "payment-required": ["errored", "the site asks for a payment, and nothing is paid"],
  challenged: ["errored", "a bot wall asks for a proof that nobody gives: its challenge is not evaded"],
  gone: ["errored", "it is not there any more"],
  "soft-404": ["errored", "the page says that there is none, though its status is no error"],
  dns: ["errored", "the host name does not resolve"],
  connection: ["errored", "the host refused or dropped the connection"],
  tls: ["errored", "the TLS handshake or the certificate failed"],
  timeout: ["errored", "the server took too long"],
  network: ["errored", "the request failed before an answer came"],
  "robots-unreachable": ["errored", "robots.txt could not be read, so nothing there may be fetched"],
  "private-address": [
    "errored",
    "its address is private, and no seed names it; on your own machine, give its host as a seed",
  ],
  "ip-address": ["errored", "its host is an IP address, which Cloudflare does not fetch"],
  "redirect-loop": ["errored", "it redirects to itself"],
  "too-many-redirects": ["errored", "the chain of redirects that led to it is too long"],
  parse: ["errored", "the page could not be read"],
  password: ["errored", "the document opens only with a password"],
  damaged: ["errored", "the document is damaged, or is not what it is called"],
  "too-complex": ["errored", "reading or drawing it takes more than the crawl gives a page"],
  render: ["errored", "no browser could draw the page"],
  "hook-failed": ["errored", "the installation's hook failed twice on it"],
  "bad-sitemap": ["errored", "it could not be read as a sitemap"],
  poison: ["errored", "fetching or reading it ended its worker"],
  "dead-letter": ["errored", "its message failed too often"],

  cancelled: ["cancelled", "the crawl was cancelled first"],
  "time-limit": ["cancelled", "the crawl reached its time limit first"],
  "topic-exhausted": ["cancelled", "too few of the last pages were relevant, so the crawl had ended"],
} as const satisfies Record<string, readonly [FinalStatus, string]>;

export type Reason = keyof typeof REASONS;

export function statusOf(reason: Reason): Exclude<FinalStatus, "completed"> {
  return REASONS[reason][0];
}
