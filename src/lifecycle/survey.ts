import { openSurvey, surveyPages } from "../crawl/watch/survey.ts";
import { SKEW_MS } from "../crawl/watch/visit-time.ts";
import type { WatchedCrawl } from "../store/watches/due-visits.ts";
import { nextDatedRows } from "./dated-rows.ts";
import type { VisitDeps } from "./needs.ts";

/**
 * Surveys the watches for people: how fresh each is, and when its pages are due. A survey reads all rows of a watch, a
 * range at each heartbeat, twenty times per mean interval. So nobody who asks reads them: a million visits bring 20
 * million rows read, 0.02 USD.
 */

const SURVEYS = 20;
/** A small watch is surveyed more often, for at most 0.0001 USD a day. */
const SMALL = { rows: 1_000, restMs: 900_000 };

/** Reads the next rows of a watch, if its last survey is old enough. */
export async function surveyWatch(watched: WatchedCrawl, deps: VisitDeps): Promise<void> {
  const { id, watch, size, sweep } = watched;
  const now = deps.clock.now();
  const everyMs = watch.everyS * 1000;
  const { done, open } = await deps.surveys.read(id);
  const isOfToday = ({ at, everyMs: was }: { at: number; everyMs: number }) => was === everyMs && at <= now + SKEW_MS;
  const going = open !== null && isOfToday(open.survey) ? open : null;
  if (going === null && done !== null && isOfToday(done) && now < done.at + restMs(everyMs, size)) return;
  const { survey, after } = going ?? { survey: openSurvey(everyMs, now), after: "" };
  const lap = { after, perInterval: SURVEYS, scale: sweep?.budget.scale ?? 1, now };
  const { pages, last } = await nextDatedRows(watched, lap, deps);
  const counted = surveyPages(survey, pages, now);
  const state = last === null ? { done: counted, open: null } : { done, open: { survey: counted, after: last } };
  await deps.surveys.write(id, state);
}

function restMs(everyMs: number, size: number): number {
  const restMs = everyMs / SURVEYS;
  return size <= SMALL.rows ? Math.min(restMs, SMALL.restMs) : restMs;
}
