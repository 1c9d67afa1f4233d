import { comparePair } from "../../changes/compare/compare-versions.ts";
import { judgeVersion, visitedPage } from "../../changes/compare/judge-version.ts";
import type { PageVersion } from "../../changes/page-version.ts";
import { findParts, type PartFinding } from "../../changes/restless-places.ts";
import { isFormer, isInTurn } from "../../changes/told-versions.ts";
import { contentHash, type View, viewOf, viewPair } from "../../changes/view-version.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { ignoredElementsOf } from "../../crawl/watch/ignored-elements.ts";
import { everyMsOf } from "../../crawl/watch/visit-rates.ts";
import { visitsSince } from "../../crawl/watch/visit-time.ts";
import type { Visit, Watch } from "../../crawl/watch/watch.ts";
import type { StoredVersionRequest } from "../../fetch/reading/read-page.ts";
import type { StoredCopy } from "../../fetch/reading/stored-copy.ts";
import { readRenderedPage, type Stores } from "../../store/mirror/read-mirror.ts";
import { dayOf } from "../../store/watches/watch-hosts.ts";
import type { Attempt } from "../attempt.ts";
import type { SettleDeps } from "../needs.ts";
import type { PageWork } from "../work.ts";
import type { Compared } from "./decide-visit.ts";
import type { SecondLook } from "./look-twice.ts";
import { type FoundWall, NO_WALL, readBareWall, readWall } from "./read-wall.ts";

/** Compares the answer to a visit with the stored version of its page: by walls, by second looks, by the template. */

/** Two versions that were compared, for the template to learn from. */
export interface ComparedVersions extends Compared {
  before: PageVersion;
  after: PageVersion;
}

export interface VisitComparison extends FoundWall {
  /** Null if there is nothing to compare: then other bytes are a change. */
  compared: ComparedVersions | null;
}

const TOLD_NOW = { waits: 0, isLater: false, steady: [], noise: [], everywhere: [], isTurn: false };

export async function compareVisit(
  { outcome, version: after, storedVersion }: Attempt,
  { row, context }: PageWork,
  visit: Visit,
  watch: Watch,
  deps: SettleDeps,
  look: SecondLook | null,
): Promise<VisitComparison> {
  const { crawl, agent } = context;
  const { url } = row;
  const { ignore } = watch;
  const visited = { crawl: crawl.id, url, visit, watch };
  if (outcome.status !== "completed") return { compared: null, ...(await readBareWall(visited, outcome, deps)) };
  // The answer of a page that a browser drew may be the same while its scripts draw something else.
  const isSame = outcome.sha256 === visit.sha256 && outcome.rendered === undefined;
  if (after === null || isSame) return { compared: null, ...NO_WALL };
  const request = { url, agent, ignoredElements: ignoredElementsOf(watch) };
  // What is not stored any more cannot be compared.
  const before = storedVersion === undefined ? await readStored(crawl, request, deps) : storedVersion;
  if (before === null) return { compared: null, ...NO_WALL };
  const { host } = new URL(url);
  const now = deps.clock.now();
  const template = await deps.hostTemplates.of(crawl, host, deps);
  const { storedAt, told } = visit;
  const everyMs = everyMsOf(watch)(url);
  const page = { url, storedAt, now, everyMs, told };
  const view = viewOf(template, ignore, visitedPage(page));
  const versions = { before, after, parts: partsBetween(before, after, visit, now) };
  const unchanged = { ...versions, comparison: { kind: "unchanged" }, ...TOLD_NOW } as const;
  if (view.rules.isIgnoredUrl(url))
    return { compared: { ...unchanged, hashes: hashesOf(before, after, view) }, ...NO_WALL };
  // Only a page of which something was told has other versions.
  const known = told === null ? null : { told, hash: contentHash(after, view) };
  if (known !== null && isInTurn(known.told, known.hash))
    return { compared: { ...unchanged, hashes: hashesOf(before, after, view), isTurn: true }, ...NO_WALL };
  const isBack = known !== null && isFormer(known.told, known.hash);
  const pair = viewPair(before, after, view);
  const comparison = comparePair(before, after, pair, view);
  const foundWall =
    comparison.kind === "unchanged"
      ? NO_WALL
      : await readWall(visited, { before, after, viewed: pair.bare, isBack }, comparison, deps);
  // A wall would be found in all of the host's pages, and become their template. What may be none is looked at twice.
  if (foundWall.wall !== null && foundWall.wall.strength !== "possible")
    return { compared: { ...versions, comparison, hashes: hashesOf(before, after, view), ...TOLD_NOW }, ...foundWall };
  const found = { ...page, before, after };
  // Others learn while this one waits for the ledger: what is learned goes on from what is known now.
  let judged = judgeVersion(await deps.hostTemplates.of(crawl, host, deps), ignore, found);
  let isLater = false;
  let hasLooked = false;
  if (judged.wantsLook) {
    const looked = await lookTwice(crawl, host, deps, look);
    isLater = looked === "later";
    hasLooked = looked !== "later" && looked !== null;
    judged = judgeVersion(await deps.hostTemplates.of(crawl, host, deps), ignore, {
      ...found,
      look: looked === "later" ? null : looked,
    });
  }
  await deps.hostTemplates.keep(crawl, host, judged.template, hasLooked, deps);
  const { hashes, waits, steady, noise, everywhere, isTurn, shown, isLasting } = judged;
  const rest = { steady, noise, everywhere, isTurn, shown, isLasting };
  const marks = { waits: isLater ? Math.max(waits, 1) : waits, isLater, ...rest };
  return { compared: { ...versions, comparison: judged.comparison, hashes, ...marks }, ...foundWall };
}

async function readStored(crawl: Crawl, request: StoredVersionRequest, deps: SettleDeps): Promise<PageVersion | null> {
  const stored = await readRenderedPage(crawl, request.url, deps);
  return stored === null ? null : deps.readVersion(stored, request);
}

/** What is stored of a page that is visited, for whoever fetches it; null if it is not compared. */
export function storedCopyOf({ row: { url, visit, kind }, context }: PageWork, deps: Stores): StoredCopy | null {
  if (visit === null || kind === "asset") return null;
  return { sha256: visit.sha256, read: () => readRenderedPage(context.crawl, url, deps) };
}

/** Null if there can be no second look: without a lane, and when the host has had those of the day. */
async function lookTwice(
  crawl: Crawl,
  host: string,
  { clock, hostTemplates, secondLooks }: SettleDeps,
  look: SecondLook | null,
): ReturnType<SecondLook> {
  const day = dayOf(clock.now());
  const most = hostTemplates.mostLooks(crawl, host, day);
  return look === null || !(await secondLooks.take(crawl.id, host, day, most)) ? null : look();
}

/** Null for versions whose parts are not known. */
function partsBetween(before: PageVersion, after: PageVersion, visit: Visit, now: number): PartFinding | null {
  if (before.parts === undefined || after.parts === undefined) return null;
  return findParts(before.parts, after.parts, visit.restless, visitsSince(visit, now));
}

function hashesOf(before: PageVersion, after: PageVersion, view: View): Compared["hashes"] {
  return { before: contentHash(before, view), after: contentHash(after, view) };
}
