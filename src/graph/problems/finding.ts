import { createHash } from "node:crypto";
import type { LinkPlace } from "../../media/links/links.ts";

/**
 * A finding of the site report: one fact that somebody may want to mend. The names are those that site owners know from
 * other tools: Screaming Frog's issues, Ahrefs' Site Audit, W3C's link checker, and Google Search Console.
 * https://www.screamingfrog.co.uk/seo-spider/issues/ https://validator.w3.org/docs/checklink.html
 */

export type Severity = "error" | "warning" | "notice";

/** In the order of the report. `mend`: what somebody does about it. */
// biome-ignore format: one kind a line reads as a table
export const FINDING_KINDS = {
  "broken-link": ["error", "Broken links", "Links to URLs of the site that cannot be read.", "Correct the link, or remove it."],
  "broken-external-link": ["error", "Broken external links", "Links to URLs of other sites that do not exist.", "Link to where the content is now, or remove the link."],
  "broken-fragment": ["warning", "Broken fragments", "Links to a place that the target page does not have.", "Correct what follows the #, or give the target that id."],
  "broken-resource": ["error", "Broken images, styles, scripts and media", "Pages load a file that cannot be read.", "Correct the address, or put the file back."],
  "mixed-content": ["warning", "Mixed content", "HTTPS pages load files by HTTP, which browsers block or warn of.", "Load the file by HTTPS."],
  "insecure-link": ["warning", "HTTP links on HTTPS pages", "Links that leave the encrypted connection.", "Link to the HTTPS address."],
  "vague-link-text": ["notice", "Vague link texts", "Links whose words do not say where they lead, such as “here”.", "Write what the target is about."],
  "redirect-loop": ["error", "Redirect loops", "Redirects that lead back to themselves.", "Let the redirect end at a page."],
  "broken-redirect": ["error", "Broken redirects", "Redirects that end at a URL that cannot be read.", "Redirect to a page that exists."],
  "redirect-chain": ["warning", "Redirect chains", "URLs that reach a page after two redirects or more.", "Redirect to the last URL at once, and link to it."],
  redirect: ["notice", "Redirects", "URLs that redirect once.", "Link to the target."],
  "sitemap-broken": ["error", "Broken URLs in sitemaps", "A sitemap lists a URL that cannot be read.", "Remove it from the sitemap, or put the page back."],
  "sitemap-redirect": ["warning", "Redirects in sitemaps", "A sitemap lists a URL that redirects.", "List the target."],
  "sitemap-noindex": ["warning", "Pages in sitemaps that may not be indexed", "A sitemap lists a page that noindex or robots.txt keeps out.", "Remove it from the sitemap, or let it be indexed."],
  "sitemap-not-canonical": ["warning", "Pages in sitemaps that are not canonical", "A sitemap lists a page that names another one as canonical.", "List the canonical page."],
  "sitemap-missing": ["notice", "Pages that no sitemap lists", "The site has a sitemap, and the page is not in it.", "Add the page to the sitemap."],
  "orphan-page": ["warning", "Orphan pages", "Pages in a sitemap that no page links to.", "Link to the page, or remove it."],
  "unreachable-page": ["warning", "Unreachable pages", "Pages that only such pages link to: no way of links leads there from the start.", "Link to one of them from a page that can be reached."],
  "deep-page": ["notice", "Deep pages", "Pages that need many clicks from the start.", "Link to the page from a page that is nearer to the start."],
  "noindex-page": ["notice", "Pages with noindex", "Pages that ask not to be indexed.", "Nothing, if that is meant. Otherwise remove the directive."],
  "robots-page": ["notice", "URLs that robots.txt forbids", "URLs that pages link to and crawlers may not read.", "Nothing, if that is meant. Otherwise change robots.txt."],
  "canonical-broken": ["error", "Broken canonicals", "Pages whose canonical URL cannot be read.", "Name a page that exists."],
  "canonical-multiple": ["error", "Conflicting canonicals", "Pages that name several canonical URLs, so none counts.", "Name one."],
  "canonical-redirect": ["warning", "Canonicals that redirect", "Pages whose canonical URL redirects.", "Name the target of the redirect."],
  "canonical-noindex": ["error", "Canonicals with noindex", "Pages whose canonical page asks not to be indexed, so neither is.", "Name a page that may be indexed."],
  "canonical-loop": ["error", "Canonicals that name each other", "Two pages name each other as canonical.", "Let both name the same page."],
  "canonical-chain": ["warning", "Canonical chains", "Pages whose canonical page names another canonical page.", "Name the last page of the chain."],
  "canonical-external": ["notice", "Canonicals on other sites", "Pages whose canonical URL is on another host.", "Nothing, if that is meant. Otherwise name the own page."],
  "hreflang-broken": ["error", "Broken hreflang", "Alternate languages whose URL cannot be read or redirects.", "Name the page itself."],
  "hreflang-no-return": ["warning", "Missing hreflang return links", "Alternate pages that do not link back.", "Name this page on the alternate page, too."],
  "hreflang-not-canonical": ["warning", "Non-canonical hreflang", "Alternate pages that name another canonical page.", "Name the canonical page of that language."],
  "title-missing": ["warning", "Missing titles", "Pages without a title.", "Write a title that says what the page is about."],
  "title-duplicate": ["warning", "Duplicate titles", "Pages that share their title with another page.", "Give each page a title of its own."],
  "title-long": ["notice", "Long titles", "Titles that are wider than search results show.", "Say what matters in the first 60 characters."],
  "description-missing": ["notice", "Missing descriptions", "Pages without a meta description.", "Write one or two sentences about the page."],
  "description-duplicate": ["notice", "Duplicate descriptions", "Pages that share their description with another page.", "Give each page a description of its own."],
  "description-long": ["notice", "Long descriptions", "Descriptions that are wider than search results show.", "Say what matters in the first 150 characters."],
  "h1-missing": ["warning", "Missing first-level headings", "Pages without an h1, or with an empty one.", "Give the page one h1 with its subject."],
  "h1-multiple": ["notice", "Several first-level headings", "Pages with more than one h1.", "Keep one, and make the others h2."],
  "h1-duplicate": ["notice", "Duplicate first-level headings", "Pages that share their first h1 with another page.", "Give each page a heading of its own."],
  "h1-long": ["notice", "Long first-level headings", "First-level headings of more than 70 characters.", "Shorten it."],
  "image-alt-missing": ["notice", "Images without alt", "Images that say nothing to who cannot see them.", "Describe the image in alt. An empty alt says that it is decoration."],
  "soft-404": ["error", "Soft 404", "Pages that say that they do not exist, without an error status.", "Answer with status 404 or 410."],
  "thin-page": ["notice", "Thin pages", "Pages with few words of their own.", "Write more, or join it with another page."],
  "scripts-needed": ["warning", "Pages that need scripts", "Pages that look empty without their scripts: many crawlers see no more.", "Send the content with the page."],
  "slow-page": ["warning", "Slow pages", "Pages whose answer took long, also beside the others of the site.", "Look for what the server does before it answers."],
  "large-page": ["notice", "Large pages", "Pages with many bytes, also beside the others of the site.", "Divide the page, or send less with it."],
  "duplicate-page": ["warning", "Duplicate pages", "Pages with the same text as another page.", "Redirect to one of them, or name it as canonical."],
  "near-duplicate-page": ["notice", "Near-duplicate pages", "Pages with almost the same text as another page.", "Join them, or name one as canonical."],
} as const satisfies Record<string, readonly [Severity, title: string, explanation: string, mend: string]>;

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
