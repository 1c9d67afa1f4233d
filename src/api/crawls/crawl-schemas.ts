import * as z from "zod";
import { deletionUsd } from "../../crawl/bounds/deletion-cost.ts";
import { costUsd } from "../../crawl/bounds/usage.ts";
import { type Crawl, PURPOSES, type SitemapReport } from "../../crawl/crawl.ts";
import { hasTopic, withoutSecrets } from "../../crawl/crawl-options.ts";
import { LEFT_OUT } from "../../crawl/imported-archive.ts";
import { type Reason, statusOf } from "../../crawl/page/reason.ts";
import { CRAWL_STATUSES, FINAL_STATUSES } from "../../crawl/page/status.ts";
import type { CrawlHost } from "../../crawl/watch/crawl-host.ts";
import { leastEveryS } from "../../crawl/watch/visit-pace.ts";
import { type HostTrouble, type PageTrouble, VISIT_RESULTS } from "../../crawl/watch/watch.ts";
import { REFUSALS, type Refusal } from "../../scope/refusal.ts";
import { modelSpentView, viewModelSpent } from "../analysis/model-spent-view.ts";
import { secretField } from "../changes/webhook-schemas.ts";
import { archiveView } from "../imports/import-schemas.ts";
import { explanationOf } from "../records/record-schemas.ts";
import {
  cost,
  count,
  isoOrNull,
  listOf,
  objectOf,
  queryInteger,
  reason,
  requestOf,
  time,
  usage,
} from "../requests/fields.ts";
import { crawlRequest } from "./crawl-request.ts";
import { amendedShape, answered } from "./option-schemas.ts";
import { removedView, viewRemoved } from "./removed-schemas.ts";

/** Requests and answers of /api/crawls. */

/** Limits of a crawl that can change until it ends. */
export const amendRequest = requestOf(amendedShape).refine((limits) => Object.keys(limits).length > 0, {
  message: "name what is to change: limit, maxCostUsd, maxBytes or maxDurationS",
});

/** What a crawl waits for before it starts. */
export const REST_OF_LIST =
  "the rest of its list of URLs. Give the same command again, or end the list by POST /api/crawls/ID/urls with `last`.";

export const startQuery = requestOf({
  list: z
    .string()
    .regex(/^[\w.:-]{1,128}$/, "it has letters, digits and . : - _ alone")
    .optional()
    .describe(
      "More seeds follow, by `POST /api/crawls/:id/urls`: the crawl is paused until all are there. The value is a name for the list, such as its digest. While a crawl waits for a list of this name, the answer names that crawl, so an interrupted upload goes on.",
    ),
});

const RETRIED_STATUSES = FINAL_STATUSES.filter((status) => status !== "completed");

export const retryRequest = requestOf({
  status: z
    .enum(RETRIED_STATUSES)
    .optional()
    .describe("Retry only URLs with this status. Without `status` and `reason`: `errored`."),
  reason: reason.optional().describe("Retry only URLs that ended for this reason."),
  limit: amendedShape.limit.describe("A new page limit, for a crawl that has reached its own."),
}).refine(({ status, reason }) => status === undefined || reason === undefined || statusOf(reason) === status, {
  path: ["reason"],
  message: "no URL with this status ends for this reason",
});

/** The maximum number of crawls in one answer, and its default. */
export const MOST_LISTED = 200;

export const crawlsQuery = requestOf({
  cursor: z
    .string()
    .regex(/^(?:\d{1,15}\.[\w-]{1,64})?$/, "it is not the cursor of an earlier answer")
    .default("")
    .describe("Cursor of the next page of results. The `Link` header of the previous answer has it."),
  limit: queryInteger(1, MOST_LISTED, MOST_LISTED).describe("Maximum number of crawls in one answer."),
  all: z.stringbool().default(false).meta({
    type: "boolean",
    description:
      "Also list the scrapes and maps of Firecrawl's paths, each of which is a crawl of its own. The default is `false`.",
  }),
});

