import * as z from "zod";
import { systemClock } from "../../core/clock.ts";
import type { Crawl, CrawlUrl } from "../../crawl/crawl.ts";
import { FORMATS } from "../../crawl/options/content-options.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";
import type { FormattedRecord } from "../../crawl/page/formatted-record.ts";
import { CRAWL_STATUSES } from "../../crawl/page/status.ts";
import { crawlRequest } from "../crawls/crawl-request.ts";
import { viewCrawl } from "../crawls/crawl-schemas.ts";
import { pageFormats, shownStatus } from "../records/record-schemas.ts";
import { choices, count, integer, listOf, NEXT_CURSOR, objectOf, textLike, urlStatus } from "../requests/fields.ts";

/**
 * Requests and answers of Cloudflare's /crawl, as far as they work without a browser, with our own options in the same
 * body. Parameters that have no effect here are not listed here: cloudflare-messages.ts names them to the caller.
 */

/** Maximum number of records in one answer. A request for more gets a cursor. */
const MAX_RECORDS = 1_000;

/** RFC 7617 2: a user name has no colon, and neither the name nor the password has control characters. */
const CONTROL = "\\u0000-\\u001f\\u007f";
const username = textLike(new RegExp(`^[^:${CONTROL}]*$`), 1_000);
const password = textLike(new RegExp(`^[^${CONTROL}]*$`), 1_000);

/** As in puppeteer. Values are what browsers send: RFC 6265 4.1.1, plus the spaces, quotes and commas that occur. */
const cookie = z.object({
  name: textLike(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 256).describe("Name of the cookie."),
  value: textLike(/^[\x20-\x3a\x3c-\x7e]*$/, 4_096).describe("Value of the cookie."),
  domain: z.string().optional().describe("Its domain. The cookie is for its subdomains too."),
  path: z.string().optional().describe("Its path. Only cookies for `/` are sent."),
  url: z.string().optional().describe("A URL that the cookie is for."),
  secure: z.boolean().optional().describe("Send it only over https."),
  expires: z.number().optional().describe("Expiry in seconds since 1970. 0 or less means a session cookie."),
});

export type Cookie = z.output<typeof cookie>;

/** A leap year, and one day more because clocks differ. */
const YEAR_MS = 367 * 86_400_000;

/** Unknown keys are ignored on these paths, and named in messages: Cloudflare's clients send more than we know. */
const { options, politeness, traps, renderOptions } = crawlRequest.shape;
const { viewport, waitFor } = renderOptions.unwrap().shape;
/** The same object, which ignores what it does not know. */
const lenient = <T extends z.core.$ZodShape>(field: z.ZodPrefault<z.ZodObject<T>>) =>
  field
    .unwrap()
    .strip()
    .prefault({} as never)
    .describe(field.description ?? "");

/** An extended field may take less than its base, by its types; this one takes something else. */
const render = z
  .boolean()
  .default(true)
  .transform((renders) => (renders ? "auto" : "never"))
  .describe(
    "Draw pages in a browser that are empty without their scripts: the same as `auto`.",
  ) as unknown as typeof crawlRequest.shape.render;

export const cloudflareRequest = crawlRequest
  .safeExtend({
    options: lenient(options),
    politeness: lenient(politeness),
    traps: lenient(traps),
    renderOptions: lenient(renderOptions),
    viewport: z
      .object(viewport.unwrap().shape)
      .optional()
      .describe("The same as `renderOptions.viewport`, which it overrides."),
    waitForSelector: z
      .object({ selector: waitFor.unwrap().describe(waitFor.description ?? "") })
      .optional()
      .describe("The same as `renderOptions.waitFor`, which it overrides."),
    // Parameters that only Cloudflare has, or whose bounds differ from those on our own paths.
    limit: integer(1, 100_000, OPTIONS.limit.default).describe(crawlRequest.shape.limit.description ?? ""),
    formats: choices(FORMATS, ["html"]).describe(
      "Formats of the pages in the records: `html` (the main content), `rawHtml` (the page as sent), `markdown`, `chunks` (the Markdown in parts), `text`, `json` (metadata and text), `links`, `images`, `headers`.",
    ),
    render,
    modifiedSince: crawlRequest.shape.modifiedSince
      .refine((time) => time === null || time * 1000 > systemClock.now() - YEAR_MS, {
        message: "it is more than a year ago",
      })
      .describe(
        "Save only pages that changed after this time, in seconds since 1970, at most a year ago, according to sitemaps, Last-Modified and 304 answers. null saves all pages.",
      ),
    maxAge: z
      .number()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe("Seconds. Without effect: every page is fetched anew."),
    setExtraHTTPHeaders: crawlRequest.shape.headers.unwrap().default({}).describe("The same as `headers`."),
    authenticate: z
      .object({
        username: username.describe("The user name, without a colon."),
        password: password.describe("The password. It is sent in UTF-8."),
      })
      .optional()
      .describe("Credentials to send as `Authorization: Basic` to the seeds' origins."),
    cookies: z
      .array(cookie)
      .max(100)
      .default([])
      .describe("Cookies to send to the seeds' origins. Only cookies that are valid for all seeds are sent."),
    gotoOptions: z
      .object({
        timeout: z
          .number()
          .min(0)
          .optional()
          .describe("The same as `timeoutMs`, which overrides it. 0 is the maximum."),
        referer: textLike(/^[\x20-\x7e]*$/, 2_048)
          .optional()
          .describe("Referer header for requests to the seeds' origins."),
      })
      .prefault({})
      .describe("Navigation options of a browser that also apply to a fetch."),
  })
  .strip();

