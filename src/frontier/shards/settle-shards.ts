import { addUsage, type Usage } from "../../crawl/bounds/usage.ts";
import { decideGrants, isLimitReached } from "../../crawl/shards/grants.ts";
import { partsOf, type Shards } from "../../crawl/shards/shards.ts";
import type { Moved } from "../../store/ledger/ledger.ts";
import type { Intent } from "../../store/shards/shard-intents.ts";
import type { HomeState, PartState } from "../../store/shards/shard-parts.ts";
import { reachedLimit } from "../commit/obey-limits.ts";
import { settleWithheld } from "../commit/settle-withheld.ts";
import { homeOf } from "../ledgers.ts";
import type { ShardDeps } from "../needs.ts";
import { applyIntents, askPart, sendMoved } from "./apply-intents.ts";

/**
 * What follows from all parts of a crawl together: grants of the page limit, pauses that concern all, and the end.
 * Whoever has reason to ask does: a batch after whose commit a part has nothing to do or no room, and the heartbeat.
 * Each step is guarded, so several may do it at once.
 */

/** Looks of one caller. The next one goes on. */
const MAX_LOOKS = 8;

export async function settleShards(shards: Shards, deps: ShardDeps): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS && (await look(shards, deps)); looks++);
}

/** Whether there may be more to do. */
async function look(shards: Shards, deps: ShardDeps): Promise<boolean> {
  const home = await homeOf(deps, shards.home).shardParts.home(shards.home);
  if (home === null || home.status !== "running") return false;
  const parts = await readParts(shards, deps);
  // A part that is not there yet, or has not applied all, changes what follows.
  if (parts === null || parts.some(({ intent }) => intent !== home.lastIntent)) return false;
  const pause = pauseOf(home, parts, deps.clock.now());
  if (pause !== null) return intend(home, pause, deps);
  const isFull = isLimitReached(
    home.options.limit,
    parts.map(({ grant }) => grant),
  );
  if (isFull && (await retireOverLimit(parts, deps))) return true;
  if (parts.every((part) => isIdle(part, isFull))) return end(home, parts, isFull, deps);
  return divideLimit(home, parts, deps);
}

/** All parts; null if one is not there. Throws if one does not answer (askPart). */
export async function readParts(shards: Shards, deps: ShardDeps): Promise<PartState[] | null> {
  const all = await Promise.all(partsOf(shards).map((part) => askPart(part, deps)));
  const there = all.flatMap((part) => part ?? []);
  return there.length === all.length ? there : null;
}

async function intend(home: HomeState, intent: Intent, deps: ShardDeps): Promise<boolean> {
  const { shardParts } = homeOf(deps, home.id);
  const number = await shardParts.write(home.id, intent, ["running"], home.lastIntent);
  if (number !== null) await applyIntents(home.shards, deps);
  return false;
}

/**
 * A part that was paused by itself, because its ledger has no room or it cannot go on, pauses all. So does a limit that
 * all parts together have reached.
 */
function pauseOf({ options }: HomeState, parts: readonly PartState[], now: number): Intent | null {
  const paused = parts.find(({ status }) => status === "paused");
  if (paused !== undefined) return { kind: "pause", reason: paused.waitingFor };
  const usage: Usage = {};
  for (const part of parts) addUsage(usage, part.usage);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const reached = reachedLimit({ usage: JSON.stringify(usage), month_usage: null, bytes }, options, now);
  return reached === null ? null : { kind: "pause", reason: reached.why };
}

/** Whether nothing is open in the part. Beyond the page limit, what rules hold back need not be looked at. */
function isIdle(part: PartState, isFull: boolean): boolean {
  const { status, openUrls, hasSitemaps, hasWithheld, hasLowered, hasLeft } = part;
  return status === "running" && openUrls === 0 && !hasSitemaps && !hasLowered && !hasLeft && (isFull || !hasWithheld);
}

/** Skips what parts have left when the page limit is reached. Whether any had something left. */
async function retireOverLimit(parts: readonly PartState[], deps: ShardDeps): Promise<boolean> {
  const over = parts.filter(
    ({ grant, hasSitemaps }) =>
      grant.taken >= grant.pageLimit && grant.moving === 0 && (grant.waiting > 0 || hasSitemaps),
  );
  for (const { id, intent } of over) await homeOf(deps, id).ledger.retireOverLimit(id, deps.clock.now(), intent);
  return over.length > 0;
}

/**
 * Ends the crawl if nothing is open in any part. Parts are read one after the other, and work could slip past the
 * reader: so they are read twice. Only a list from another part, an intent or a grant sets an idle part working, and a
 * list does so by new URLs, or is counted. If no count differs, all parts were idle at the moment between the readings.
 */
async function end(home: HomeState, before: readonly PartState[], isFull: boolean, deps: ShardDeps): Promise<boolean> {
  const after = await readParts(home.shards, deps);
  if (after === null || !after.every((part, i) => isIdle(part, isFull) && isSame(part, before[i]))) return true;
  const hasAny = after.some(({ grant, isUnchanged }) => grant.taken > 0 || isUnchanged);
  return intend(home, { kind: "end", as: hasAny ? "completed" : "errored" }, deps);
}

function isSame(part: PartState, before: PartState | undefined): boolean {
  return (
    part.taken === before?.taken &&
    part.left === before.left &&
    part.discovered === before.discovered &&
    part.intent === before.intent &&
    part.epoch === before.epoch &&
    part.grant.number === before.grant.number
  );
}

/** Gives out and takes back pages of the limit. Whether anything changed. */
async function divideLimit(home: HomeState, parts: readonly PartState[], deps: ShardDeps): Promise<boolean> {
  const grants = decideGrants(
    home.options.limit,
    home.grants,
    parts.map(({ grant }) => grant),
  );
  const isChanged = JSON.stringify(grants) !== JSON.stringify(home.grants);
  const { shardParts } = homeOf(deps, home.id);
  if (isChanged && !(await shardParts.noteGrants(home.id, home.grants, grants))) return true;
  const due = parts.flatMap(({ id, grant }, i) => {
    const note = grants[i];
    return note !== undefined && note.number !== grant.number ? [{ id, note }] : [];
  });
  await Promise.all(
    due.map(async ({ id, note }) => {
      const at = homeOf(deps, id);
      const moved: Moved = await settleWithheld(await at.shardParts.grant(id, note, deps.clock.now()), at);
      await sendMoved(moved, at);
    }),
  );
  return due.length > 0;
}
