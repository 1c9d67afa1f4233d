import * as z from "zod";
import { OPTIONS } from "../../../crawl/options/option-table.ts";
import { MAX_CRAWL_SEEDS } from "../../crawls/option-formats.ts";
import { queryInteger, requestOf } from "../../requests/fields.ts";
import { hint, hints, refused } from "../firecrawl-fields.ts";
import { everySOfCron, everySOfText } from "../monitor-schedule.ts";
import { monitorWebhook } from "../firecrawl-webhook.ts";
import { crawlRequestV2 } from "./firecrawl-requests.ts";
import { ofManyPages } from "./scrape-options.ts";

/** The requests of /v2/monitor: https://docs.firecrawl.dev/api-reference/endpoint/monitor-create */

const SPREAD = "a watch spreads its visits over the interval, whatever the time of day";

/** The mean interval in seconds. */
const schedule = requestOf({
  cron: z.string().max(100).optional().describe("Five fields of cron whose times are evenly apart."),
  text: z.string().max(100).optional().describe('Such as "every 30 minutes", "hourly" or "daily".'),
  timezone: hint(z.string().max(100), SPREAD),
})
  .transform(({ cron, text }, context) => {
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: "custom", path: [path], message });
      return z.NEVER;
    };
    const byCron = cron === undefined ? null : everySOfCron(cron);
    const byText = text === undefined ? null : everySOfText(text);
    if (cron !== undefined && byCron === null)
      return refuse("cron", `${SPREAD}, so the times must be evenly apart, as those of "*/30 * * * *" or "0 9 * * *"`);
    if (text !== undefined && byText === null)
      return refuse(
        "text",
        'give an interval such as "every 30 minutes", "every 6 hours", "hourly", "daily" or "weekly"',
      );
    const everyS = byCron ?? byText;
    if (everyS === null) return refuse("cron", "give cron or text");
    return byCron !== null && byText !== null && byCron !== byText
      ? refuse("text", "cron and text say different intervals: give one of them")
      : everyS;
  })
  .describe(`How often each page is visited. ${SPREAD[0]?.toUpperCase()}${SPREAD.slice(1)}.`);

/**
 * A monitor compares by itself, so `changeTracking` asks for nothing more. With the mode `json` it asks for values, as
 * the format `json` does.
 */
function withoutTracking(formats: unknown): unknown {
  if (!Array.isArray(formats)) return formats;
  const kept = formats.flatMap((each: unknown) => {
    const { type, modes, schema, prompt } = (typeof each === "object" && each !== null ? each : { type: each }) as {
      type?: unknown;
      modes?: unknown;
      schema?: unknown;
      prompt?: unknown;
    };
    if (type !== "changeTracking") return [each];
    return Array.isArray(modes) && modes.includes("json") ? [{ type: "json", schema, prompt }] : [];
  });
  return kept.length === 0 ? undefined : kept;
}

const pages = requestOf({
  ...ofManyPages,
  formats: z
    .preprocess(withoutTracking, ofManyPages.formats)
    .describe(
      "As of a batch. `changeTracking` is accepted: a monitor compares by itself, and with its mode `json` it compares values.",
    ),
})
  .prefault({})
  .describe("How each page is scraped.");

const id = hint(z.string().max(100), "a target has its number as its id");
const { url, scrapeOptions: _, webhook: __, ...ofCrawl } = crawlRequestV2.shape;

const target = z.discriminatedUnion(
  "type",
  [
    requestOf({
      id,
      type: z.literal("scrape").describe("Pages that are named."),
      urls: z.array(z.string().trim().min(1)).min(1).max(MAX_CRAWL_SEEDS).describe("The pages: http or https URLs."),
      scrapeOptions: pages,
    }),
    requestOf({
      id,
      type: z.literal("crawl").describe("The pages of a site."),
      url,
      crawlOptions: requestOf(ofCrawl).prefault({}).describe("As the parameters of a crawl."),
      scrapeOptions: pages,
    }),
  ],
  { error: "there is no search of the web here: give a target of the type scrape, or crawl" },
);
export type MonitorTarget = z.output<typeof target>;

const NO_GOAL = "no model judges changes here: all are told. Leave out goal, and choose by conditions of a webhook";
const retentionDays = z
  .int()
  .min(OPTIONS["watch.keepDays"].min)
  .max(OPTIONS["watch.keepDays"].max)
  .describe("Days for which versions and changes are kept. All, without it.");
const name = z.string().trim().min(1).max(500).describe("A name for people.");
const webhook = monitorWebhook.nullable().optional();

const unavailable = {
  notification: z
    .unknown()
    .optional()
    .refine(sendsNothing, {
      message: "no e-mail is sent here: add a webhook in the form of an e-mail service by POST /api/crawls/ID/webhooks",
    })
    .describe("Refused, unless it sends nothing: a webhook of the watch can send e-mails."),
  goal: refused(NO_GOAL),
  judgeEnabled: refused(NO_GOAL, false),
  ...hints,
};

function sendsNothing(given: unknown): boolean {
  if (given === null || given === undefined) return true;
  const { email, ...others } = given as { email?: { enabled?: boolean } | null };
  return Object.keys(others).length === 0 && (email == null || email.enabled === false);
}

export const monitorRequest = requestOf({
  name,
  schedule,
  targets: z
    .array(target)
    .min(1, "name what is to be watched")
    .max(1, "a monitor is one watch: make a monitor for each target")
    .describe("What is watched: one target."),
  webhook: webhook.describe("Who is told of pages that changed."),
  retentionDays: retentionDays.optional(),
  ...unavailable,
});
export type MonitorRequest = z.output<typeof monitorRequest>;

export const monitorChange = requestOf({
  name: name.optional(),
  status: z.enum(["active", "paused"]).optional().describe("`paused`: it visits nothing until it is active again."),
  schedule: schedule.optional(),
  webhook: webhook.describe("The new webhook. null: nobody is told any more."),
  retentionDays: retentionDays.optional(),
  targets: refused("a watch keeps its pages: create another monitor"),
  ...unavailable,
});

const limit = queryInteger(1, 100, 20);

export const monitorsQuery = requestOf({
  limit: limit.describe("Maximum number in one answer."),
  offset: queryInteger(0, 1_000, 0).describe("The number to leave out, from the newest on."),
});

const CHECK_STATUSES = ["queued", "running", "completed", "failed", "partial", "skipped_overlap"] as const;

export const checksQuery = requestOf({
  ...monitorsQuery.shape,
  offset: queryInteger(0, 100_000, 0).describe("The number to leave out, from the newest on."),
  status: z.enum(CHECK_STATUSES).optional().describe("Only those. There are none but `running` and `completed`."),
});

export const PAGE_STATUSES = ["same", "new", "changed", "removed", "error"] as const;

export const checkQuery = requestOf({
  limit: limit.describe("Maximum number of pages in one answer."),
  skip: queryInteger(0, 10_000, 0).describe("The number of pages to leave out."),
  status: z.enum(PAGE_STATUSES).optional().describe("Only pages of which the check found this."),
});
