import * as z from "zod";
import type { Schedule } from "../../crawl/watch/crawl-schedule.ts";
import { secretField } from "../changes/webhook-schemas.ts";
import { isoOrNull, objectOf, requestOf, time } from "../requests/fields.ts";
import { requestedCrawl } from "./crawl-request.ts";

/** Requests and answers of /api/schedules. */

export const scheduleRequest = requestOf({
  cron: z.string().min(1).max(200).describe("When to start the crawl: a cron expression with five fields, in UTC."),
  crawl: requestedCrawl,
  modifiedWithinS: z
    .int()
    .min(1)
    .max(315_360_000)
    .nullable()
    .default(null)
    .describe(
      "Save only pages that changed within this many seconds before each crawl: it sets the crawl's `modifiedSince`.",
    ),
});

export const scheduleView = objectOf({
  id: z.uuid().describe("The id of the schedule."),
  cron: z.string().describe("The cron expression, in UTC."),
  urls: z.array(z.string()).describe("The seeds, canonical."),
  limit: z.int().describe("Page limit of each crawl."),
  modifiedWithinS: z
    .int()
    .nullable()
    .describe("Each crawl saves only pages that changed within this many seconds before it. null: no such limit."),
  nextAt: time.describe("When it starts the next crawl."),
  lastCrawlId: z.uuid().nullable().describe("The crawl that it started last."),
  lastStartedAt: time.nullable().describe("When it started that crawl."),
});
export type ScheduleView = z.output<typeof scheduleView>;

/** The answer that makes a schedule. Its webhook has the same secret in each crawl. */
export const addedSchedule = scheduleView.extend({ webhookSecret: secretField.optional() });
export type AddedSchedule = z.output<typeof addedSchedule>;

export function viewSchedule(schedule: Schedule): ScheduleView {
  const { id, cron, options, modifiedWithinS, nextAt, lastCrawlId, lastStartedAt } = schedule;
  return {
    id,
    cron,
    urls: options.urls,
    limit: options.limit,
    modifiedWithinS,
    nextAt: new Date(nextAt).toISOString(),
    lastCrawlId,
    lastStartedAt: isoOrNull(lastStartedAt),
  };
}

export const removedView = objectOf({ id: z.uuid().describe("The id of the schedule.") });
