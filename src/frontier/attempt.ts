import type { PageVersion } from "../changes/page-version.ts";
import type {
  Capture,
  FetchResult,
  Outcome,
  PageFetched,
  PageHeaders,
  PageRedirected,
  PageRejected,
  PageSaid,
  PageTopic,
  Sitemap,
  SitemapResult,
  Validators,
} from "../crawl/page/outcome.ts";
import { type Reason, statusOf } from "../crawl/page/reason.ts";
import { reasonToLeave } from "../crawl/page/reason-to-leave.ts";
import type { FinalStatus } from "../crawl/page/status.ts";
import { NO_FACTS } from "../crawl/url-facts.ts";
import type { VisitOutcome } from "../crawl/watch/watch.ts";
import { cookieHeader, readJar, storeCookies, writeJar } from "../fetch/request/cookie-jar.ts";
import { encodePageLinks } from "../graph/page-links.ts";
import type { Verdict } from "../host/gate-protocol.ts";
import { isLossOfHost } from "../host/host-failure.ts";
import type { LinkSample } from "../media/document.ts";
import { isNewCrawl, type PageWork, type SitemapWork, visitOf, type Work } from "./work.ts";

/** One attempt at one URL: the outcome for the ledger, and the URLs and content that were found. */
export interface Attempt {
  readonly work: Work;
  readonly outcome: Outcome;
  /** Text for the search index; null if the page is not indexed. */
  readonly text: string | null;
  /** What the page says, for a visit; null if it is not compared. */
  readonly version: PageVersion | null;
  /** As in PageFetched. */
  readonly storedVersion?: PageVersion | null;
  /** What the whole page says; null if that is not asked. */
  readonly said: PageSaid | null;
  /** Content that is not in a pack yet; null if there is none. */
  readonly capture: Capture | null;
  /** Canonical outlinks. */
  readonly links: readonly string[];
  /** The page in other languages, if the crawl prefers languages. */
  readonly alternates: readonly { url: string; language: string }[];
  /** Canonical URLs of the sitemaps that a page names. */
  readonly sitemaps: readonly string[];
  /** Canonical URLs of its feeds. */
  readonly feeds: readonly string[];
  /** Outlinks that the page asks not to follow. */
  readonly nofollow: LinkSample;
  /** Outlinks that a crawl with a session does not follow; absent if there are none. */
  readonly actions?: LinkSample;
  /** Links and requisites that a limit drops. */
  readonly dropped: { readonly links: LinkSample; readonly requisites: LinkSample; readonly postForms?: LinkSample };
  /** The assets of a stored page or style sheet. */
  readonly assets: readonly string[];
  /** The sounds, films and pictures that a stored page shows, if the crawl describes them. */
  readonly embedded: readonly string[];
  /** The entries of a sitemap; null for a page, and for a sitemap that could not be read. */
  readonly sitemap: Sitemap | null;
  /** Canonical target of a redirect to follow. */
  readonly redirect: string | null;
  /** The cookies of the redirects up to this one, as a stored jar; null if there are none. */
  readonly cookies: string | null;
  /** Minimum delay before the next attempt, in milliseconds; null if there is none. */
  readonly retryDelayMs: number | null;
  /** What the page and its links say about the crawl's subject; null without one, and for a page that was not read. */
  readonly topic: PageTopic | null;
  /** The rule that holds it back without a fetch, and URLs of which one shows the same page. Null for all others. */
  readonly withheld: { rule: string; same: readonly string[] } | null;
  /** What the visit of a known page found; null for a row that was queued, and until it is decided. */
  readonly visit: VisitOutcome | null;
  /** The main text, for the installation's hook; null without a hook, and once it has been asked. */
  readonly hookText: string | null;
}

/** Maximum stored length of a server's text (a Location, a reason phrase), in characters. */
const MAX_DETAIL = 1_000;
const FIRST_RETRY_MS = 10_000;
const MAX_RETRY_MS = 3_600_000;

type Failure = Pick<Outcome, "detail" | "httpStatus" | "contentType"> & { reason: Reason; capture?: Capture };

/** The attempt with the duration of its fetch. */
export function timed(attempt: Attempt, { durationMs }: { durationMs: number }): Attempt {
  return { ...attempt, outcome: { ...attempt.outcome, durationMs: Math.round(durationMs) } };
}

/** The attempt of a URL that its host's gate decided. */
export function decidedAttempt(
  work: Work,
  verdict: Exclude<Verdict, { kind: "go" } | { kind: "wait" }>,
  now: number,
): Attempt {
  if (verdict.kind === "allowed") {
    return emptyAttempt(work, { ...emptyOutcome(work, now), status: statusOf("dry-run"), reason: "dry-run" });
  }
  const { reason, detail } = verdict;
  return unfetchedAttempt(work, reason, detail, now, verdict.kind === "failed" ? verdict.delayMs : null);
}

