import type { Comparison, PageChange } from "../../changes/compare/compare-versions.ts";
import type { ShownTexts } from "../../changes/noise/lasting-texts.ts";
import { calmed, describeParts, type PartFinding, type RestlessPlaces } from "../../changes/restless-places.ts";
import {
  decideTelling,
  firstVersion,
  noteEverywhere,
  noteNoiseOfPage,
  noteShown,
  noteSteadyPlaces,
  noteStored,
  noteTurn,
  noteUnchanged,
  type ToldVersions,
  tellNow,
  withoutShown,
} from "../../changes/told-versions.ts";
import { isHeld, type Wall } from "../../changes/walls/find-wall.ts";
import { DAY_MS, HOUR_MS } from "../../core/clock.ts";
import type { Outcome } from "../../crawl/page/outcome.ts";
import { describeFields, type FieldChange } from "../../crawl/page/page-fields.ts";
import { consequencesOf, describeReason } from "../../crawl/page/reason.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { everyMsOf } from "../../crawl/watch/visit-rates.ts";
import type { ChangeKind, OpenFinding, Visit, VisitOutcome, VisitResult, Watch } from "../../crawl/watch/watch.ts";
import { afterVisit } from "../../revisit/change-rate.ts";
import { countSignal } from "../../revisit/signal-trust.ts";
import { learnFrom, priorOf, type SiteKnowledge } from "../../revisit/site-prior.ts";

/**
 * Decides what the visit of a known page found: nothing new, a change that people are told, or a failure that changes
 * nothing but the time of the next visit.
 */

/** A finding that another visit must confirm is looked at again after this time. */
const SECOND_LOOK_MS = 12 * HOUR_MS;
/** A visit whose lane was over before its second look comes again after this time. */
const LATER_LOOK_MS = HOUR_MS / 12;
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
  /** What it says, if another visit must confirm it. */
  says?: string;
  backTo?: number;
}

