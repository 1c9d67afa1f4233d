import type { Comparison, PageChange } from "../../changes/compare/compare-versions.ts";
import { decideTelling, firstVersion, type ToldVersions, tellNow } from "../../changes/told-versions.ts";
import { isHeld, type Wall } from "../../changes/walls/find-wall.ts";
import { DAY_MS, HOUR_MS } from "../../core/clock.ts";
import type { Outcome } from "../../crawl/page/outcome.ts";
import { describeFields, type FieldChange } from "../../crawl/page/page-fields.ts";
import { consequencesOf, describeReason } from "../../crawl/page/reason.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { everyMsOf } from "../../crawl/watch/visit-rates.ts";
import type { ChangeKind, Visit, VisitOutcome, VisitResult, Watch } from "../../crawl/watch/watch.ts";
import { afterVisit } from "../../revisit/change-rate.ts";
import { countSignal } from "../../revisit/signal-trust.ts";
import { learnFrom, priorOf, type SiteKnowledge } from "../../revisit/site-prior.ts";

/**
 * Decides what the visit of a known page found: nothing new, a change that people are told, or a failure that changes
 * nothing but the time of the next visit.
 */

/** A finding that another visit must confirm is looked at again after this time. */
const SECOND_LOOK_MS = 12 * HOUR_MS;
const FIRST_FAILURE_MS = HOUR_MS;

interface Finding {
  result: VisitResult;
  change: ChangeKind | null;
  detail: string | null;
  /** What the row becomes; null if it stays what it is. */
  outcome: Outcome | null;
  told: ToldVersions | null;
  fields?: FieldChange[];
  /** Why the page counts as lost; absent if it does not. */
  trouble?: string;
}

/** Two versions of a page, under today's template and rules. */
export interface Compared {
  comparison: Comparison;
  /** Their content hashes. */
  hashes: { before: string; after: string };
  /** Whether the change stands where each visit may find something else (`judgeVersion`). */
  needsSecondLook: boolean;
}

/** What is known beside the answer. */
export interface Signs {
  /** What the page says beside what the stored one says; null if that was not compared. */
  compared: Compared | null;
  /**
   * The fields that have changed, where they count; absent if none has. A field was asked for, so no rule holds it
   * back.
   */
  fields?: readonly FieldChange[];
  /** Whether another page of the crawl has the content that it has now, as where all answer with one login page. */
  isCopy: boolean;
  /** Whether so many pages of the host are missing, moved or failing that one of them says little. */
  isHostTroubled: boolean;
  /** Why the answer may stand before the page, and be no version of it; null if nothing says so. */
  wall: Wall | null;
  /** The marks of an answer that has nothing of the page's text; absent for others. */
  marks?: string[];
}

const NOTHING = { change: null, detail: null, outcome: null };
/** A page that is gone is asked for ever less: the interval doubles at each visit, up to so many intervals. */
const MOST_GONE_INTERVALS = 16;
/** A page that fails is asked for soon, and less and less, up to so many intervals. */
const MOST_FAILED_INTERVALS = 2;

/** `known`: what the visits of all pages of the watch tell. `now`: milliseconds since the epoch. */
export function decideVisit(
  outcome: Outcome,
  url: string,
  visit: Visit,
  watch: Watch,
  signs: Signs,
  known: SiteKnowledge,
  now: number,
): VisitOutcome {
  const everyMs = everyMsOf(watch)(url);
  // A time in the future is that of a clock that was set back since.
  const openSince = visit.missingAt === null || visit.missingAt > now ? null : visit.missingAt;
  const found = find(outcome, visit, signs, openSince === null ? null : now - openSince);
  const { result } = found;
  const isBack = found.told?.back != null;
  const waitsForLook = result === "missing" || (isBack && signs.compared?.needsSecondLook === true);
  const isGone = result === "same" && visit.status !== "completed" && outcome.status === "errored";
  const isLost = result === "failed" || result === "missing";
  const isTrouble = isLost && found.trouble !== undefined;
  // A look that is only to be confirmed is no failure, and does not end a row of them.
  const failures = isTrouble || isGone ? visit.failures + 1 : isLost ? visit.failures : 0;
  const delayMs = isGone ? goneDelayMs(everyMs, failures) : delayOf(result, everyMs, failures, waitsForLook);
  // A version that is not told keeps the validators of the one that is, so that a 304 never stands for it.
  const isAnswered = outcome.status === "completed" && !isLost && !isBack;
  const isWalled = isLost && signs.wall !== null;
  return {
    url,
    visit: visit.count,
    ...found,
    visitedAt: now,
    visitAt: delayMs === null ? null : now + delayMs,
    ...learn(result, visit, watch.everyS * 1000, known, now),
    failures,
    missingAt: result === "missing" || isWalled ? (openSince ?? now) : isLost ? openSince : null,
    signalledAt: visit.signalledAt,
    etag: isAnswered ? outcome.etag : visit.etag,
    lastModified: isAnswered ? outcome.lastModified : visit.lastModified,
    hasUnstoredValidators: isAnswered
      ? found.outcome === null && outcome.sha256 !== visit.sha256
      : visit.hasUnstoredValidators,
    ...(visit.failures > 0 && !isLost && visit.status === "completed" ? { recovers: true as const } : {}),
    ...(isLost && signs.marks !== undefined ? { marks: signs.marks } : {}),
  };
}