// A word in the query; a boolean in the description of the API.
export const deleteQuery = requestOf({
  force: z
    .stringbool()
    .default(false)
    .meta({ type: "boolean", description: "Also delete a crawl that is running. The default is `false`." }),
});

const {
  url: _url,
  urls: _urls,
  options,
  userAgent: _userAgent,
  headers: _headers,
  webhook: _webhook,
  ...flat
} = crawlRequest.shape;
const seeds = z.array(z.string()).describe("The seeds, canonical.");

/**
 * The options of the request in one flat object, with all defaults. Headers and webhooks may hold a secret, so they are
 * left out.
 */
export const crawlOptions = objectOf({
  urls: seeds,
  userAgent: z.string().describe("The User-Agent header of the crawl."),
  ...flat,
  store: answered("store"),
  maxCostUsd: answered("maxCostUsd"),
  ...options.unwrap().shape,
  includeExternalLinks: answered("options.includeExternalLinks"),
  maxQueued: answered("maxQueued"),
  limit: answered("limit"),
  limitPerHost: answered("limitPerHost"),
});

export const crawlView = objectOf({
  id: z.uuid().describe("The id of the crawl."),
  status: z.enum(CRAWL_STATUSES).describe("The status of the crawl."),
  urls: seeds,
  total: count.describe("Number of URLs discovered in scope."),
  finished: count.describe("Number of URLs in a final status."),
  counts: objectOf({
    queued: count.describe("Not fetched yet."),
    completed: count.describe("Fetched and stored."),
    disallowed: count.describe("Forbidden by robots.txt."),
    skipped: count.describe("Not stored, for a reason such as a redirect or the page limit."),
    errored: count.describe("Failed after all attempts."),
    cancelled: count.describe("Not fetched before the crawl was cancelled."),
  }).describe("Number of URLs by status. The sum is `total`."),
  assets: objectOf({
    queued: count.describe("Assets not fetched yet."),
    completed: count.describe("Assets fetched and stored."),
  }).describe("How many of these URLs are assets: images, styles, scripts and fonts of pages."),
  shells: count.describe(
    "Number of completed pages that look as if scripts made what they show, and that no browser drew. `?browser=needed` lists their records.",
  ),
  rendered: count.describe("Number of completed pages that a browser drew before they were read."),
  relevant: count
    .nullable()
    .describe("Number of completed pages that are relevant to the subject of the crawl. null: it has no subject."),
  bytes: count.describe("Size of all completed URLs after decompression, in bytes."),
  lastUrl: z.string().nullable().describe("The last URL of the latest commit."),
  waitingFor: z.string().nullable().describe("What the crawl waits for, if it is more than a host's usual delay."),
  lastFailure: objectOf({ what: z.string().describe("What failed."), at: time.describe("When it failed.") })
    .nullable()
    .describe("The latest batch that failed. Failed batches are tried again."),
  usage: usage.describe("Usage of the platform, in the units that Cloudflare bills. Approximate while the crawl runs."),
  costUsd: cost.describe("Estimated cost of that usage at Cloudflare's list prices, in US dollars."),
  deletionCostUsd: cost.describe(
    "What deleting the crawl costs at most, at Cloudflare's list prices: D1 bills deleted rows. On your own machine it costs nothing.",
  ),
  model: modelSpentView,
  seconds: z
    .number()
    .min(0)
    .describe("Time from the first fetch to the last commit, in seconds, without the time that the crawl was paused."),
  purpose: z
    .enum(PURPOSES)
    .describe(
      "`scrape`, `map`: it answers one request of Firecrawl's paths, and is not in lists unless they are asked for all. `import`: its answers come from an archive, and nothing is fetched for it.",
    ),
  archive: archiveView.nullable().describe("The archive that its answers come from. null for a crawl that fetches."),
  scheduleId: z.string().nullable().describe("The schedule that started the crawl."),
  createdAt: time.describe("When the crawl was created."),
  finishedAt: time.nullable().describe("When the crawl ended."),
  watching: objectOf({
    since: time.nullable().describe("When the first crawl had ended, and the visits began. null: it has not yet."),
    changes: count.describe("Number of changes that were noticed."),
    monthCostUsd: cost.describe(
      "Estimated cost since the beginning of this month (UTC), in US dollars. `maxCostUsd` limits it.",
    ),
    visits: z
      .partialRecord(z.enum(VISIT_RESULTS), count)
      .describe(
        "Number of visits by result. `not-modified`: the server answered 304. `same`: the page says what it said. `missing`: what may pass, such as a first 404 or a temporary redirect; later visits decide. `failed`: no answer that counts. `forbidden`: robots.txt forbids it now, or its host is in another country.",
      ),
    visitsAskedAt: time
      .nullable()
      .describe("When somebody last asked for a visit of all pages at once. null: nobody has."),
    removed: removedView,
    leastEveryS: count.describe(
      "The pace of the hosts allows no shorter mean interval between two visits of a page, in seconds. Where `everyS` is shorter, pages are visited later than it says.",
    ),
  })
    .nullable()
    .describe("What the watch has done. null for a crawl that ends."),
  options: crawlOptions.describe("The options of the crawl with all defaults, without its headers."),
});
export type CrawlView = z.output<typeof crawlView>;