/** The attempt of a page that the installation's hook dropped. `why`: for people. */
export function droppedAttempt(work: Work, why: string, now: number): Attempt {
  return unfetchedAttempt(work, "hook", why, now);
}

/** The attempt of a URL on which the installation's hook failed, asked about it alone. */
export function hookFailedAttempt(work: Work, problem: string, now: number): Attempt {
  return unfetchedAttempt(work, "hook-failed", problem, now);
}

/** The attempt of a page of which more was found than is kept. `detail`: what, for people. */
export function tooLargeAttempt({ work, outcome }: Attempt, detail: string): Attempt {
  const { httpStatus, contentType, fetchedAt } = outcome;
  return rejectedAttempt(work, { reason: "too-large", detail, httpStatus, contentType }, null, fetchedAt);
}

/** Whether it is a page that is stored. */
export function isKept(result: FetchResult): result is PageFetched {
  return result.kind === "page" && reasonToLeave(result) === null;
}

/** The URLs of the sitemaps that were read. */
export function sitemapUrls(attempts: readonly Attempt[]): Set<string> {
  return new Set(attempts.flatMap(({ work }) => (work.kind === "sitemap" ? [work.row.url] : [])));
}

/** What a URL that was fetched before leads to, as if it had been read now. */
export function knownAttempt(
  work: PageWork,
  known: Pick<Attempt, "links" | "redirect"> & { sha256: string | null; rendered: string | null },
  now: number,
): Attempt {
  const { sha256, rendered, ...leadsTo } = known;
  const outcome = { ...emptyOutcome(work, now), status: "completed", sha256 } as const;
  return { ...emptyAttempt(work, rendered === null ? outcome : { ...outcome, rendered }), ...leadsTo };
}

/** The minimum delay before another attempt; null if there is none. */
export function retryDelayOf(
  { context }: Work,
  { retryable, hostFailed, reason, retryAfterMs }: PageRejected,
): number | null {
  const isLost = hostFailed && isLossOfHost(reason) && isNewCrawl(context.crawl);
  return retryable && !isLost ? (retryAfterMs ?? 0) : null;
}

/**
 * The attempt of a sitemap whose fetch ended, with any result. A guessed sitemap may be missing, or be an error page.
 */
export function sitemapAttempt(work: SitemapWork, result: SitemapResult, now: number): Attempt {
  const { guessed } = work.row;
  switch (result.kind) {
    case "sitemap": {
      const { sitemap, httpStatus } = result;
      const { problem } = sitemap;
      const isEmpty = sitemap.pages.length + sitemap.sitemaps.length === 0;
      const reason: Reason | null = problem === null ? null : guessed && isEmpty ? "no-sitemap" : "bad-sitemap";
      const status: FinalStatus = reason === null ? "completed" : statusOf(reason);
      const facts = { ...boundValidators(result.validators), status, reason, detail: noteOf(sitemap), httpStatus };
      const outcome = { ...emptyOutcome(work, now), ...facts };
      const capture = isEmpty ? (result.capture ?? null) : withList(outcome.url, sitemap, result.capture);
      return { ...emptyAttempt(work, outcome), sitemap, capture };
    }
    case "redirect":
      return redirectedAttempt(work, result, now);
    case "rejected": {
      const isMissing = guessed && result.httpStatus !== null && result.httpStatus >= 400 && result.httpStatus < 500;
      if (isMissing && !result.retryable) return rejectedAttempt(work, { ...result, reason: "no-sitemap" }, null, now);
      return rejectedAttempt(work, result, retryDelayOf(work, result), now);
    }
  }
}

/** What a sitemap lists is kept as the links of a page are, for the report. */
function withList(url: string, { pages }: Sitemap, capture: Capture | undefined): Capture {
  const details = { kind: "page", rel: "", text: "", place: "content", fragment: null, nofollow: false } as const;
  const about = { title: null, description: null, canonical: null, alternates: [], ids: null, dropped: 0 };
  const links = encodePageLinks({ url, ...about, links: pages.map((page) => ({ url: page.url, ...details })) });
  return { answer: null, content: null, ...capture, links };
}

/** Longer validators are left out: they would fill the ledger. */
const MAX_VALIDATOR = 256;

export function validatorsOf(headers: PageHeaders): Validators {
  const valueFor = (wanted: string) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
  return boundValidators({ etag: valueFor("etag"), lastModified: valueFor("last-modified") });
}

