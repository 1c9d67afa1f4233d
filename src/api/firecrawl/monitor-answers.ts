import * as z from "zod";
import { count, listOf, objectOf, time } from "../requests/fields.ts";
import { PAGE_STATUSES } from "./requests/monitor-request.ts";

/** The answers of /v2/monitor. */

const success = z.literal(true).describe("Always true.");
const checkId = z.string().describe("The id of the check.");

const summary = objectOf({
  totalPages: count.describe("Number of pages."),
  same: count.describe("Pages of which nothing was told."),
  changed: count.describe("Pages that say something else."),
  new: count.describe("Pages that are new, or back."),
  removed: count.describe("Pages that are gone, or have moved."),
  error: count.describe("Pages that fail now. Only the newest check has them."),
}).describe("What became of the pages.");

export const monitorView = objectOf({
  id: z.uuid().describe("The id of the watch."),
  name: z.string().describe("Its name, or its first seed."),
  status: z.enum(["active", "paused"]).describe("Whether it visits its pages."),
  schedule: objectOf({
    cron: z.string().optional().describe("A cron expression with this interval, if there is one."),
    text: z.string().describe("The mean interval between two visits of a page."),
    timezone: z.string().describe("Always UTC."),
  }).describe("How often it visits each page."),
  nextRunAt: time.nullable().describe("When its next check begins. null while it is paused, and in its first crawl."),
  lastRunAt: time.nullable().describe("When its newest check began."),
  currentCheckId: z.string().nullable().describe("The check that is under way. null: there is none."),
  targets: listOf({
    id: z.string().describe("The number of the target."),
    type: z.enum(["scrape", "crawl"]).describe("Pages that are named, or those of a site."),
    urls: z.array(z.string()).optional().describe("The pages that are named."),
    url: z.string().optional().describe("The seed."),
    crawlOptions: objectOf({
      limit: count.describe("The page limit."),
      maxDiscoveryDepth: count.describe("The maximum depth."),
    })
      .optional()
      .describe("Some of its options."),
    scrapeOptions: objectOf({
      formats: z.array(z.string()).describe("The formats that are made with the fetch."),
    }).describe("How each page is scraped."),
  }).describe("What is watched."),
  webhook: objectOf({
    url: z.string().describe("Where notices are sent."),
    events: z.array(z.literal("monitor.page")).describe("The events that it is told."),
    metadata: z.record(z.string(), z.string()).describe("Comes back in every notice."),
  })
    .nullable()
    .describe("Who is told. Headers and the secret are not shown. null: nobody, or webhooks in another form alone."),
  notification: z.null().describe("Always null: no e-mail is sent."),
  retentionDays: count.nullable().describe("Days for which versions and changes are kept. null: all are."),
  estimatedCreditsPerMonth: z.literal(0).describe("Always 0: there are no credits."),
  lastCheckSummary: summary.nullable().describe("What became of the pages in the newest check."),
  goal: z.null().describe("Always null."),
  judgeEnabled: z.literal(false).describe("Always false: no model judges changes."),
  createdAt: time.describe("When it was created."),
  updatedAt: time.describe("When something about it changed."),
});
export type MonitorView = z.output<typeof monitorView>;

const pagination = objectOf({
  limit: count.describe("The number that was asked for."),
  offset: count.describe("The number that was left out."),
  hasMore: z.boolean().describe("Whether there are more."),
}).describe("Where the answer is in the list.");

const webhookSecret = z.string().optional().describe("The secret of the new webhook. It is shown here only.");

export const monitorAnswer = objectOf({ success, data: monitorView.describe("The monitor."), webhookSecret });
export const monitorsAnswer = objectOf({
  success,
  data: z.array(monitorView).describe("All watches, the newest first."),
  pagination,
});
export const monitorDeleted = objectOf({ success });

const checkFields = {
  id: checkId,
  monitorId: z.uuid().describe("The id of the watch."),
  status: z.enum(["running", "completed"]).describe("`running`: its time is not over, and not all pages were visited."),
  trigger: z.enum(["scheduled", "manual"]).describe("`manual`: somebody asked for a visit of all pages."),
  scheduledFor: time.describe("When it began."),
  startedAt: time.describe("When it began."),
  finishedAt: time.nullable().describe("When the next one began. null: it is under way."),
  estimatedCredits: z.literal(0).describe("Always 0."),
  reservedCredits: z.literal(0).describe("Always 0."),
  actualCredits: z.literal(0).describe("Always 0."),
  billingStatus: z.literal("not_applicable").describe("Always so: there are no credits."),
  summary,
  error: z.null().describe("Always null."),
  createdAt: time.describe("When it began."),
  updatedAt: time.describe("When it ended, or now."),
};

export const checkAnswer = objectOf({ success, data: objectOf(checkFields).describe("The check.") });
export const checksAnswer = objectOf({ success, data: listOf(checkFields).describe("The newest first."), pagination });

const page = objectOf({
  id: z.string().describe("The URL."),
  targetId: z.string().describe("The number of the target."),
  url: z.string().describe("The canonical URL."),
  status: z.enum(PAGE_STATUSES).describe("What the check found."),
  statusCode: z.int().nullable().describe("The HTTP status, where nothing changed."),
  error: z.string().nullable().describe("Why it fails, or is gone."),
  diff: objectOf({
    text: z.string().optional().describe("Lines of the main content with `+`, `-` or a space before them."),
    json: z
      .record(
        z.string(),
        objectOf({
          previous: z.unknown().describe("The value before."),
          current: z.unknown().describe("The value now."),
        }),
      )
      .optional()
      .describe("The values that have changed, by name."),
  })
    .nullable()
    .describe("What changed. The first 20 pages of an answer have the text."),
  createdAt: time.describe("When it was noticed. Where nothing changed: when what is stored was fetched."),
});

export const checkPagesAnswer = objectOf({
  success,
  data: objectOf({
    ...checkFields,
    pages: z.array(page).describe("Pages; those that something was told of come first."),
  }).describe("The check."),
  pagination,
  next: z.string().optional().describe("The absolute URL of further pages. Missing in the last answer."),
});
