import type { Outcome, PageFetched, PageResult } from "../crawl/page/outcome.ts";
import { statusOf } from "../crawl/page/reason.ts";
import { reasonToLeave } from "../crawl/page/reason-to-leave.ts";
import { pageFactsOf } from "../crawl/url-facts.ts";
import {
  type Attempt,
  emptyAttempt,
  emptyOutcome,
  redirectedAttempt,
  rejectedAttempt,
  retryDelayOf,
  validatorsOf,
} from "./attempt.ts";
import { FEATURES } from "./features/list.ts";
import type { PageWork } from "./work.ts";

/** The attempt of a URL whose fetch ended, with any result. */
export function fetchedAttempt(work: PageWork, result: PageResult, now: number): Attempt {
  if (result.kind === "redirect") return redirectedAttempt(work, result, now);
  if (result.kind === "rejected") return rejectedAttempt(work, result, retryDelayOf(work, result), now);
  const { httpStatus, title, contentType, bytes, sha256, truncated, print, headers } = result;
  const facts = { httpStatus, title, contentType, bytes, sha256, truncated, ...factsOf(result) };
  const outcome = { ...emptyOutcome(work, now), ...validatorsOf(headers), ...facts };
  const { links, alternates = [], sitemaps, feeds, nofollow, leftOut: dropped, topic = null, capture } = result;
  const actions = result.actions === undefined ? {} : { actions: result.actions };
  const page = { links, alternates, sitemaps, feeds, nofollow, ...actions, dropped, topic, capture };
  const leave = reasonToLeave(result);
  if (leave !== null)
    return { ...emptyAttempt(work, { ...outcome, ...leave, status: statusOf(leave.reason) }), ...page };
  const { text, version, said = null, assets, embedded = [], hookText = null } = result;
  const { storedVersion } = result;
  const stored = storedVersion === undefined ? {} : { storedVersion };
  const detail = dropped.problem ?? result.fault ?? null;
  const kept = {
    ...outcome,
    ...pageFactsOf(result),
    status: "completed",
    detail,
    ...(print === undefined ? {} : { print }),
  } as const;
  return { ...emptyAttempt(work, kept), ...page, text, version, ...stored, said, assets, embedded, hookText };
}

/** What features say of the page in its record. */
function factsOf(page: PageFetched): Partial<Outcome> {
  const facts = FEATURES.flatMap((feature) => Object.entries(feature.facts?.(page) ?? {}));
  return Object.fromEntries(facts.filter(([, fact]) => fact != null));
}
