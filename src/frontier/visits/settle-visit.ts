import type { Capture } from "../../crawl/page/outcome.ts";
import { changedFields, type FieldChange } from "../../crawl/page/page-fields.ts";
import { consequencesOf } from "../../crawl/page/reason.ts";
import { fieldsInRow } from "../../crawl/page/row-fields.ts";
import { everyMsOf } from "../../crawl/watch/visit-rates.ts";
import type { Visit, VisitOutcome, Watch } from "../../crawl/watch/watch.ts";
import { compileGlob } from "../../scope/url-glob.ts";
import { readFields } from "../../store/mirror/kept-fields.ts";
import { dayOf } from "../../store/watches/watch-hosts.ts";
import { type Attempt, rejectedAttempt } from "../attempt.ts";
import type { SettleDeps } from "../needs.ts";
import type { PageWork } from "../work.ts";
import { type ComparedVersions, compareVisit } from "./compare-visit.ts";
import { decideVisit, type Signs } from "./decide-visit.ts";
import type { SecondLook } from "./look-twice.ts";
import { NO_WALL, readWallOfNewPage } from "./read-wall.ts";
import { toRevisit } from "./revisit-answer.ts";

/**
 * Compares the answer to the visit of a known page with what is stored of it. The result holds what the ledger needs.
 * Of an answer whose payload is stored already, only a revisit record goes into the pack. An attempt at a queued URL
 * stays as it is, but for a wall. Throws what cannot be read: that is no answer, so the visit must come again.
 */
export async function settleVisit(
  attempt: Attempt,
  deps: SettleDeps,
  look: SecondLook | null = null,
): Promise<Attempt> {
  const { work } = attempt;
  const { options, knowledge } = work.context.crawl;
  if (work.kind === "sitemap" || options.watch === null) return attempt;
  const known = work.row.visit;
  const answer = known?.status === "completed" ? attempt : await refuseWall(attempt, work, options.watch, deps);
  if (known === null) return answer;
  const signs = await readSigns(answer, work, known, options.watch, deps, look);
  const decided = decideVisit(answer.outcome, work.row.url, known, options.watch, signs, knowledge, deps.clock.now());
  // An asset has versions, and nobody is told of them. Its visits follow from those of pages.
  const visit = work.row.kind === "asset" ? { ...decided, change: null, learned: null, tested: null } : decided;
  await learn(answer, signs, visit, deps);
  const settles = visit.outcome !== null;
  const isLost = visit.result === "failed" || visit.result === "missing";
  return {
    ...answer,
    ...(isLost ? NO_LINKS : {}),
    visit,
    outcome: visit.outcome ?? answer.outcome,
    text: settles ? answer.text : null,
    // The hook has said what it says of the version before.
    hookText: settles ? answer.hookText : null,
    version: null,
    assets: settles ? answer.assets : [],
    capture: settles ? answer.capture : await captureRevisit(answer, known, deps),
    redirect: settles ? answer.redirect : null,
  };
}

/** The attempt, or one without the page if a wall stands before it: then nothing of it is kept or told. */
async function refuseWall(attempt: Attempt, work: PageWork, watch: Watch, deps: SettleDeps): Promise<Attempt> {
  const { outcome, version } = attempt;
  if (outcome.status !== "completed" || version === null) return attempt;
  const { crawl } = work.context;
  const why = await readWallOfNewPage({ crawl, url: work.row.url, watch }, version, deps);
  if (why === null) return attempt;
  const { httpStatus, contentType, fetchedAt } = outcome;
  return rejectedAttempt(work, { reason: "wall", detail: why, httpStatus, contentType }, null, fetchedAt);
}

/** What an answer in the page's place leads to is no page of the site. */
const NO_LINKS = { links: [], alternates: [], sitemaps: [], feeds: [], nofollow: { count: 0, examples: [] } };

/** The signs with the versions that were compared. */
interface ReadSigns extends Signs {
  compared: ComparedVersions | null;
}

async function readSigns(
  attempt: Attempt,
  work: PageWork,
  known: Visit,
  watch: Watch,
  deps: SettleDeps,
  look: SecondLook | null,
): Promise<ReadSigns> {
  const { crawl, url } = work.row;
  const { reason, sha256, rendered } = attempt.outcome;
  const none = { compared: null, isCopy: false, isHostTroubled: false, ...NO_WALL };
  if (work.row.kind === "asset") return none;
  if (known.status !== "completed" || consequencesOf(reason).visit === "forbidden" || reason === "not-modified")
    return none;
  const { compared, ...foundWall } = await compareVisit(attempt, work, known, watch, deps, look);
  const changed = await findChangedFields(attempt, known, watch, deps);
  const fields = changed.length === 0 ? {} : { fields: changed };
  const isUnchanged = sha256 === known.sha256 || (compared?.comparison.kind === "unchanged" && changed.length === 0);
  if (sha256 !== null && isUnchanged) return { ...none, compared };
  const isHostTroubled = foundWall.isHostTroubled ?? (await deps.watchHosts.isTroubled(crawl, url, deps.clock.now()));
  const isOwn = sha256 !== null && rendered === undefined;
  const isCopy = isOwn && (await deps.ledger.copies(crawl, [sha256], 1)).get(sha256) === 1;
  return { compared, isCopy, ...foundWall, isHostTroubled, ...fields };
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

/** Lets the host's template learn from the visit: a version that is told, or that nothing has changed. */
async function learn(
  { work, outcome }: Attempt,
  { compared }: ReadSigns,
  visit: VisitOutcome,
  deps: SettleDeps,
): Promise<void> {
  if (work.kind === "sitemap" || work.row.kind === "asset") return;
  const { crawl } = work.context;
  const { host } = new URL(work.row.url);
  const now = deps.clock.now();
  deps.hostTemplates.countVisit(crawl, host, dayOf(now));
  const { watch } = crawl.options;
  const everyMs = watch === null ? 0 : everyMsOf(watch)(work.row.url);
  const isUnchanged = compared === null && (visit.result === "not-modified" || visit.result === "same");
  if (isUnchanged) {
    const { url, visit: known } = work.row;
    const same = { url, now, everyMs, storedAt: known?.storedAt ?? null };
    deps.hostTemplates.noteUnchanged(crawl, host, same, visit.result === "not-modified");
  }
  if (visit.change !== "changed" || compared?.comparison.kind !== "changed") return;
  const { before, after, comparison } = compared;
  if (comparison.kind !== "changed" || comparison.suspicion !== null) return;
  const { url, visit: known } = work.row;
  const told = { url, sha256: outcome.sha256, before, after, isFirst: known?.told === null };
  await deps.hostTemplates.learn(crawl, told, deps);
}