export function viewCrawl(crawl: Crawl): CrawlView {
  const { discovered, pending, ...counts } = crawl.counters;
  const queued = counts.queued + pending;
  const options = withoutSecrets(crawl.options);
  return {
    id: crawl.id,
    status: crawl.status,
    urls: options.urls,
    total: discovered,
    finished: discovered - queued,
    counts: { ...counts, queued },
    assets: { queued: crawl.assets.queued + crawl.assets.pending, completed: crawl.assets.completed },
    shells: crawl.shells,
    rendered: crawl.rendered,
    relevant: hasTopic(options) ? crawl.relevant : null,
    bytes: crawl.bytes,
    lastUrl: crawl.lastUrl,
    waitingFor:
      crawl.waitingFor ??
      (isPartOfImport(crawl)
        ? "the rest of its archive: import the same files again"
        : crawl.takesList
          ? REST_OF_LIST
          : null),
    lastFailure:
      crawl.lastFailure === null ? null : { ...crawl.lastFailure, at: new Date(crawl.lastFailure.at).toISOString() },
    usage: crawl.usage,
    costUsd: costUsd(crawl.usage),
    deletionCostUsd: deletionUsd(crawl),
    model: viewModelSpent(crawl),
    seconds: elapsedMs(crawl) / 1000,
    purpose: crawl.purpose,
    archive: viewArchive(crawl.imported),
    scheduleId: crawl.scheduleId,
    createdAt: new Date(crawl.createdAt).toISOString(),
    finishedAt: isoOrNull(crawl.finishedAt),
    watching:
      crawl.options.watch === null
        ? null
        : {
            since: isoOrNull(crawl.watchingSince),
            changes: crawl.changes,
            monthCostUsd: Math.max(0, costUsd(crawl.usage) - costUsd(crawl.usageBeforeMonth)),
            visits: crawl.visits,
            visitsAskedAt: isoOrNull(crawl.visitsAskedAt),
            removed: viewRemoved(crawl.removed),
            leastEveryS: leastEveryS(crawl.counters.completed, hostsOf(crawl), options.politeness),
          },
    options,
  };
}

/** An import is paused until all of its answers are there. */
function isPartOfImport({ purpose, status }: Crawl): boolean {
  return purpose === "import" && status === "paused";
}

function viewArchive(imported: Crawl["imported"]): CrawlView["archive"] {
  if (imported === null) return null;
  return { ...imported, leftOut: imported.leftOut.map((left) => ({ ...left, text: LEFT_OUT[left.reason] })) };
}

