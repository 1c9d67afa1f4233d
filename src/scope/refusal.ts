/**
 * The reasons for which a found link is refused. A closed list: the ledger counts refusals by it, and `explain` answers
 * with it.
 */
export const REFUSALS = {
  "invalid-url": "cannot be parsed as a URL",
  "private-address": "leads to a private address that no seed names; on your own machine, give that host as a seed",
  "too-long": "is longer than the crawl takes",
  "off-host": "is on a host outside the scope",
  "not-below": "is not below the path of a seed",
  excluded: "matches an exclude pattern",
  action: "looks as if it changed something, such as a log-out, and the crawl has a session",
  "not-included": "matches no include pattern",
  depth: "is deeper than the crawl goes",
  extension: "names a file type that is not a page",
  nofollow: "says nofollow, or is on a page that does",
  "path-depth": "has more path segments than the crawl takes",
  "repeated-segments": "repeats its path segments",
  "session-id": "names another session of the page that it is on",
  variants: "is one of too many that differ in numbers or query values alone",
  chain: "is at the end of a long chain of such variants, as an endless calendar's are",
  "link-limit": "is beyond the number of links that the crawl reads from one document",
  "post-form": "is where a form sends POST, and only forms that send GET are filled in",
  "sitemap-depth": "is a sitemap that too many indexes led to",
  "sitemap-limit": "is a sitemap beyond the number that a crawl reads",
  hook: "is refused by the installation's hook",
  "hook-failed": "is one of many in its document, and the installation's hook failed on it",
  "host-limit": "is on a host of which the crawl has as many pages as it takes",
  "same-page": "differs from another URL only in parts that never change the page on its host",
  "nothing-new": "is one of a pattern of which the last 200 pages said nothing new, and one in 50 is fetched",
  "duplicate-page": "is on a page to which pages with the same content lead",
} as const;

export type Refusal = keyof typeof REFUSALS;
