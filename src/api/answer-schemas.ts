import { z } from "zod";
import { REASONS, type Reason } from "../crawl/reason.ts";
import { CRAWL_STATUSES, URL_STATUSES } from "../crawl/status.ts";
import type { TreeLevel } from "../crawl/url-tree.ts";
import { RESOURCES } from "../crawl/usage.ts";
import { REFUSALS, type Refusal } from "../scope/refusal.ts";
import type { RecordDetailView, ReportView } from "./report-view.ts";
import type { RobotsView } from "./robots-view.ts";
import { crawlRequest } from "./schemas.ts";
import type {
  CrawlDetail,
  CrawlView,
  DeletionView,
  ExplainView,
  HostView,
  RecordView,
  ScheduleView,
  SearchView,
} from "./views.ts";

/**
 * What the API answers, as schemas: the description of the API is made from them, and a test holds them against real answers. Strict, so
 * that a field which is not here fails there.
 */

const time = z.iso.datetime();
const count = z.int().min(0);
const urlStatus = z.enum(URL_STATUSES).exclude(["pending"]);
const reason = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]);
const refusal = z.enum(Object.keys(REFUSALS) as [Refusal, ...Refusal[]]);

/** The options of a crawl are those of its request, in one row and complete. Headers may hold somebody's password. */
const { url: _url, urls: _urls, options, userAgent: _userAgent, headers: _headers, ...flat } = crawlRequest.shape;

export const crawlOptions = z.strictObject({
  urls: z.array(z.string()).describe("The seeds, canonical."),
  userAgent: z.string().describe("How the crawl presents itself."),
  ...flat,
  store: flat.store
    .unwrap()
    .describe("How pages are kept: packed into WARC files, many to an object, or as files, an object for each."),
  ...options.unwrap().shape,
}) satisfies z.ZodType<CrawlView["options"]>;

export const crawlView = z.strictObject({
  id: z.uuid(),
  status: z.enum(CRAWL_STATUSES),
  urls: z.array(z.string()).describe("The seeds, canonical."),
  total: count.describe("URLs discovered in scope."),
  finished: count.describe("URLs in a final status."),
  counts: z
    .strictObject({
      queued: count,
      completed: count,
      disallowed: count,
      skipped: count,
      errored: count,
      cancelled: count,
    })
    .describe("URLs by status; their sum is `total`."),
  assets: z
    .strictObject({ queued: count, completed: count })
    .describe("How many of them are assets: images, styles, scripts and fonts of pages, where the crawl keeps them."),
  bytes: count.describe("Bytes of what is completed, decompressed."),
  lastUrl: z.string().nullable().describe("The URL that the last commit ended with."),
  waitingFor: z.string().nullable().describe("What keeps it from moving, where that is more than a host's pace."),
  lastFailure: z
    .strictObject({ what: z.string(), at: time })
    .nullable()
    .describe("What its last batch that failed could not do, and when; batches are tried again."),
  usage: z
    .partialRecord(z.enum(RESOURCES), z.number().min(0))
    .describe("What it has used of the platform, in the units in which Cloudflare bills it: about, while it runs."),
  costUsd: z.number().min(0).describe("What that costs at Cloudflare's list prices, in US dollars: an estimate."),
  seconds: z.number().min(0).describe("From the first page's fetch to the last commit."),
  scheduleId: z.string().nullable().describe("The schedule that started it."),
  createdAt: time,
  finishedAt: time.nullable(),
  options: crawlOptions.describe("As asked for, with the defaults filled in; without its headers."),
}) satisfies z.ZodType<CrawlView>;

export const crawlDetail = crawlView.extend({
  sitemaps: z
    .strictObject({
      read: count,
      open: count.describe("Still to be read, or not to be read while the crawl knows enough URLs."),
      failed: count,
      listed: count.describe("URLs that they list, other sitemaps among them."),
      problems: z
        .array(z.strictObject({ url: z.string(), explanation: z.string() }))
        .describe("A few that could not be read, or not to the end."),
    })
    .describe("What became of its sitemaps."),
  refused: z
    .array(z.strictObject({ reason: refusal, text: z.string(), count, examples: z.array(z.string()) }))
    .describe("Links that scope refused, by reason."),
}) satisfies z.ZodType<CrawlDetail>;

