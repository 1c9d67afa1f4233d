import { systemClock } from "../core/clock.ts";
import type {
  DocumentFetched,
  FetchGivenBack,
  PageFetched,
  PageRejected,
  PageResult,
  SitemapResult,
} from "../crawl/outcome.ts";
import type { Usage } from "../crawl/usage.ts";
import type { ResourceAnswered } from "../fetch/browser/render-gateway.ts";
import { hopsFromSeed } from "../fetch/capture-page.ts";
import type { PageWants, VersionRequest } from "../fetch/page-request.ts";
import { OBJECT_MEMORY_GB } from "../host/metered-gate.ts";
import type { Lane } from "./admit.ts";
import { type Attempt, fetchedAttempt, reasonToLeave, sitemapAttempt } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { asPage } from "./fetch-once.ts";
import type { LaneCookies } from "./lane-cookies.ts";
import { sentIn } from "./lane-lease.ts";
import type { LaneRenders } from "./lane-renders.ts";
import { PageGateway } from "./page-gateway.ts";
import {
  captureOf,
  isLastAttempt,
  pageRequestOf,
  requestOf,
  secretsOf,
  unlessTenth,
  wantsOf,
  wantsOfUnlisted,
} from "./request-of-work.ts";
import { type PageWork, type Work, workAt } from "./work.ts";

/** Calls PageFetcher for one URL, and makes the attempt of its result. The lane has waited for the host's pace. */

/** The result of a fetch, its attempt, and the page to store, if any. */
export interface Fetched {
  result: PageResult | SitemapResult;
  toAttempt(now: number): Attempt;
  page: PageFetched | null;
  /** How the host failed a request that the page made while it was drawn; null or absent if it did not. */
  trouble?: ResourceAnswered | null;
}

/** There is no attempt yet: a document that waits for the reader Worker, or a fetch that is given back. */
export interface Unsettled {
  result: DocumentFetched | FetchGivenBack;
}

/** Calls PageFetcher once. If the invocation ends early (CPU, memory, a bug), only this URL loses an attempt. */
export async function fetchWork(
  work: Work,
  isLenient: boolean,
  lane: Lane,
  cookies: LaneCookies,
  renders: LaneRenders,
  deps: Deps,
  needed: VersionRequest | null,
): Promise<Fetched | Unsettled> {
  const startedAt = systemClock.now();
  const onDeath = (error: unknown) => rejectedBy(error, systemClock.now() - startedAt);
  if (work.kind === "sitemap") {
    const keepBroken = isLastAttempt(work);
    const { reading } = work.row;
    // The archive has the first reading alone.
    const capture = reading === null ? captureOf(work, null, "M") : null;
    const validators = reading === null ? null : unlessTenth(reading);
    const sending = { ...sentIn(lane, deps.clock), isLenient };
    const request = { ...requestOf(work.row.url, work.context, sending), capture, validators, keepBroken };
    const secrets = secretsOf(work.row.url, work.context, null);
    const result = await deps.fetchSitemap(request, secrets).catch(onDeath);
    if (result.kind === "given-back") return { result };
    return { result, toAttempt: (now) => sitemapAttempt(work, result, now), page: null };
  }
  const wants = wantsOf(work, { hook: deps.hook !== null, version: needed, renders: renders.known(work) });
  const request = pageRequestOf(work.row.url, work.context, wants, { ...sentIn(lane, deps.clock), isLenient });
  const gateway = wants.render === null ? undefined : new PageGateway(work, lane, cookies, deps);
  const result = await deps.fetchPage(request, cookies.secretsFor(work), gateway).catch(onDeath);
  const trouble = (await gateway?.end()) ?? null;
  if (result.billedMs !== undefined) deps.meter.add(drawingUsage(result.billedMs));
  cookies.receive(work, result);
  if (result.kind === "document" || result.kind === "given-back") return { result };
  renders.learn(work, result);
  const page = result.kind === "page" && reasonToLeave(result) === null ? result : null;
  return { result, toAttempt: (now) => fetchedAttempt(work, result, now), page, trouble };
}

/** The browser, and the session that holds it: a Durable Object, which is billed as a gate is. */
function drawingUsage(billedMs: number): Usage {
  const seconds = billedMs / 1_000;
  return { browserSeconds: seconds, gateRequests: 1, gateGbSeconds: seconds * OBJECT_MEMORY_GB };
}

/** Requests a URL that has no row, on the host of `work`. `wants`: what is wanted of it. */
export async function fetchUnlisted(
  url: string,
  work: PageWork,
  lane: Lane,
  cookies: LaneCookies,
  deps: Deps,
  wants: PageWants,
): Promise<{ result: PageResult }> {
  const startedAt = systemClock.now();
  const request = pageRequestOf(url, work.context, wants, sentIn(lane, deps.clock));
  const result = await deps
    .fetchPage(request, cookies.secretsFor(workAt(work, url)))
    .then(asPage)
    .catch((error) => rejectedBy(error, systemClock.now() - startedAt));
  return { result };
}

/** Requests the Markdown of a page, to be kept with it. */
export function fetchMarkdown(
  url: string,
  work: PageWork,
  lane: Lane,
  cookies: LaneCookies,
  deps: Deps,
): Promise<{ result: PageResult }> {
  const capture = captureOf(work, work.row.url, hopsFromSeed(work.row.depth + 1, 1));
  return fetchUnlisted(url, work, lane, cookies, deps, { ...wantsOfUnlisted(work), parts: ["markdown"], capture });
}

export function rejectedBy(error: unknown, durationMs: number): PageRejected {
  return {
    kind: "rejected",
    reason: "parse",
    detail: `the page ended its fetcher: ${error instanceof Error ? error.message : String(error)}`,
    httpStatus: null,
    contentType: null,
    retryAfterMs: null,
    durationMs,
    retryable: true,
    hostFailed: false,
  };
}