export type CloudflareRequest = z.output<typeof cloudflareRequest>;

/** Cloudflare's client sends the cursor as a number, though the answer has it as a string. "0" is the beginning. */
export const cloudflareQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, "it is not the cursor of an earlier answer")
    .default("0")
    .transform(Number)
    .describe(NEXT_CURSOR),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(MAX_RECORDS)
    .transform((limit) => Math.min(limit, MAX_RECORDS))
    .describe("Maximum number of records in one answer: at most 1,000, or 200 with pages."),
  status: urlStatus.optional().describe("Only records with this status."),
});

/** `CrawlGetResponse` of Cloudflare's client. The last answer has no `cursor`. */
export const cloudflareCrawl = objectOf({
  id: z.uuid().describe("The id of the crawl."),
  status: z
    .enum(CRAWL_STATUSES)
    .exclude(["paused", "watching"])
    .describe(
      "The status of the crawl. A paused one is `running`, and a watch is `completed` from the end of its first crawl on.",
    ),
  total: count.describe("Number of URLs discovered in scope, without skipped ones."),
  finished: count.describe("Number of URLs in a final status, without skipped ones."),
  skipped: count.describe("Number of skipped URLs. They are among the records."),
  browserSecondsUsed: z.number().min(0).describe("Seconds for which the crawl has held a browser open."),
  records: listOf({
    url: z.string().describe("The canonical URL."),
    status: urlStatus.describe("The status of the URL."),
    metadata: objectOf({
      status: z.int().describe("The HTTP status."),
      url: z.string().describe("The canonical URL."),
      title: z.string().optional().describe("The title of the page."),
    })
      .optional()
      .describe("The server's answer. Missing if there was none."),
    ...pageFormats,
  }).describe("The records."),
  cursor: z.string().optional().describe("Cursor of the next page of results. Missing in the last answer."),
});

type CloudflareCrawl = z.output<typeof cloudflareCrawl>;

export const cloudflareCancelled = objectOf({
  job_id: z.uuid().describe("The id of the crawl."),
  message: z.string().describe("What happened."),
});

export const cloudflareMessages = listOf({
  code: z.int().describe("For programs."),
  message: z.string().describe("For people."),
}).describe("Parameters that have no effect, and differences from Cloudflare's own answers.");

/** Cloudflare has no pause, and no watch. */
function jobStatus({ status, watchingSince }: Crawl): CloudflareCrawl["status"] {
  if (status === "watching") return "completed";
  if (status === "running" || status === "paused") return watchingSince === null ? "running" : "completed";
  return status;
}

/** Cloudflare counts skipped URLs only in `skipped`, though they are among the records. */
export function viewJob(crawl: Crawl): Omit<CloudflareCrawl, "records" | "cursor"> {
  const { id, total, finished, counts } = viewCrawl(crawl);
  return {
    id,
    status: jobStatus(crawl),
    total: total - counts.skipped,
    finished: finished - counts.skipped,
    skipped: counts.skipped,
    browserSecondsUsed: crawl.usage.browserSeconds ?? 0,
  };
}

export function viewJobRecord({ record, formatted }: FormattedRecord): CloudflareCrawl["records"][number] {
  const { url, status } = record;
  return { url, status: shownStatus(status), ...metadataOf(record), ...formatted };
}

/** The target of a redirect has a record of its own, so the URL of a record is always the URL that answered. */
function metadataOf({ url, httpStatus, title }: CrawlUrl): Pick<CloudflareCrawl["records"][number], "metadata"> {
  return httpStatus === null ? {} : { metadata: { status: httpStatus, url, ...(title === null ? {} : { title }) } };
}