export const recordView = z.strictObject({
  url: z.string(),
  status: urlStatus,
  reason: reason.nullable().describe("Why it ended so; null for completed and queued URLs."),
  explanation: z.string().nullable().describe("The reason and its particulars in words."),
  httpStatus: z.int().nullable(),
  depth: count.describe("Links from a seed."),
  via: z.string().nullable().describe("The page on which it was found; null for a seed."),
  asset: z.boolean().describe("It is no page but what a page shows."),
  title: z.string().nullable(),
  contentType: z.string().nullable(),
  bytes: count.nullable().describe("Length of the body, decompressed."),
  sha256: z.string().nullable().describe("SHA-256 of the body, decompressed, in hex."),
  fetchedAt: time.nullable(),
  lastmod: time.nullable().describe("When it last changed, as a sitemap says."),
  path: z.string().nullable().describe("Where its body is in the mirror, below the crawl; null where there is none."),
}) satisfies z.ZodType<RecordView>;

const tally = z.record(z.string(), count);

export const reportView = z.strictObject({
  codes: tally.describe("URLs by the HTTP status of the last answer."),
  types: tally.describe("URLs by media type."),
  depths: tally.describe("URLs by links from a seed."),
  reasons: tally.describe("URLs by the reason for which they ended."),
  hosts: z
    .array(z.strictObject({ host: z.string(), urls: count, completed: count, bytes: count }))
    .describe("The 20 with most URLs, those first."),
  newest: z.array(recordView).describe("The 10 pages kept last, the last first."),
  errors: z.array(recordView).describe("The 10 URLs that errored last, the last first."),
  history: z
    .array(z.strictObject({ at: time, pages: count, bytes: count }))
    .describe("Pages kept in each of up to 120 intervals of the same length, from the first fetch on."),
}) satisfies z.ZodType<ReportView>;

export const recordDetailView = z.strictObject({
  record: recordView,
  path: z
    .array(
      z.strictObject({
        url: z.string(),
        kind: z.enum(["page", "sitemap", "robots.txt"]),
        title: z.string().nullable(),
      }),
    )
    .describe("How it was come upon, from a seed or a sitemap to the record itself; its last 101 steps."),
  inlinks: z
    .array(z.string())
    .max(1)
    .describe("What links to it, as far as is kept: where it was first found, and nothing else. Empty for a seed."),
  found: z
    .array(z.strictObject({ url: z.string(), status: urlStatus, title: z.string().nullable() }))
    .describe(
      "URLs that were first found on it, up to 200. All of its links are `GET /api/crawls/:id/page?format=links`.",
    ),
  hasMoreFound: z.boolean(),
}) satisfies z.ZodType<RecordDetailView>;

const treeCounts = { urls: count, completed: count, errored: count, bytes: count.describe("Of completed pages.") };

export const treeView = z.strictObject({
  path: z.string(),
  children: z
    .array(
      z.strictObject({
        segment: z.string().describe("An origin, or a path segment; it ends with a slash where more may be below it."),
        isLeaf: z.boolean().describe("Nothing is below it; it stands for all URLs that differ in their query alone."),
        ...treeCounts,
      }),
    )
    .describe("The 200 with most URLs, those first."),
  rest: z
    .strictObject({ children: count, ...treeCounts })
    .nullable()
    .describe("The others, added up; null where there are none."),
}) satisfies z.ZodType<TreeLevel>;

export const retryView = z.strictObject({
  retried: count.describe("URLs that were taken up again."),
  crawl: crawlView,
});