function boundValidators({ etag, lastModified }: Validators): Validators {
  const bound = (value: string | null) =>
    value === null || value === "" || value.length > MAX_VALIDATOR ? null : value;
  return { etag: bound(etag), lastModified: bound(lastModified) };
}

/** Notes about a sitemap, for people. */
function noteOf({ problem, truncated, invalid, pages, sitemaps }: Sitemap): string | null {
  const count = pages.length + sitemaps.length;
  const notes = [
    problem === null ? null : count === 0 ? problem : `${problem}; what it lists before that was taken`,
    truncated === null ? null : `${truncated}: the rest was left out`,
    invalid.count === 0
      ? null
      : `entries without a URL, such as ${invalid.examples[0]}: ${invalid.count.toLocaleString("en")}`,
  ].filter((note) => note !== null);
  return notes.length === 0 ? null : notes.join("; ");
}

/**
 * The target in the detail of a redirect; null if scope refused it. The detail may be cut off, and no URL has a space.
 */
export function redirectTargetOf(detail: string): string | null | "cut off" {
  if (detail.length >= MAX_DETAIL) return "cut off";
  return /^to (\S+)$/.exec(detail)?.[1] ?? null;
}

export function redirectedAttempt(work: Work, result: PageRedirected, now: number): Attempt {
  const { row, context } = work;
  const { target, location, setCookies = [] } = result;
  const before = readJar(work.kind === "page" ? work.row.cookies : null);
  const cookies = work.kind === "page" ? storeCookies(before, row.url, setCookies, now) : before;
  const end = (reason: Reason, detail: string) =>
    rejectedAttempt(work, { ...result, reason, detail, contentType: null }, null, now);
  if (target === null) return end("http-status", `redirects to ${location || "nowhere"}`);
  const isLoop = target === row.url && cookieHeader(cookies, target, now) === cookieHeader(before, target, now);
  if (isLoop) return end("redirect-loop", `to ${location}`);
  if (row.redirects >= context.crawl.options.maxRedirects)
    return end("too-many-redirects", `${row.redirects} before it`);
  return { ...end("redirected", `to ${target}`), redirect: target, cookies: writeJar(cookies) };
}

/** The attempt of a URL that is not fetched. `retryMs`: as of `rejectedAttempt`. */
export function unfetchedAttempt(
  work: Work,
  reason: Reason,
  detail: string,
  now: number,
  retryMs: number | null = null,
): Attempt {
  return rejectedAttempt(work, { reason, detail, httpStatus: null, contentType: null }, retryMs, now);
}

/**
 * `retryMs`: the minimum delay before the next attempt; null if another attempt cannot succeed. Only the answer to the
 * last attempt is kept.
 */
export function rejectedAttempt(work: Work, failure: Failure, retryMs: number | null, now: number): Attempt {
  const { row, context } = work;
  const { reason, httpStatus } = failure;
  // A visit that fails leaves its row as it is, and is due again later.
  const isRetried = retryMs !== null && visitOf(work) === null && row.attempts + 1 < context.crawl.options.maxAttempts;
  const outcome: Outcome = {
    ...emptyOutcome(work, now),
    status: isRetried ? "queued" : statusOf(reason),
    reason,
    detail: failure.detail?.slice(0, MAX_DETAIL) ?? null,
    httpStatus,
    contentType: failure.contentType?.slice(0, MAX_DETAIL) ?? null,
  };
  const retryDelayMs = isRetried ? Math.max(retryMs, Math.min(FIRST_RETRY_MS * 2 ** row.attempts, MAX_RETRY_MS)) : null;
  const capture = isRetried ? null : (failure.capture ?? null);
  return { ...emptyAttempt(work, outcome), retryDelayMs, capture };
}

const NONE: LinkSample = { count: 0, examples: [] };

export function emptyAttempt(work: Work, outcome: Outcome): Attempt {
  return {
    work,
    outcome,
    text: null,
    version: null,
    said: null,
    capture: null,
    links: [],
    alternates: [],
    sitemaps: [],
    feeds: [],
    nofollow: NONE,
    dropped: { links: NONE, requisites: NONE },
    assets: [],
    embedded: [],
    sitemap: null,
    redirect: null,
    cookies: null,
    retryDelayMs: null,
    topic: null,
    withheld: null,
    visit: null,
    hookText: null,
  };
}

/** An outcome with the time of the decision and no other facts. */
export function emptyOutcome({ row }: Work, now: number): Omit<Outcome, "status"> {
  return { ...NO_FACTS, url: row.url, fetchedAt: now, packed: null, etag: null, lastModified: null };
}
