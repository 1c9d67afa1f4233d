import { createHash } from "node:crypto";
import type { LinkPlace } from "../../media/links/links.ts";

/**
 * A finding of the site report: one fact that somebody may want to mend. The names are those that site owners know from
 * other tools: Screaming Frog's issues, Ahrefs' Site Audit, W3C's link checker, and Google Search Console.
 * https://www.screamingfrog.co.uk/seo-spider/issues/ https://validator.w3.org/docs/checklink.html
 */

export type Severity = "error" | "warning" | "notice";

/** In the order of the report. */
export const FINDING_KINDS = {
  "broken-link": ["error", "Broken links", "Links to URLs of the site that cannot be read."],
  "broken-external-link": ["error", "Broken external links", "Links to URLs of other sites that do not exist."],
  "broken-fragment": ["warning", "Broken fragments", "Links to a place that the target page does not have."],
  "insecure-link": ["warning", "HTTP links on HTTPS pages", "Links that leave the encrypted connection."],
  "redirect-loop": ["error", "Redirect loops", "Redirects that lead back to themselves."],
  "broken-redirect": ["error", "Broken redirects", "Redirects that end at a URL that cannot be read."],
  "redirect-chain": ["warning", "Redirect chains", "URLs that reach a page after two redirects or more."],
  redirect: ["notice", "Redirects", "URLs that redirect once."],
  "orphan-page": ["warning", "Orphan pages", "Pages in a sitemap that no page links to."],
  "deep-page": ["notice", "Deep pages", "Pages that need many clicks from the start."],
  "canonical-broken": ["error", "Broken canonicals", "Pages whose canonical URL cannot be read."],
  "canonical-redirect": ["warning", "Canonicals that redirect", "Pages whose canonical URL redirects."],
  "canonical-chain": ["warning", "Canonical chains", "Pages whose canonical page names another canonical page."],
  "hreflang-broken": ["error", "Broken hreflang", "Alternate languages whose URL cannot be read or redirects."],
  "hreflang-no-return": ["warning", "Missing hreflang return links", "Alternate pages that do not link back."],
  "hreflang-not-canonical": ["warning", "Non-canonical hreflang", "Alternate pages that name another canonical page."],
  "title-missing": ["warning", "Missing titles", "Pages without a title."],
  "title-duplicate": ["warning", "Duplicate titles", "Pages that share their title with another page."],
  "description-missing": ["notice", "Missing descriptions", "Pages without a meta description."],
  "description-duplicate": [
    "notice",
    "Duplicate descriptions",
    "Pages that share their description with another page.",
  ],
  "soft-404": ["error", "Soft 404", "Pages that say that they do not exist, without an error status."],
  "thin-page": ["notice", "Thin pages", "Pages with few words of their own."],
  "scripts-needed": [
    "warning",
    "Pages that need scripts",
    "Pages that look empty without their scripts: many crawlers see no more.",
  ],
  "slow-page": ["warning", "Slow pages", "Pages whose answer took long."],
  "large-page": ["notice", "Large pages", "Pages with many bytes."],
  "duplicate-page": ["warning", "Duplicate pages", "Pages with the same text as another page."],
  "near-duplicate-page": ["notice", "Near-duplicate pages", "Pages with almost the same text as another page."],
} as const satisfies Record<string, readonly [Severity, title: string, explanation: string]>;

export type FindingKind = keyof typeof FINDING_KINDS;

export interface FindingFacts {
  /** The URL of the page to mend. */
  page: string;
  /** The URL that the finding is about beside the page: where a link leads, which page is the original. */
  target?: string;
  /** The anchor text of a link; the title or description that pages share. */
  text?: string;
  place?: LinkPlace;
  /** The URLs that follow the page in a chain of redirects. */
  hops?: string[];
  /** One fact for people: a status, a number with its unit. It may change while the finding stays. */
  detail?: string;
}

export interface Finding extends FindingFacts {
  /** 16 hex digits. It is the same in each pass that finds this again. */
  id: string;
  kind: FindingKind;
}

const KIND_ORDER = new Map(Object.keys(FINDING_KINDS).map((kind, i) => [kind, i]));

/** The id is made of what `orderFindings` compares, so hops and detail may change while the finding stays the same. */
export function makeFinding(kind: FindingKind, facts: FindingFacts): Finding {
  const name = JSON.stringify([kind, ...identity(facts)]);
  return { id: createHash("sha256").update(name).digest("hex").slice(0, 16), kind, ...facts };
}

/**
 * Orders findings as a report shows them: by kind, then by target, so that all pages with one broken link stand
 * together. It is 0 for two findings of the same id and for no others. Strings are compared by their UTF-16 units.
 */
export function orderFindings(one: Finding, other: Finding): number {
  const byKind = (KIND_ORDER.get(one.kind) ?? 0) - (KIND_ORDER.get(other.kind) ?? 0);
  if (byKind !== 0) return byKind;
  const others = identity(other);
  for (const [i, part] of identity(one).entries()) {
    const compared = others[i] ?? "";
    if (part !== compared) return part < compared ? -1 : 1;
  }
  return 0;
}

function identity({ page, target, text, place }: FindingFacts): string[] {
  return [target ?? "", text ?? "", page, place ?? ""];
}