/** The number of a crawl's hosts; infinite if it follows links to hosts that are not listed. */
function hostsOf({ hosts, options: { includeExternalLinks, includeSubdomains } }: Crawl): number {
  return includeExternalLinks || includeSubdomains ? Number.POSITIVE_INFINITY : hosts.length;
}

/** A watch counts the time of its first crawl. */
function elapsedMs({ startedAt, pausedAt, pausedMs, updatedAt, finishedAt, watchingSince }: Crawl): number {
  return startedAt === null
    ? 0
    : Math.max(0, (watchingSince ?? finishedAt ?? pausedAt ?? updatedAt) - startedAt - pausedMs);
}

export const crawlDetail = crawlView.extend({
  sitemaps: objectOf({
    read: count.describe("Number of sitemaps that were read."),
    open: count.describe("Number of sitemaps that are not read yet. None is read while the crawl knows enough URLs."),
    failed: count.describe("Number of sitemaps that could not be read."),
    listed: count.describe("Number of URLs that they list, including other sitemaps."),
    problems: listOf({
      url: z.string().describe("The URL of the sitemap."),
      explanation: z.string().describe("What went wrong."),
    }).describe("Some of the sitemaps that could not be read, or not completely."),
  }).describe("The crawl's sitemaps."),
  troubledHosts: listOf({
    host: z.string().describe("The host name."),
    since: time.describe("When it began."),
    lost: count.describe(
      "Number of visits, today and yesterday, that lost their page: it was missing or moved, failed, or stood behind a wall.",
    ),
    visits: count.describe("Number of all visits of these days."),
    why: z.string().nullable().describe("What was found at one of its pages, in words. null: it was not noted."),
  }).describe(
    "Hosts of a watch where so many pages are lost at once that the host is in trouble. What their pages say is held back until it lasts.",
  ),
  troubledPages: listOf({
    url: z.string().describe("The page."),
    since: time.describe("When its third failed visit in a row was."),
    why: z.string().describe("What its visits find, in words."),
  }).describe("Some of the pages of a watch that keep failing while their host is well. What was kept of them stays."),
  watchesBeside: z
    .array(z.uuid())
    .describe(
      "Ids of other watches with the same seeds that go on. Each asks the hosts for itself, and tells all for itself.",
    ),
  refused: listOf({
    reason: z.enum(Object.keys(REFUSALS) as Refusal[]).describe("Why scope refused them."),
    text: z.string().describe("The reason in words."),
    count: count.describe("Number of links."),
    examples: z.array(z.string()).describe("Some of the links."),
  }).describe("Links that scope refused, by reason."),
  fullHosts: z
    .array(z.string())
    .describe(
      "Hosts that have given as many pages as `limitPerHost` allows; the first ones. Their other URLs are skipped.",
    ),
  slowed: listOf({
    pattern: z.string().describe("The URLs, as a pattern that `options.excludePatterns` takes."),
    pages: count.describe("Pages of it that were read and judged."),
    quiet: count.describe("How many of the last ones in a row said nothing new."),
    held: count.describe("URLs of it that are not fetched: found links, and queued URLs that ended as `skipped`."),
  }).describe(
    "Patterns that are slowed to one in 50 URLs, because their last 200 pages said nothing new. One that says something new has its full speed again.",
  ),
});
export type CrawlDetail = z.output<typeof crawlDetail>;

/** For hosts, and for pages. */
export function viewTroubles<T extends HostTrouble | PageTrouble>(troubles: T[]) {
  return troubles.map(({ since, ...trouble }) => ({ ...trouble, since: new Date(since).toISOString() }));
}

export function viewSitemaps({ problems, ...counts }: SitemapReport): CrawlDetail["sitemaps"] {
  const explain = (reason: Reason | null, detail: string | null) =>
    reason === null ? (detail ?? "") : explanationOf(reason, detail);
  return {
    ...counts,
    problems: problems.map(({ url, reason, detail }) => ({ url, explanation: explain(reason, detail) })),
  };
}