/** When a page that is gone is asked for again. A signal makes it due before that. */
function goneDelayMs(everyMs: number, visits: number): number {
  return everyMs * Math.min(2 ** Math.min(visits, 10), MOST_GONE_INTERVALS);
}

/** What the visit tells of the page's rate of change, of that of others, and of signals. */
function learn(
  result: VisitResult,
  visit: Visit,
  everyMs: number,
  known: SiteKnowledge,
  now: number,
): Pick<VisitOutcome, "rateChanges" | "rateDays" | "learned" | "tested"> {
  const page = { changes: visit.rateChanges ?? 0, days: visit.rateDays ?? 0 };
  if (!["not-modified", "same", "changed"].includes(result))
    return { rateChanges: page.changes, rateDays: page.days, learned: null, tested: null };
  const prior = priorOf(known, everyMs / DAY_MS);
  const days = Math.max(0, now - visit.lastAt) / DAY_MS;
  const isSignalled = visit.signalledAt !== null;
  const changed = result === "changed";
  const seen = { days, changed, signalPrecision: isSignalled ? (visit.trust?.precision ?? 0) : null };
  const { changes: rateChanges, days: rateDays } = afterVisit(page, seen, prior);
  const tested = countSignal({ days, changed, isSignalled }, page, prior);
  return { rateChanges, rateDays, learned: learnFrom(page, seen, prior), tested };
}

/** Null if the next visit follows from the page's rate of change. */
function delayOf(result: VisitResult, everyMs: number, failures: number, waitsForLook: boolean): number | null {
  if (waitsForLook) return Math.min(everyMs, SECOND_LOOK_MS);
  if (result === "failed")
    return Math.min(MOST_FAILED_INTERVALS * everyMs, FIRST_FAILURE_MS * 2 ** Math.min(failures - 1, 10));
  return null;
}

