import { isDescribed } from "../crawl/url-kind.ts";
import type { Waiting } from "./admit.ts";
import type { Deps } from "./deps.ts";
import { TEMPLATE_SAMPLE } from "./host-templates.ts";
import type { Need } from "./invocations.ts";
import { visitOf, type Work } from "./work.ts";

/** How many Worker invocations a URL may need, so that its batch begins no URL that it cannot end. */

/** Calls of the hook at the end of a batch: one for its pages, and some for what they found. */
export const HOOK_CALLS = 3;
/** Calls about the URLs of one sitemap. */
const SITEMAP_CALLS = 20;
/** Pages with which one page is compared, to learn what its host repeats. */
const PARTNERS = 3;
/** Ranges of a media file; one with more is described by another batch, or as far as they come. */
const RANGES = 4;

/** `hasPartners`: whether it is compared with other pages of its host. */
export function neededInvocations(work: Work, hasPartners: boolean): Need {
  const isAlone = work.hint.askAlone === true;
  if (work.kind === "sitemap") return { now: 1, toLearn: 0, atEnd: isAlone ? SITEMAP_CALLS : 0 };
  const { media, preferMarkdown } = work.context.crawl.options;
  const isVisit = visitOf(work) !== null;
  const toFetch = media && isDescribed(work.row) ? RANGES : 1;
  const extra = (work.lost ? 1 : 0) + (preferMarkdown ? 1 : 0) + (hasPartners ? PARTNERS : 0);
  return {
    now: toFetch + (isVisit ? 1 : 0) + extra,
    // Few visits learn, so only one that came back is sure of it.
    toLearn: isVisit && work.hint.failures > 0 ? TEMPLATE_SAMPLE : 0,
    atEnd: isAlone ? HOOK_CALLS : 0,
  };
}

/**
 * The URLs about which the hook would be asked alone, beyond what a batch may start: each takes a call before it is
 * fetched, too.
 */
export function waitForInvocations(works: readonly Work[], { hook, limits }: Pick<Deps, "hook" | "limits">): Waiting[] {
  if (hook === null) return [];
  let left = limits.invocations - HOOK_CALLS;
  return works.flatMap((work, i) => {
    if (work.hint.askAlone !== true) return [];
    const { now, toLearn, atEnd } = neededInvocations(work, false);
    left -= 1 + now + toLearn + atEnd;
    return left >= 0 || i === 0 ? [] : [{ work, delayMs: 0, why: null }];
  });
}