export function viewRefusals(refusals: Omit<CrawlDetail["refused"][number], "text">[]): CrawlDetail["refused"] {
  return refusals.map((refusal) => ({ ...refusal, text: sentenceOfRefusal(REFUSALS[refusal.reason]) }));
}

export const sentenceOfRefusal = (refusal: (typeof REFUSALS)[Refusal]) => `the link ${refusal}`;

export const startedView = objectOf({
  id: z.uuid().describe("The id of the new crawl."),
  webhookSecret: secretField.optional(),
});

export const watchesBesideMessages = z
  .array(z.string())
  .describe("For a watch, a sentence for each other one with the same seeds that goes on.");

export const retryView = objectOf({
  retried: count.describe("Number of URLs that are queued again."),
  crawl: crawlView.describe("The crawl."),
});

export const deletionView = objectOf({
  id: z.uuid().describe("The id of the crawl."),
  done: z.boolean().describe("Whether the deletion is complete."),
  waitsUntil: time
    .nullable()
    .describe("Deletion starts at this time, because pages in flight may still arrive. null: it has started."),
  costUsd: cost
    .nullable()
    .describe(
      "What the whole deletion costs at most, at Cloudflare's list prices. null in the answer to a further call.",
    ),
});
export type DeletionView = z.output<typeof deletionView>;

export const hostView = objectOf({
  host: z.string().describe("The host name without a port: all ports share one delay."),
  queued: count.describe(
    "Number of the crawl's URLs that are about to be fetched. Of a crawl with more than 100,000 URLs on several hosts, those among the first URLs of each host: at least so many.",
  ),
  delayMs: z.number().min(0).describe("Delay between two requests since the last answer, in milliseconds."),
  connections: count.nullable().describe("Connections to the host at once that the crawl gets. null: not known."),
  ownership: z.string().nullable().describe("Whether the host is shown to be one's own, in words. null: not known."),
  crawlDelayMs: z.number().nullable().describe("Crawl-delay of robots.txt, in milliseconds."),
  failures: count.describe("Number of failures in a row."),
  busy: z.boolean().describe("Whether some crawl is fetching from the host now."),
  before: z.array(z.string()).describe("The ids of the crawls that have a turn before this one, in order."),
  nextAt: time.nullable().describe("No request starts before this time. null: a request may start now."),
  waitingSince: time.nullable().describe("Since when the host is waiting. null: it keeps its usual delay."),
  why: z.string().describe("What it waits for, in words."),
  samePages: listOf({
    part: z
      .string()
      .describe("The part of a URL: `?name` is a parameter, `;name` one of a path segment, `/name/` a path segment."),
    scope: z.string().describe("The paths for which the rule holds: a folder, with `#` for numbers, or a script."),
    state: z
      .enum(["learning", "in use", "withdrawn"])
      .describe("Whether URLs with the part are refused as `same-page`: only while it is in use."),
    same: count.describe("Pages that were the same without the part."),
    different: count.describe("Pages that were not."),
    confidence: z.number().min(0).max(1).describe("The share of the first in both."),
    samples: count.describe(
      "Pages that the rule predicted, and that were compared with their form without the part or redirect to it.",
    ),
    values: z.array(z.string()).describe("Values of the part that were seen, at most 8."),
    examples: z.array(z.array(z.string())).describe("Pairs of URLs that show the same page."),
    withdrawnBy: z.string().nullable().describe("The page that the part did change after the rule was in use."),
  }).describe("Parts of URLs that the crawl has learned about: those that never change the page."),
});
export type HostView = z.output<typeof hostView>;

export function viewHost({ until, since, ...rest }: CrawlHost, now: number): HostView {
  return { ...rest, nextAt: until > now ? isoOrNull(until) : null, waitingSince: isoOrNull(since) };
}