export const robotsView = z.strictObject({
  origin: z.string(),
  state: z
    .enum(["read", "allow-all", "silent", "unreachable", "given-up", "later", "own", "unread"])
    .describe(
      "`read`; `allow-all`: there is none; `own`: it is not asked for; `unread`: nobody has asked for it; else it could not be read.",
    ),
  sentence: z.string(),
  fetchedAt: time.nullable(),
  retryAt: time.nullable().describe("It is asked for again then."),
  agent: z.string().describe("The name by which this crawl goes in it."),
  groups: z
    .array(
      z.strictObject({
        agents: z.array(z.string()),
        applies: z.boolean().describe("To this crawl."),
        rules: z.array(z.string()).describe("In the form in which they are compared."),
        signals: z.array(z.string()).describe("What its pages may be used for."),
      }),
    )
    .describe("As they stand in it."),
  crawlDelays: z.array(z.strictObject({ agent: z.string(), seconds: z.number().min(0) })),
  sitemaps: z.array(z.string()),
  decision: z
    .strictObject({
      url: z.string(),
      allowed: z.boolean().nullable().describe("Null while robots.txt has not said."),
      rule: z.string().nullable().describe("The line that decided; null where none matched."),
      agent: z.string().nullable().describe("The group that applied."),
      sentence: z.string(),
    })
    .nullable()
    .describe("What it says of the URL; null where none was named."),
}) satisfies z.ZodType<RobotsView>;

const pageJson = z
  .looseObject({ url: z.string(), title: z.string().nullable(), text: z.string() })
  .describe("What the page says of itself, and its text.");

export const formattedRecordView = recordView.extend({
  html: z.string().optional().describe("The main content in a small document of its own."),
  rawHtml: z.string().optional().describe("The page as the server sent it, decoded."),
  markdown: z.string().optional(),
  text: z.string().optional(),
  json: pageJson.optional(),
  links: z
    .array(z.strictObject({ url: z.string(), kind: z.string(), nofollow: z.boolean() }))
    .optional()
    .describe("Canonical, each once."),
  headers: z.record(z.string(), z.string()).optional().describe("Of the answer, by name in lower case."),
  problem: z.string().optional().describe("Why a page that is kept comes without the formats asked for."),
});

export const recordsPage = z.strictObject({
  records: z.array(formattedRecordView),
  cursor: z.string().nullable().describe("Where the next answer goes on; null: this was the last."),
});

export const hostView = z.strictObject({
  host: z.string().describe("Its name, without a port: all ports share one pace."),
  queued: count.describe("URLs of the crawl that are about to be fetched."),
  delayMs: z.number().min(0).describe("Rest between two requests, as far as the last answer tells, in milliseconds."),
  crawlDelayMs: z.number().nullable().describe("What robots.txt asks for, in milliseconds."),
  failures: count.describe("Failures in a row."),
  busy: z.boolean().describe("Whether some crawl is fetching from it now."),
  nextAt: time.nullable().describe("No request starts before this; null: it is free."),
  waitingSince: time.nullable().describe("Since when it waits; null where it keeps its usual pace."),
  why: z.string().describe("What it waits for, in words."),
}) satisfies z.ZodType<HostView>;

export const explainView = z.strictObject({
  url: z.string().nullable().describe("Canonical; null where it is no URL to crawl."),
  asWritten: z.string(),
  verdict: z.enum([...urlStatus.options, "would be fetched", "refused", "wait"]),
  sentence: z.string(),
  steps: z
    .array(
      z.strictObject({
        step: z.enum(["url", "record", "scope", "trap", "robots", "pace"]),
        ok: z.boolean().describe("Whether it lets the URL pass."),
        rule: z
          .string()
          .describe("The rule that decided: a name from the closed lists, a pattern, a line of robots.txt."),
        detail: z.string(),
      }),
    )
    .describe("In the order in which a crawl asks; those after a refusal are not asked."),
  record: recordView.nullable(),
  pace: z
    .strictObject({
      delayMs: z.number().min(0),
      crawlDelayMs: z.number().nullable(),
      nextAt: time.nullable(),
      backoff: count.describe("Failures of the host in a row."),
      waitingSince: time.nullable().describe("Since when its robots.txt is silent."),
      why: z.string(),
    })
    .nullable(),
}) satisfies z.ZodType<ExplainView>;

