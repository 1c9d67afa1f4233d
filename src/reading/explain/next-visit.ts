import { everyInWords, intervalInWords, roughInterval } from "../../core/interval.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import type { PlannedVisit } from "../../crawl/watch/survey.ts";
import { isAskedFor, policyOf, visitDueAt } from "../../crawl/watch/visit-time.ts";
import type { NextVisit } from "../../store/watches/due-visits.ts";
import type { NextVisitDeps } from "../needs.ts";

/** Says when a watch visits a page next, and why then. */

/** A sentence; null for a page that is not visited again, and in a crawl that does not visit. */
export async function describeNextVisit(crawl: Crawl, url: string, deps: NextVisitDeps): Promise<string | null> {
  const visit = await findNextVisit(crawl, url, deps);
  if (visit === null) return null;
  const { at, why } = visit;
  if (crawl.status === "paused") return `Its next visit waits until the crawl is resumed: ${why}.`;
  return at <= deps.clock.now() ? `It is visited next soon: ${why}.` : `It is visited next about ${utc(at)}: ${why}.`;
}

/** Null for a page that is not visited again, and in a crawl that does not visit. */
export async function findNextVisit(crawl: Crawl, url: string, deps: NextVisitDeps): Promise<PlannedVisit | null> {
  const { watch } = crawl.options;
  if (watch === null || crawl.watchingSince === null || !isOpenStatus(crawl.status)) return null;
  const page = await deps.dueVisits.nextVisit(crawl.id, url);
  if (page === null) return null;
  const now = deps.clock.now();
  const policy = policyOf(watch, crawl.knowledge, page.scale)(url);
  return { at: visitDueAt(page, policy, page.askedAt, now), why: reasonOf(page, policy.everyMs / 1000, watch.fixed) };
}

function reasonOf(page: NextVisit, everyS: number, isFixed: boolean): string {
  const { askedAt, signalledAt, missingAt, says, failures, visits, changes, days } = page;
  if (askedAt !== null && isAskedFor(page, askedAt)) return `a visit of all pages was asked for at ${utc(askedAt)}`;
  if (missingAt !== null) return describeOpen(missingAt, says);
  if (signalledAt !== null)
    return `a sitemap, a feed or its owner said at ${utc(signalledAt)} that it has changed since its last visit`;
  if (failures > 0) return failures === 1 ? "its last visit failed" : `its last ${failures} visits failed`;
  if (visits === 0) return `first visits are spread over ${intervalInWords(everyS)}`;
  if (isFixed) return `each page is visited ${everyInWords(everyS)}`;
  const rate =
    changes > 0
      ? `it changes about every ${roughInterval((days / changes) * 86_400)}`
      : "no visit has found it changed";
  return `the mean interval is ${intervalInWords(everyS)}, and ${rate}`;
}

/** What may pass, and what decides about it. */
function describeOpen(since: number, says: string | null): string {
  const at = utc(since);
  if (says?.startsWith("redirect"))
    return `it redirected at ${at}, which may be for a while, and further visits decide whether it has moved`;
  if (says === "language") return `it was in another language at ${at}, and further visits decide whether it stays so`;
  if (says === "noindex")
    return `it asked at ${at} not to be indexed, and a second visit decides whether it is removed`;
  if (says === "copy")
    return `it said at ${at} what another page says, and a second visit decides whether that is told`;
  return `it was missing at ${at}, and a second visit decides whether it is gone`;
}

function utc(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
