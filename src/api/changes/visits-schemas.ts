import * as z from "zod";
import { count as shownCount } from "../../core/shown-values.ts";
import { MOST_COUNTED, medianAgeMs, pagesWithinMean, type Survey, type WatchVisits } from "../../crawl/watch/survey.ts";
import { CHANGE_KINDS } from "../../crawl/watch/watch.ts";
import { count, isoOrNull, listOf, objectOf, time } from "../requests/fields.ts";

/** The answer of /api/crawls/:id/visits. */

export const visitsView = objectOf({
  freshness: objectOf({
    surveyedAt: time.describe(
      "When the heartbeat began to read the pages for these numbers. It reads all of them twenty times per mean interval, and a small watch every quarter of an hour.",
    ),
    pages: count.describe("Number of pages that are visited. Errors and redirects are visited, too."),
    withinInterval: count.describe("Number of pages whose last visit was less than the mean interval ago."),
    medianAgeS: z
      .number()
      .nullable()
      .describe(
        "Median time since the last visit of a page, in seconds, to about an eighth of the mean interval. null: there is no page.",
      ),
    oldestVisitAt: time.nullable().describe("The last visit of the page that was not visited for the longest time."),
    lastVisitAt: time.nullable().describe("The newest visit."),
    dueNow: count.describe("Number of pages that were due already."),
    due: listOf({
      from: time.describe("The start of the step."),
      visits: count.describe("Number of pages that are due from then on, and before the next step."),
    }).describe("When pages are due, in steps of equal length."),
    dueLater: count.describe("Number of pages that are due after the last step."),
  })
    .nullable()
    .describe("How fresh the stored pages are. null: the watch was not surveyed yet."),
  next: listOf({
    url: z.string().describe("The canonical URL."),
    at: time.describe("When it is due."),
    why: z.string().describe("Why then, in words."),
  }).describe("Some of the pages that are visited next."),
  changes: z
    .partialRecord(z.enum(CHANGE_KINDS), count)
    .describe(`Number of changes by kind, among the newest ${shownCount(MOST_COUNTED)}.`),
});
export type VisitsView = z.output<typeof visitsView>;

export function viewVisits({ survey, next, kinds }: WatchVisits): VisitsView {
  return {
    freshness: survey === null ? null : viewSurvey(survey),
    next: next.map((visit) => ({ ...visit, at: new Date(visit.at).toISOString() })),
    changes: kinds,
  };
}

function viewSurvey(survey: Survey): VisitsView["freshness"] {
  const { at, pages, oldestAt, newestAt, dueNow, dueFrom, stepMs, due, dueLater } = survey;
  const medianMs = medianAgeMs(survey);
  return {
    surveyedAt: new Date(at).toISOString(),
    pages,
    withinInterval: pagesWithinMean(survey),
    medianAgeS: medianMs === null ? null : Math.round(medianMs / 1000),
    oldestVisitAt: isoOrNull(oldestAt),
    lastVisitAt: isoOrNull(newestAt),
    dueNow,
    due: due.map((visits, i) => ({ from: new Date(dueFrom + i * stepMs).toISOString(), visits })),
    dueLater,
  };
}