/** Two versions of a page, under today's template and rules. */
export interface Compared {
  comparison: Comparison;
  /** Their content hashes. */
  hashes: { before: string; after: string };
  /** What differs beside their text; null if that is not known. */
  parts: PartFinding | null;
  /** The visits for which a change waits at most (`judgeVersion`). */
  waits: number;
  /** Whether it waits for a second look, for which the lane had no time. */
  isLater: boolean;
  /** The places where a second look found the same. */
  steady: readonly string[];
  /** The places that are noise on the page, though no second look has found it. */
  noise: readonly string[];
  /** The changes of most pages that it shows. */
  everywhere: readonly string[];
  /** Whether a second look found another version, so that the two are shown in turns. */
  isTurn: boolean;
  /** What the page shows at places of noise; absent where it has none. */
  shown?: ShownTexts | undefined;
  /** Whether what has changed stands at such places, so that the content hashes may be the same. */
  isLasting?: true | undefined;
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

/** What must last before it counts: visits in a row that say it, and for how long. */
interface Lasting {
  visits: number;
  ms: number;
}

/** A page that says that it is gone, or has another page's content. */
const TWICE: Lasting = { visits: 2, ms: 0 };
/** What may be a matter of the hour: a 404, a redirect that says so itself, a page in another language. */
const FOR_A_DAY: Lasting = { visits: 3, ms: DAY_MS };
/** What is there at each visit for so long lasts, though no two visits say the same. */
const LONGEST_OPEN_MS = 7 * DAY_MS;
/** RFC 9110, section 15.4: all other redirects may be temporary. */
const PERMANENT_REDIRECTS: readonly (number | null)[] = [301, 308];

/** What a wall says of its page is nothing: what comes behind it must be confirmed from the beginning. */
const WALL = "wall";

const NOTHING = { change: null, detail: null, outcome: null };
/** A page that is gone is asked for ever less: the interval doubles at each visit, up to so many intervals. */
const MOST_GONE_INTERVALS = 16;
/** So is a page that has never answered, such as one whose server was down from the first day on. */
const MOST_SILENT_INTERVALS = 4;
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
  const found = find(outcome, visit, signs, openSince === null ? null : now - openSince, watch.tell, now);
  const { result, says, ...finding } = found;
  const isBack = found.told?.back != null;
  const lookMs = !isBack
    ? SECOND_LOOK_MS
    : signs.compared?.isLater === true
      ? LATER_LOOK_MS
      : heldMs(found.told, everyMs);
  const waitsForLook = result === "missing" || (isBack && signs.compared !== null);
  const isGone = result === "same" && visit.status !== "completed" && outcome.status === "errored";
  const isLost = result === "failed" || result === "missing";
  const isTrouble = isLost && found.trouble !== undefined;
  // A look that is only to be confirmed is no failure, and does not end a row of them.
  const failures = isTrouble || isGone ? visit.failures + 1 : isLost ? visit.failures : 0;
  const lookOrFailureMs = waitsForLook ? Math.min(everyMs, lookMs) : delayOf(result, everyMs, failures);
  const mostIntervals = isMissing(outcome) ? MOST_GONE_INTERVALS : MOST_SILENT_INTERVALS;
  const delayMs = isGone ? everyMs * Math.min(2 ** Math.min(failures, 10), mostIntervals) : lookOrFailureMs;
  // A version that is not told keeps the validators of the one that is, so that a 304 never stands for it.
  const isAnswered = outcome.status === "completed" && !isLost && !isBack;
  const isWalled = isLost && signs.wall !== null;
  return {
    url,
    visit: visit.count,
    ...finding,
    told: afterStoring(finding, signs),
    result,
    visitedAt: now,
    visitAt: delayMs === null ? null : now + delayMs,
    ...learn(result, visit, watch.everyS * 1000, known, now),
    failures,
    missingAt: result === "missing" || isWalled ? (openSince ?? now) : isLost ? openSince : null,
    openFinding: nextFinding(visit, openSince, found),
    fullAt: outcome.status === "completed" ? now : visit.fullAt,
    hasLied: hasLied(outcome, visit, signs),
    restless: restlessAfter(outcome, visit, signs),
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

/** How long a version that is held waits for the next visit: the second time, other pages have half an interval. */
export function heldMs(told: ToldVersions | null, everyMs: number): number {
  return (told?.back?.all ?? 1) > 1 ? Math.max(SECOND_LOOK_MS, everyMs / 2) : SECOND_LOOK_MS;
}

/** Null if the next visit follows from the page's rate of change. */
function delayOf(result: VisitResult, everyMs: number, failures: number): number | null {
  if (result === "failed")
    return Math.min(MOST_FAILED_INTERVALS * everyMs, FIRST_FAILURE_MS * 2 ** Math.min(failures - 1, 10));
  return null;
}

/** `openMs`: how long the finding has waited for this confirmation; null if this visit is the first to find it. */
function find(
  outcome: Outcome,
  visit: Visit,
  signs: Signs,
  openMs: number | null,
  tell: Watch["tell"],
  now: number,
): Finding {
  const { status, reason, detail } = outcome;
  const nothing = (result: VisitResult): Finding => ({ ...NOTHING, result, told: visit.told });
  const lost = (result: "missing" | "failed", trouble = describeReason(outcome)): Finding => {
    return { ...nothing(result), trouble };
  };
  const open = (says: string, trouble?: string): Finding => ({ ...lost("missing", trouble), says });
  const agrees = (says: string, { visits, ms }: Lasting): boolean =>
    openMs !== null && openMs >= ms && visitsSaying(says, visit, true) >= visits;
  const lasts = (says: string, lasting: Lasting): boolean =>
    agrees(says, lasting) || (openMs !== null && openMs >= LONGEST_OPEN_MS && visit.openFinding?.says !== WALL);
  const changed = (change: ChangeKind | null, becomes: Outcome, told: string | null = null): Finding => {
    return { result: "changed", change, detail: told, outcome: becomes, told: visit.told };
  };
  const wasKept = visit.status === "completed";
  // The pages of a host in trouble wait until the next day confirms what they say.
  const waits = signs.isHostTroubled && (openMs === null || openMs < DAY_MS);
  if (reason === "not-modified") return { ...nothing("not-modified"), told: release(visit.told) };
  const says = consequencesOf(reason).visit;
  if (says === "forbidden") return nothing("forbidden");
  const { wall } = signs;
  if (wall !== null && wasKept && isHeld(wall, openMs, visit.failures + 1))
    return wall.strength === "possible" ? waitForSame(visit, signs) : { ...lost("failed", wall.why), says: WALL };
  if (status === "completed") {
    if (!wasKept) return changed(visit.wasKept ? "restored" : "added", outcome);
    // What a browser draws of the same answer may be something else.
    const isSame = outcome.sha256 === visit.sha256 && (outcome.rendered === undefined || signs.compared === null);
    if (isSame) return { ...nothing("same"), told: release(visit.told) };
    const found = findChange(outcome, visit, signs, tell, now);
    // What a wall was taken for has been found at visits enough by now.
    const isConfirmed = wall !== null || lasts("copy", TWICE);
    const mustWait = signs.isCopy && found.result === "changed" && (!isConfirmed || waits);
    return mustWait ? open("copy", "another page of the crawl has the same content") : found;
  }
  if (reason === "redirected") {
    if (visit.reason === "redirected" && redirectTarget(visit) === redirectTarget(outcome)) return nothing("same");
    const isKnown = wasKept || visit.reason === "redirected";
    const leadsTo = `redirect ${redirectTarget(outcome) ?? ""}`;
    const isTemporary = !PERMANENT_REDIRECTS.includes(outcome.httpStatus);
    // One that already was a redirect has no page to lose.
    const isSure = !isTemporary || !isKnown || (wasKept ? lasts : agrees)(leadsTo, FOR_A_DAY);
    if (!isSure) return open(leadsTo);
    if (wasKept && waits) return open(leadsTo);
    return changed(isKnown ? "moved" : null, outcome, detail);
  }
  if (isMissing(outcome)) {
    if (!wasKept) return nothing("same");
    // RFC 9110, section 15.5.11: 410 says that it is likely to be so for good.
    const lasting = outcome.httpStatus === 410 ? TWICE : FOR_A_DAY;
    if (!lasts("missing", lasting) || waits) return open("missing");
    return changed("removed", { ...outcome, status: "errored", reason: "gone" }, detail);
  }
  if (says === "removed") {
    if (!wasKept) return nothing("same");
    // One answer may be another visitor's, or that of an error page.
    if (waits || !lasts(`${reason}`, reason === "language" ? FOR_A_DAY : TWICE)) return open(`${reason}`);
    return changed("removed", outcome, describeReason(outcome));
  }
  // An error that stays an error is no news.
  return wasKept ? lost("failed") : nothing("same");
}

/** The next visit tells what it finds; if that is the same, it needs no further look. */
function waitForSame({ told }: Visit, { compared }: Signs): Finding {
  const waiting = { ...NOTHING, result: "missing", says: WALL } as const;
  if (compared === null) return { ...waiting, told };
  const { before, after } = compared.hashes;
  return {
    ...waiting,
    told: { ...(told ?? firstVersion(before)), back: { hash: after, visits: 1 } },
  };
}

/** The visits in a row that said it, this one included. */
function visitsSaying(says: string, { openFinding }: Visit, isOpen: boolean): number {
  if (openFinding === null) return isOpen ? 2 : 1;
  return openFinding.says === says ? openFinding.visits + 1 : 1;
}

/** A visit that failed leaves open what is open, as long as the clock was not set back. */
function nextFinding(visit: Visit, openSince: number | null, { result, says }: Finding): OpenFinding | null {
  if (says !== undefined) return { says, visits: visitsSaying(says, visit, openSince !== null) };
  return result === "failed" && openSince !== null ? visit.openFinding : null;
}

/** Whether the page says something else under the validators of what is stored. */
function hasLied(outcome: Outcome, visit: Visit, { compared, wall }: Signs): boolean {
  if (outcome.status !== "completed" || compared === null || wall !== null) return false;
  const { comparison, parts } = compared;
  const saysOther =
    comparison.kind === "changed" ? comparison.suspicion === null : parts !== null && parts.changes.length > 0;
  const { etag, lastModified } = outcome;
  const isSame = etag === null ? visit.etag === null && lastModified !== null : etag === visit.etag;
  return saysOther && isSame && (etag !== null || lastModified === visit.lastModified);
}

/** Forgets what differed from the stored version where the visit's version takes its place. */
function afterStoring({ outcome, told }: Pick<Finding, "outcome" | "told">, { compared }: Signs): ToldVersions | null {
  return outcome === null || told === null || compared?.isLasting === true ? told : withoutShown(told);
}

/** The places that differ from visit to visit. A version that says something else teaches nothing about them. */
function restlessAfter(outcome: Outcome, visit: Visit, { compared }: Signs): RestlessPlaces | null {
  if (compared?.comparison.kind === "unchanged" && compared.parts !== null) return compared.parts.restless;
  const isSame = outcome.status === "completed" && outcome.sha256 === visit.sha256;
  return isSame ? calmed(visit.restless) : visit.restless;
}

/** Whether another answer with the status 200 says something else, and whether that is told. */
function findChange(outcome: Outcome, visit: Visit, signs: Signs, tell: Watch["tell"], now: number): Finding {
  const { compared, fields = [] } = signs;
  const isOfFields = fields.length > 0;
  const told = isOfFields ? { fields: [...fields] } : {};
  const isTold = { result: "changed", change: "changed", outcome, ...told } as const;
  const fieldsDetail = isOfFields ? describeFields(fields) : null;
  if (compared === null) return { ...isTold, detail: fieldsDetail, told: visit.told };
  const { comparison, hashes, waits, steady, noise, everywhere, isTurn, parts, shown } = compared;
  const partsDetail = describeParts(parts?.changes ?? [], tell);
  // The hash of the version told last depends on the template of its day.
  const versionsBefore = { ...(visit.told ?? firstVersion(hashes.before)), told: hashes.before };
  const known = noteShown(noteNoiseOfPage(versionsBefore, noise, now), shown);
  if (comparison.kind === "unchanged") {
    if (isOfFields) return { ...isTold, detail: fieldsDetail, told: tellNow(known, hashes.after, visit.lastAt) };
    if (isTurn) return { ...NOTHING, result: "same", told: noteTurn(known, hashes.after) };
    const versions = noteUnchanged(visit.told, { hash: hashes.before, noise, everywhere, shown }, now);
    return keepParts(outcome, versions, parts, partsDetail);
  }
  if (isOfFields)
    return {
      ...isTold,
      detail: [fieldsDetail, describeChange(comparison)].join("; "),
      told: tellNow(known, hashes.after, visit.lastAt),
    };
  if (compared.isLasting === true) {
    const versions = noteShown(tellNow(known, hashes.after, visit.lastAt), shown);
    return { ...isTold, detail: describeChange(comparison), told: versions };
  }
  const { telling, versions, backTo } = decideTelling(known, { hash: hashes.after, waits, lastAt: visit.lastAt });
  if (telling !== "tell") return { ...NOTHING, result: "same", told: noteEverywhere(versions, everywhere) };
  const since = backTo === null ? {} : { backTo };
  const back = backTo === null ? null : `back to what it was on ${dateOf(backTo)}`;
  const detail = [back, describeChange(comparison), partsDetail].filter((part) => part !== null).join("; ");
  return { ...isTold, ...since, detail, told: noteSteadyPlaces(versions, steady, now) };
}

/** Stores a version that says the same with other links, pictures or data. `detail`: what is told; null for nothing. */
function keepParts(
  outcome: Outcome,
  told: ToldVersions | null,
  parts: PartFinding | null,
  detail: string | null,
): Finding {
  if (parts?.isStored !== true) return { ...NOTHING, result: "same", told };
  if (detail === null) return { result: "same", change: null, detail: null, outcome, told };
  return { result: "changed", change: "changed", detail, outcome, told };
}

/** UTC. */
function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The version that was told last is there, so none is held. */
function release(told: ToldVersions | null): ToldVersions | null {
  return told === null ? null : noteStored(told);
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
