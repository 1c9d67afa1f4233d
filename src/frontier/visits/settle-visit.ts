import { type Comparison, compareVersions } from "../../changes/compare/compare-versions.ts";
import { judgeVersion } from "../../changes/compare/judge-version.ts";
import type { PageVersion } from "../../changes/page-version.ts";
import { findParts, type PartFinding } from "../../changes/restless-places.ts";
import { contentHash, type View, viewOf } from "../../changes/view-version.ts";
import type { Capture } from "../../crawl/page/outcome.ts";
import { changedFields, type FieldChange } from "../../crawl/page/page-fields.ts";
import { consequencesOf } from "../../crawl/page/reason.ts";
import { fieldsInRow } from "../../crawl/page/row-fields.ts";
import { visitsSince } from "../../crawl/watch/visit-time.ts";
import type { Visit, Watch } from "../../crawl/watch/watch.ts";
import { compileGlob } from "../../scope/url-glob.ts";
import { readFields } from "../../store/mirror/kept-fields.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import type { Attempt } from "../attempt.ts";
import type { SettleDeps } from "../needs.ts";
import type { PageWork } from "../work.ts";
import { type Compared, decideVisit, type Signs } from "./decide-visit.ts";
import { type FoundWall, NO_WALL, readBareWall, readWall } from "./read-wall.ts";
import { toRevisit } from "./revisit-answer.ts";

/** A site of few pages has no budget for a visit at once. A page may have been edited meanwhile. */
const LATEST_SECOND_LOOK_MS = 86_400_000;

/**
 * Compares the answer to the visit of a known page with what is stored of it. The result holds what the ledger needs.
 * Of an answer whose payload is stored already, only a revisit record goes into the pack. An attempt at a queued URL
 * stays as it is. Throws what cannot be read: that is no answer, so the visit must come again.
 */
export async function settleVisit(attempt: Attempt, deps: SettleDeps): Promise<Attempt> {
  const { work, outcome } = attempt;
  if (work.kind === "sitemap" || work.row.visit === null) return attempt;
  const { options, knowledge } = work.context.crawl;
  if (options.watch === null) return attempt;
  const known = work.row.visit;
  const signs = await readSigns(attempt, work, known, options.watch, deps);
  const decided = decideVisit(outcome, work.row.url, known, options.watch, signs, knowledge, deps.clock.now());
  // An asset has versions, and nobody is told of them. Its visits follow from those of pages.
  const visit = work.row.kind === "asset" ? { ...decided, change: null, learned: null, tested: null } : decided;
  const settles = visit.outcome !== null;
  const isLost = visit.result === "failed" || visit.result === "missing";
  return {
    ...attempt,
    ...(isLost ? NO_LINKS : {}),
    visit,
    outcome: visit.outcome ?? outcome,
    text: settles ? attempt.text : null,
    // The hook has said what it says of the version before.
    hookText: settles ? attempt.hookText : null,
    version: null,
    assets: settles ? attempt.assets : [],
    capture: settles ? attempt.capture : await captureRevisit(attempt, known, deps),
    redirect: settles ? attempt.redirect : null,
  };
}

/** What an answer in the page's place leads to is no page of the site. */
const NO_LINKS = { links: [], alternates: [], sitemaps: [], feeds: [], nofollow: { count: 0, examples: [] } };

async function readSigns(
  attempt: Attempt,
  work: PageWork,
  known: Visit,
  watch: Watch,
  deps: SettleDeps,
): Promise<Signs> {
  const { crawl, url } = work.row;
  const { reason, sha256, rendered } = attempt.outcome;
  const none = { compared: null, isCopy: false, isHostTroubled: false, ...NO_WALL };
  if (work.row.kind === "asset") return none;
  if (known.status !== "completed" || consequencesOf(reason).visit === "forbidden" || reason === "not-modified")
    return none;
  const { compared, ...foundWall } = await compare(attempt, work, known, watch, deps);
  const changed = await findChangedFields(attempt, known, watch, deps);
  const fields = changed.length === 0 ? {} : { fields: changed };
  const isUnchanged = sha256 === known.sha256 || (compared?.comparison.kind === "unchanged" && changed.length === 0);
  if (sha256 !== null && isUnchanged) return { ...none, compared };
  const isHostTroubled = await deps.watchHosts.isTroubled(crawl, url, deps.clock.now());
  const isOwn = sha256 !== null && rendered === undefined;
  const isCopy = isOwn && (await deps.ledger.copies(crawl, [sha256], 1)).get(sha256) === 1;
  return { compared, isCopy, isHostTroubled, ...foundWall, ...fields };
}

/** The fields that have changed; none for a page whose changes nobody wants to hear of. */
async function findChangedFields(
  { work, outcome }: Attempt,
  known: Visit,
  { ignore }: Watch,
  { packs }: SettleDeps,
): Promise<FieldChange[]> {
  if (outcome.status !== "completed" || outcome.fields === undefined || known.fields === null) return [];
  const after = fieldsInRow(outcome.fields);
  const before = await readFields(work.row.crawl, known.fields, packs, Object.keys(after));
  const changed = changedFields(before.values, after);
  const isIgnored = changed.length > 0 && ignore.urls.some((glob) => compileGlob(glob)(work.row.url));
  return isIgnored ? [] : changed;
}