/** `openMs`: how long the finding has waited for this confirmation; null if this visit is the first to find it. */
function find(outcome: Outcome, visit: Visit, signs: Signs, openMs: number | null): Finding {
  const { status, reason, detail } = outcome;
  const nothing = (result: VisitResult): Finding => ({ ...NOTHING, result, told: visit.told });
  const lost = (result: "missing" | "failed", trouble = describeReason(outcome)): Finding => {
    return { ...nothing(result), trouble };
  };
  const changed = (change: ChangeKind | null, now: Outcome, told: string | null = null): Finding => {
    return { result: "changed", change, detail: told, outcome: now, told: visit.told };
  };
  const wasKept = visit.status === "completed";
  // The pages of a host in trouble wait until the next day confirms what they say.
  const waits = signs.isHostTroubled && (openMs === null || openMs < DAY_MS);
  if (reason === "not-modified") return { ...nothing("not-modified"), told: withoutReturn(visit.told) };
  const says = consequencesOf(reason).visit;
  if (says === "forbidden") return nothing("forbidden");
  const { wall } = signs;
  if (wall !== null && wasKept && isHeld(wall, openMs, visit.failures + 1))
    return wall.strength === "possible" ? waitForSame(visit, signs) : lost("failed", wall.why);
  if (status === "completed") {
    if (!wasKept) return changed(visit.wasKept ? "restored" : "added", outcome);
    // What a browser draws of the same answer may be something else.
    const isSame = outcome.sha256 === visit.sha256 && (outcome.rendered === undefined || signs.compared === null);
    if (isSame) return { ...nothing("same"), told: withoutReturn(visit.told) };
    const found = findChange(outcome, visit, signs);
    const mustWait = signs.isCopy && found.result === "changed" && (openMs === null || waits);
    return mustWait ? lost("missing", "another page of the crawl has the same content") : found;
  }
  if (reason === "redirected") {
    if (visit.reason === "redirected" && redirectTarget(visit) === redirectTarget(outcome)) return nothing("same");
    if (wasKept && waits) return lost("missing");
    return changed(wasKept || visit.reason === "redirected" ? "moved" : null, outcome, detail);
  }
  if (isMissing(outcome)) {
    if (!wasKept) return nothing("same");
    if (openMs === null || waits) return lost("missing");
    return changed("removed", { ...outcome, status: "errored", reason: "gone" }, detail);
  }
  if (says === "removed") {
    if (!wasKept) return nothing("same");
    if (waits) return lost("missing");
    return changed("removed", outcome, describeReason(outcome));
  }
  // An error that stays an error is no news.
  return wasKept ? lost("failed") : nothing("same");
}

/** The next visit tells what it finds; if that is the same, it needs no further look. */
function waitForSame({ told }: Visit, { compared }: Signs): Finding {
  if (compared === null) return { ...NOTHING, result: "missing", told };
  const { before, after } = compared.hashes;
  return {
    ...NOTHING,
    result: "missing",
    told: { ...(told ?? firstVersion(before)), back: { hash: after, visits: 1 } },
  };
}

/** Whether another answer with the status 200 says something else, and whether that is told. */
function findChange(outcome: Outcome, visit: Visit, { compared, fields = [] }: Signs): Finding {
  const isOfFields = fields.length > 0;
  const told = isOfFields ? { fields: [...fields] } : {};
  const isTold = { result: "changed", change: "changed", outcome, ...told } as const;
  const fieldsDetail = isOfFields ? describeFields(fields) : null;
  if (compared === null) return { ...isTold, detail: fieldsDetail, told: visit.told };
  const { comparison, hashes, needsSecondLook } = compared;
  const known = visit.told ?? firstVersion(hashes.before);
  if (comparison.kind === "unchanged")
    return isOfFields
      ? { ...isTold, detail: fieldsDetail, told: tellNow(known, hashes.after) }
      : { ...NOTHING, result: "same", told: withoutReturn(visit.told) };
  if (isOfFields)
    return {
      ...isTold,
      detail: [fieldsDetail, describeChange(comparison)].join("; "),
      told: tellNow(known, hashes.after),
    };
  const { telling, versions } = decideTelling(known, hashes.after, needsSecondLook);
  if (telling !== "tell") return { ...NOTHING, result: "same", told: versions };
  return { ...isTold, detail: describeChange(comparison), told: versions };
}

/** The version that was told last is there, so no former one has returned. */
function withoutReturn(told: ToldVersions | null): ToldVersions | null {
  return told === null || told.back === null ? told : { ...told, back: null };
}

/** A change in a few words, for people. */
function describeChange({ title, canonical, content }: PageChange): string {
  const counts =
    content === null ? [] : (["added", "removed", "modified"] as const).filter((kind) => content[kind] > 0);
  const blocks = counts.map((kind) => `${content?.[kind]} ${kind}`).join(", ");
  return [
    ...(title === null ? [] : [`title: ${title.after ?? "none"}`]),
    ...(canonical === null ? [] : [`canonical URL: ${canonical.after ?? "none"}`]),
    ...(content === null
      ? []
      : [`${blocks === "" ? "the end of a long text" : `blocks: ${blocks}`}: ${content.excerpt}`]),
  ].join("; ");
}

/** RFC 9110, sections 15.5.5 and 15.5.11. A page that says so with another status counts, too. */
function isMissing({ reason, httpStatus }: Outcome): boolean {
  return reason === "soft-404" || (reason === "http-status" && (httpStatus === 404 || httpStatus === 410));
}
