import type { FinalStatus } from "./status.ts";

/** What follows from a reason beside its status. Whatever is left out does not hold. */
interface Consequences {
  /** What the report of a site takes the URL for. Absent: for one that was not read, so its links are not judged. */
  target?: "document" | "redirect" | "broken";
  /** Whether the links of the page count, although the page is not kept. */
  isFollowed?: true;
  /**
   * Whether a watch visits the URL again. It does what an answer decided: the next one may be another. It leaves out
   * what robots.txt, a limit or a rule of the crawl decided, and an error is visited in any case.
   */
  isVisited?: true;
  /** What a visit of a kept page makes of it: a removed page, or nothing. Absent: the visit has failed. */
  visit?: "removed" | "forbidden";
}

/**
 * The reasons for the result of a URL: a closed list, each reason with its only status, its text for people, and what
 * follows from it. A row's `detail` adds the particulars (the HTTP status, the redirect's target, the rule that
 * matched).
 */
// biome-ignore format: one reason a line reads as a table
export const REASONS = {
  robots: ["disallowed", "robots.txt forbids it", { visit: "forbidden" }],
  "content-signal": ["disallowed", "robots.txt does not let it be used for what the crawl is for", { visit: "forbidden" }],

  "dry-run": ["skipped", "it would be fetched: this was a dry run"],
  redirected: ["skipped", "it redirects; the target has a record of its own", { target: "redirect", isVisited: true }],
  "same-page": ["skipped", "a part of it never changes the page, and the URL without that part is stored"],
  "nothing-new": ["skipped", "the last 200 pages of its pattern said nothing new, and one in 50 is fetched"],
  limit: ["skipped", "the crawl had reached its page limit"],
  "host-limit": ["skipped", "the crawl had reached its page limit for the host"],
  "content-type": ["skipped", "it is neither HTML nor text", { target: "document", isVisited: true }],
  "not-modified": ["skipped", "it has not changed since the time that the crawl asks for", { target: "document", isFollowed: true, isVisited: true }],
  language: ["skipped", "it is in another language than the crawl asks for", { target: "document", isFollowed: true, isVisited: true, visit: "removed" }],
  country: ["skipped", "its host is in another country than the crawl asks for", { visit: "forbidden" }],
  "log-in": ["skipped", "it asks to log in, although the session holds for other pages", { isVisited: true, visit: "forbidden" }],
  "not-saved": ["skipped", "it matches no pattern of pages to save, so only its links were read", { target: "document", isFollowed: true, isVisited: true, visit: "removed" }],
  noindex: ["skipped", "it asks not to be indexed", { target: "document", isFollowed: true, isVisited: true, visit: "removed" }],
  "too-large": ["skipped", "it is larger than the crawl keeps", { target: "document", isVisited: true }],
  empty: ["skipped", "the answer had no body", { isVisited: true }],
  hook: ["skipped", "the installation's hook dropped it", { isFollowed: true, isVisited: true }],
  "no-sitemap": ["skipped", "there is no sitemap at this usual place"],

  "http-status": ["errored", "the server answered with an error", { target: "broken" }],
  "payment-required": ["errored", "the site asks for a payment, and nothing is paid"],
  challenged: ["errored", "a bot wall asks for a proof that nobody gives: its challenge is not evaded"],
  gone: ["errored", "it is not there any more", { target: "broken" }],
  "soft-404": ["errored", "the page says that there is none, though its status is no error", { target: "broken" }],
  wall: ["errored", "its host is in trouble, and it answers like the host's pages that have lost their text"],
  dns: ["errored", "the host name does not resolve", { target: "broken" }],
  connection: ["errored", "the host refused or dropped the connection", { target: "broken" }],
  tls: ["errored", "the TLS handshake or the certificate failed", { target: "broken" }],
  timeout: ["errored", "the server took too long", { target: "broken" }],
  network: ["errored", "the request failed before an answer came", { target: "broken" }],
  "robots-unreachable": ["errored", "robots.txt could not be read, so nothing there may be fetched"],
  "private-address": ["errored", "its address is private, and no seed names it; on your own machine, give its host as a seed"],
  "ip-address": ["errored", "its host is an IP address, which Cloudflare does not fetch"],
  "redirect-loop": ["errored", "it redirects to itself", { target: "redirect" }],
  "too-many-redirects": ["errored", "the chain of redirects that led to it is too long", { target: "broken" }],
  parse: ["errored", "the page could not be read", { target: "document" }],
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
} as const satisfies Record<string, readonly [FinalStatus, sentence: string, Consequences?]>;

export type Reason = keyof typeof REASONS;

const ROWS: Record<Reason, readonly [FinalStatus, sentence: string, Consequences?]> = REASONS;

export function statusOf(reason: Reason): Exclude<FinalStatus, "completed"> {
  return REASONS[reason][0];
}

export function consequencesOf(reason: Reason | null): Consequences {
  return (reason === null ? null : ROWS[reason][2]) ?? {};
}

/** The reasons for which this holds. */
export function reasonsThat(holds: (consequences: Consequences) => boolean | undefined): Reason[] {
  return (Object.keys(REASONS) as Reason[]).filter((reason) => holds(consequencesOf(reason)));
}

/** Why a URL has no page, for people. */
export function describeReason({ reason, detail }: { reason: Reason | null; detail: string | null }): string {
  const sentence = reason === null ? "it was not fetched" : REASONS[reason][1];
  return detail === null || detail === "" ? sentence : `${sentence}: ${detail}`;
}