export const searchView = z.strictObject({
  hits: z
    .array(
      z.strictObject({
        crawl: z.string().describe("The newest crawl that has it so, of those that were asked."),
        url: z.string(),
        title: z.string().nullable(),
        snippet: z
          .array(
            z.strictObject({ text: z.string(), hit: z.boolean().describe("Whether this is what was looked for.") }),
          )
          .describe("The place that fits best, in pieces, as text."),
        score: z.number().describe("BM25, greater for better; comparable within one query."),
        fetchedAt: time.nullable(),
      }),
    )
    .describe("Best first; each URL once."),
  total: count.describe("URLs that match."),
  cursor: z
    .string()
    .nullable()
    .describe("Where the next answer goes on; null: there are no more, or none that are shown."),
  note: z.string().nullable().describe("Why nothing at all can be found; null where that is not so."),
}) satisfies z.ZodType<SearchView>;

export const scheduleView = z.strictObject({
  id: z.uuid(),
  cron: z.string(),
  urls: z.array(z.string()).describe("The seeds, canonical."),
  limit: z.int().describe("Most completed pages of one crawl."),
  nextAt: time.describe("When it starts its next crawl."),
  lastCrawlId: z.uuid().nullable(),
  lastStartedAt: time.nullable(),
}) satisfies z.ZodType<ScheduleView>;

export const deletionView = z.strictObject({
  id: z.uuid(),
  done: z.boolean().describe("Nothing of it is left."),
  waitsUntil: time
    .nullable()
    .describe(
      "Pages in flight may still arrive until then, and what it kept is removed after it; null: that has begun.",
    ),
}) satisfies z.ZodType<DeletionView>;

export const health = z.strictObject({
  busy: count.describe("Batches that this isolate is working on."),
  failure: z.string().nullable().describe("What its last batch could not do."),
  heartbeat: z
    .strictObject({ at: time, report: z.record(z.string(), z.unknown()) })
    .nullable()
    .describe("The last heartbeat, and what it did."),
});

export const openHealth = z.strictObject({
  ok: z.literal(true),
  name: z.literal("orbweaver"),
  version: z.string(),
  busy: count.describe("Batches that this isolate is working on."),
});

export const justId = z.strictObject({ id: z.uuid() });

const { html, rawHtml, markdown, text, json, links, headers } = formattedRecordView.shape;

/** Cloudflare's, who sends `cursor` where there is more, and nothing where there is not. */
export const cloudflareCrawl = z.strictObject({
  id: z.uuid(),
  status: z.enum(CRAWL_STATUSES).exclude(["paused"]),
  total: count.describe("URLs discovered in scope, without those that were skipped."),
  finished: count.describe("URLs in a final status, without those that were skipped."),
  skipped: count.describe("URLs that were skipped; they are among the records."),
  browserSecondsUsed: z.literal(0),
  records: z.array(
    z.strictObject({
      url: z.string(),
      status: urlStatus,
      metadata: z
        .strictObject({ status: z.int(), url: z.string(), title: z.string().optional() })
        .optional()
        .describe("Of what the server answered; absent where it did not."),
      html,
      rawHtml,
      markdown,
      text,
      json,
      links,
      headers,
    }),
  ),
  cursor: z.string().optional().describe("Where the next answer goes on; without it this was the last."),
});

export const cloudflareCancelled = z.strictObject({ job_id: z.uuid(), message: z.string() });

export const cloudflareMessages = z
  .array(z.strictObject({ code: z.int(), message: z.string() }))
  .describe("What of the request has no effect, and what is otherwise than Cloudflare's.");

/** Every error of every route. */
export const failureView = z.strictObject({
  success: z.literal(false),
  result: z.null(),
  errors: z.array(
    z.strictObject({
      code: z.union([z.string(), z.int()]).describe("For programs: a word; on Cloudflare's paths a number."),
      message: z.string().describe("For people."),
      path: z
        .string()
        .optional()
        .describe("The parameter that is wrong, what is inside another behind a dot; where there is one."),
    }),
  ),
  messages: z.array(z.string()).max(0).describe("Always empty."),
});
