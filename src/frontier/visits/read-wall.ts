import type { PageChange } from "../../changes/compare/compare-versions.ts";
import type { PageVersion } from "../../changes/page-version.ts";
import { type ViewedPair, viewOf, viewVersion } from "../../changes/view-version.ts";
import { type AnswerMark, markOfFact, marksOf } from "../../changes/walls/answer-marks.ts";
import { isLogIn } from "../../changes/walls/find-sign-out.ts";
import {
  type AnswerSigns,
  describeAlike,
  findWall,
  LEAST_OTHERS_ALIKE,
  type Wall,
} from "../../changes/walls/find-wall.ts";
import { isLost, keptText } from "../../changes/walls/kept-text.ts";
import { leadsBack } from "../../changes/walls/leads-back.ts";
import { findOtherLanguage } from "../../changes/walls/other-language.ts";
import { DAY_MS } from "../../core/clock.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { Outcome } from "../../crawl/page/outcome.ts";
import { consequencesOf } from "../../crawl/page/reason.ts";
import { redirectTarget } from "../../crawl/page/redirect-target.ts";
import { everyMsOf } from "../../crawl/watch/visit-rates.ts";
import type { Visit, Watch } from "../../crawl/watch/watch.ts";
import { hostKey } from "../../url/host-key.ts";
import type { SettleDeps } from "../needs.ts";

/**
 * Asks the rule of walls (changes/walls/find-wall.ts) about the answer to a visit, with what its host's pages answer.
 */

/** What a visit found that may be a wall. */
export interface FoundWall {
  wall: Wall | null;
  /** The marks of an answer that has nothing of the page's text; absent for others. */
  marks?: string[];
  /** Whether the host is in trouble; absent where nobody asked. */
  isHostTroubled?: boolean;
}

interface Visited {
  crawl: string;
  url: string;
  visit: Visit;
  watch: Watch;
}

export const NO_WALL: FoundWall = { wall: null };

/** Answers of other pages count for an interval, and for two days at least: a round of visits takes so long. */
const LEAST_ROUND_MS = 2 * DAY_MS;
const MAX_QUOTE = 80;

/** Two versions of a page, as the stored one and the answer. */
interface WallVersions {
  before: PageVersion;
  after: PageVersion;
  /** Both without the template, as it was before the new text taught anything. */
  viewed: ViewedPair["bare"];
  /** Whether the answer says what was told of the page before. */
  isBack: boolean;
}

/** For another text of a page. */
export async function readWall(
  visited: Visited,
  { before, after, viewed, isBack }: WallVersions,
  { suspicion }: Pick<PageChange, "suspicion">,
  deps: SettleDeps,
): Promise<FoundWall> {
  const kept = keptText(viewed.before, viewed.after);
  if (!isLost(kept)) return NO_WALL;
  const asks = before.asks === undefined ? after.asks : undefined;
  const says = (after.title ?? after.blocks[0] ?? "").trim().slice(0, MAX_QUOTE);
  // A page that was in this language once has come back to it.
  const otherLanguage = isBack ? null : findOtherLanguage(before, after);
  const signs = { kept, asks, leadsTo: null, otherLanguage, suspicion, says };
  return judge(visited, marksOf(viewed.after), signs, deps);
}

/** For an answer without a text that is compared: a redirect, or a page that is not kept. */
export async function readBareWall(visited: Visited, outcome: Outcome, deps: SettleDeps): Promise<FoundWall> {
  const fact = factOf(outcome, visited.visit);
  if (fact === null) return NO_WALL;
  const target = redirectTarget(outcome);
  const leadsTo = target === null ? null : whereTo(target, visited.url);
  const signs = { kept: null, asks: undefined, leadsTo, otherLanguage: null, suspicion: null, says: fact };
  return judge(visited, markOfFact(fact), signs, deps);
}

/**
 * Whether a page of which nothing is stored answers like the walls before other pages of its host, which is in trouble:
 * why, for people; null if it does not.
 */
export async function readWallOfNewPage(
  { crawl, url, watch }: Omit<Visited, "crawl" | "visit"> & { crawl: Crawl },
  version: PageVersion,
  deps: SettleDeps,
): Promise<string | null> {
  const now = deps.clock.now();
  if (!(await deps.watchHosts.isTroubled(crawl.id, url, now))) return null;
  const template = await deps.hostTemplates.of(crawl, new URL(url).host, deps);
  const marks = marksOf(viewVersion(version, viewOf(template)));
  const found = { crawl: crawl.id, host: hostKey(url), url, marks, now, since: now - roundMs(watch, url) };
  const alike = await deps.recentAnswers.countAlike(found, deps);
  return alike < LEAST_OTHERS_ALIKE ? null : describeAlike(alike);
}

/** What a redirect of the page leads to. */
function whereTo(target: string, url: string): AnswerSigns["leadsTo"] {
  if (isLogIn(target) && !isLogIn(url)) return "log-in";
  return leadsBack(target, url) ? "back" : null;
}

/** What all pages have in common that answer so; null for an answer that is no wall by itself. */
function factOf(outcome: Outcome, { title }: Visit): string | null {
  const target = redirectTarget(outcome);
  // A log-in is told where to return to.
  if (target !== null) return `it redirects to ${target.replace(/[?#].*/s, "")}`;
  const isRemoved = consequencesOf(outcome.reason).visit === "removed";
  return isRemoved && outcome.title !== null && outcome.title !== title ? outcome.title.slice(0, MAX_QUOTE) : null;
}

async function judge(
  { crawl, url, visit, watch }: Visited,
  marks: readonly AnswerMark[],
  signs: Omit<AnswerSigns, "alike" | "isHostTroubled" | "failures">,
  deps: SettleDeps,
): Promise<FoundWall> {
  const now = deps.clock.now();
  const since = now - roundMs(watch, url);
  const alike = await deps.recentAnswers.count({ crawl, host: hostKey(url), url, marks, now, since }, deps);
  const isHostTroubled = await deps.watchHosts.isTroubled(crawl, url, now);
  const wall = findWall({ ...signs, alike, isHostTroubled, failures: visit.failures });
  return { wall, marks: marks.map(({ mark }) => mark), isHostTroubled };
}

function roundMs(watch: Watch, url: string): number {
  return Math.max(LEAST_ROUND_MS, everyMsOf(watch)(url));
}