/** The revisit record of an answer whose payload is stored; null if it is not, or no pack has it. */
async function captureRevisit(
  { work, outcome, capture }: Attempt,
  known: Visit,
  deps: SettleDeps,
): Promise<Capture | null> {
  const answer = capture?.answer ?? null;
  const { sha256, storedAt, revisits, hasUnstoredValidators } = known;
  const isNotModified = outcome.reason === "not-modified";
  const isStored = isNotModified ? !hasUnstoredValidators : outcome.status === "completed" && outcome.sha256 === sha256;
  if (answer === null || sha256 === null || storedAt === null || !isStored) return null;
  // No revisit refers to a revisit.
  const original =
    revisits === null
      ? { url: outcome.url, date: storedAt }
      : (await deps.ledger.originals(work.row.crawl, [sha256])).map(({ url, fetchedAt }) => ({
          url,
          date: fetchedAt,
        }))[0];
  if (original === undefined) return null;
  const profile = isNotModified ? "not-modified" : "identical-payload";
  const response = toRevisit(answer, work.row.crawl, { ...outcome, sha256 }, original, profile);
  return { answer: { ...answer, response: [response] }, content: null, links: null };
}

/** `compared` is null if there is nothing to compare: then other bytes are a change. */
async function compare(
  { outcome, version: after }: Attempt,
  { row, context }: PageWork,
  visit: Visit,
  watch: Watch,
  deps: SettleDeps,
): Promise<FoundWall & { compared: Compared | null }> {
  const { crawl, agent } = context;
  const { ignore } = watch;
  const visited = { crawl: crawl.id, url: row.url, visit, watch };
  if (outcome.status !== "completed") return { compared: null, ...(await readBareWall(visited, outcome, deps)) };
  const nothing = { compared: null, ...NO_WALL };
  // The answer of a page that a browser drew may be the same while its scripts draw something else.
  const isSame = outcome.sha256 === visit.sha256 && outcome.rendered === undefined;
  if (after === null || isSame) return nothing;
  const stored = await readRenderedPage(crawl, row.url, deps);
  const request = { url: row.url, agent, ignoredElements: ignore.selectors };
  // What is not stored any more cannot be compared.
  const before = stored === null ? null : await deps.readVersion(stored, request);
  if (before === null) return nothing;
  const { host } = new URL(row.url);
  const template = await deps.hostTemplates.of(crawl, host, deps);
  const view = viewOf(template, ignore);
  const { told } = visit;
  const hashes = hashesOf(before, after, view);
  const parts = partsBetween(before, after, visit, deps.clock.now());
  if (view.rules.isIgnoredUrl(row.url))
    return { ...nothing, compared: { comparison: { kind: "unchanged" }, hashes, parts, needsSecondLook: false } };
  const wallOf = async (found: Comparison): Promise<FoundWall> =>
    found.kind === "unchanged" ? NO_WALL : readWall(visited, { before, after, view }, found, deps);
  // Each version is learned once: where two servers take turns, theirs would become the template.
  if (told?.former.includes(hashes.after) || told?.back?.hash === hashes.after) {
    const found = compareVersions(before, after, view);
    return { compared: { comparison: found, hashes, parts, needsSecondLook: false }, ...(await wallOf(found)) };
  }
  // The visit before this one found a version that is held.
  const visits = told?.back == null ? visitsSince(visit, deps.clock.now()) : 1;
  const isSecondLook =
    told?.back != null &&
    !told.former.includes(told.back.hash) &&
    deps.clock.now() - visit.lastAt <= LATEST_SECOND_LOOK_MS;
  const judged = judgeVersion(template, ignore, { before, after, visits, isFirst: told === null, isSecondLook });
  const { comparison, needsSecondLook } = judged;
  // A wall would be found in all of the host's pages, and become their template.
  const foundWall = await wallOf(compareVersions(before, after, view));
  if (judged.template !== template && foundWall.wall === null) {
    const version = `${row.url} ${outcome.sha256}`;
    await deps.hostTemplates.keep(crawl, host, judged.template, version, deps);
  }
  return {
    compared: { comparison, hashes: hashesOf(before, after, judged.view), parts, needsSecondLook },
    ...foundWall,
  };
}

/** Null for versions whose parts are not known. */
function partsBetween(before: PageVersion, after: PageVersion, visit: Visit, now: number): PartFinding | null {
  if (before.parts === undefined || after.parts === undefined) return null;
  return findParts(before.parts, after.parts, visit.restless, visitsSince(visit, now));
}

function hashesOf(before: PageVersion, after: PageVersion, view: View): Compared["hashes"] {
  return { before: contentHash(before, view), after: contentHash(after, view) };
}
