import * as z from "zod";
import { count, listOf, objectOf, time } from "../requests/fields.ts";

/** The answers of Firecrawl's API, as far as this installation gives them. */

const JOB_STATUSES = ["scraping", "completed", "failed", "cancelled"] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

const success = z.literal(true).describe("Always true.");
const jobId = z.uuid().describe("The id of the crawl.");
const jobUrl = z.string().describe("Where its state is.");
const webhookSecret = z.string().optional().describe("The secret of the webhook. It is shown here only.");
const creditsUsed = z.literal(0).describe("Always 0: there are no credits.");

const metadata = z
  .looseObject({
    url: z.string().describe("The canonical URL of the page."),
    sourceURL: z.string().describe("The URL that was asked for."),
    title: z.string().optional().describe("The title of the page."),
    statusCode: z.int().optional().describe("The HTTP status."),
  })
  .describe("What the page and its server say about it. Fields that are not known are missing.");

export const firecrawlDocument = objectOf({
  markdown: z.string().optional().describe("The main content as Markdown."),
  html: z.string().optional().describe("The main content as a small document."),
  rawHtml: z.string().optional().describe("The page as the server sent it."),
  links: z.array(z.string()).optional().describe("The URLs that it links to."),
  json: z
    .unknown()
    .optional()
    .describe("The values that a model found, or the fields that rules read; null for one that the page lacks."),
  screenshot: z.string().optional().describe("A JPEG as a `data:` URL."),
  warning: z.string().optional().describe("What is missing, and why."),
  metadata,
});

export const scrapeAnswer = objectOf({ success, data: firecrawlDocument.describe("The page.") });

export const mapAnswer = objectOf({
  success,
  id: z.string().describe("The id of the request."),
  links: listOf({
    url: z.string().describe("The URL."),
    title: z.string().optional().describe("Its title, if a crawl here knows it."),
    description: z.string().optional().describe("The description of the page itself."),
  }).describe("The URLs."),
});

export const mapAnswerV1 = objectOf({ success, links: z.array(z.string()).describe("The URLs.") });

export const searchAnswer = objectOf({
  success,
  id: z.string().describe("The id of the request."),
  data: objectOf({
    web: z
      .array(
        firecrawlDocument.partial().extend({
          url: z.string().describe("The canonical URL."),
          title: z.string().describe("The title of the page."),
          description: z.string().describe("The part of the page that matches."),
          position: z.int().min(1).describe("Its place among the hits."),
        }),
      )
      .describe("The hits, best first."),
  }).describe("The hits by their sources."),
  creditsUsed,
});

export const jobAnswer = objectOf({ success, id: jobId, url: jobUrl, webhookSecret });

export const batchAnswer = jobAnswer.extend({
  invalidURLs: z.array(z.string()).describe("URLs that cannot be fetched, and are left out."),
});

export const statusAnswer = objectOf({
  success,
  status: z.enum(JOB_STATUSES).describe("The state of the job. A paused crawl is `scraping`."),
  total: count.describe("Number of URLs found, without those that turned out to be no page."),
  completed: count.describe("Number of pages."),
  creditsUsed,
  expiresAt: time.optional().describe("When it is deleted. Missing: never."),
  next: z.string().optional().describe("The absolute URL of further documents. Missing in the last answer."),
  data: z.array(firecrawlDocument).describe("Pages, in the order of their URLs."),
});

export const extractStarted = objectOf({ success, id: jobId });

export const extractAnswer = objectOf({
  success,
  id: jobId,
  status: z.enum(["processing", "completed", "failed", "cancelled"]).describe("The state of the job."),
  data: z
    .unknown()
    .optional()
    .describe("The values of all pages: lists of all, other values of the first page that has them."),
  sources: z.record(z.string(), z.array(z.string())).optional().describe("The pages of each value, by its path."),
  error: z.string().optional().describe("Why there are no values."),
  warning: z.string().optional().describe("The pages without values, and why."),
  expiresAt: time.optional().describe("When it is deleted. Missing: never."),
  creditsUsed,
});

export const cancelAnswer = objectOf({
  success,
  status: z.enum(JOB_STATUSES).describe("`cancelled`, or how the job had ended already."),
});

export const errorsAnswer = objectOf({
  success,
  errors: listOf({
    id: z.string().describe("The URL."),
    timestamp: time.describe("When it was fetched last."),
    url: z.string().describe("The URL."),
    code: z.string().describe("The reason, as in records."),
    error: z.string().describe("The reason, for people."),
  }).describe("URLs that failed."),
  robotsBlocked: z.array(z.string()).describe("URLs that robots.txt forbids."),
  warning: z.string().optional().describe("That there are more."),
});

export const activeAnswer = objectOf({
  success,
  crawls: listOf({
    id: jobId,
    teamId: z.string().describe("Always `installation`."),
    url: z.string().describe("The first seed."),
    created_at: time.describe("When it was started."),
    options: objectOf({
      limit: count.describe("The page limit."),
      maxDiscoveryDepth: count.describe("The maximum depth."),
    }).describe("Some of its options."),
  }).describe("Crawls that run or are paused, the newest first."),
});

export const firecrawlFailureView = objectOf({
  success: z.literal(false).describe("Always false."),
  code: z.string().describe("For programs."),
  error: z.string().describe("For people. It names the parameter at fault."),
  details: listOf({
    path: z.array(z.string()).describe("The parameter at fault."),
    message: z.string().describe("For people."),
  })
    .optional()
    .describe("The mistakes of the request."),
  requestId: z.string().describe("The id of the request, which the log has too."),
});
