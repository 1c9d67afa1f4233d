import { intervalInWords } from "../../core/interval.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { FirecrawlStyle, Webhook } from "../../crawl/watch/notice.ts";
import { isoOrNull } from "../requests/fields.ts";
import type { MonitorView } from "./monitor-answers.ts";
import { type Check, currentCheck, summarize } from "./monitor-checks.ts";
import { cronOfEveryS } from "./monitor-schedule.ts";
import type { MonitorDeps } from "./needs.ts";

/** Shows a watch as a monitor. */

export async function viewMonitor(crawl: Crawl, deps: MonitorDeps): Promise<MonitorView> {
  const { id, options, status, createdAt, updatedAt, watchingSince } = crawl;
  const everyS = options.watch?.everyS ?? 0;
  const cron = cronOfEveryS(everyS);
  const [check, webhook] = await Promise.all([currentCheck(crawl, deps), findWebhook(id, deps)]);
  const isPaused = status === "paused";
  return {
    id,
    name: options.name || (options.urls[0] ?? ""),
    status: isPaused ? "paused" : "active",
    schedule: { ...(cron === null ? {} : { cron }), text: `every ${intervalInWords(everyS)}`, timezone: "UTC" },
    nextRunAt: isPaused || watchingSince === null ? null : new Date(check.until).toISOString(),
    lastRunAt: isoOrNull(check.from),
    currentCheckId: check.status === "running" && !isPaused ? String(check.from) : null,
    targets: viewTargets(crawl),
    webhook,
    notification: null,
    retentionDays: options.watch?.keepDays ?? null,
    estimatedCreditsPerMonth: 0,
    lastCheckSummary: await summarize(crawl, check, deps),
    goal: null,
    judgeEnabled: false,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}

/** A crawl that follows no links has the pages that are named. */
function viewTargets({ options: { urls, depth, limit, formats } }: Crawl): MonitorView["targets"] {
  const scrapeOptions = { formats: [...formats] };
  if (depth === 0) return [{ id: "0", type: "scrape", urls, scrapeOptions }];
  const crawlOptions = { limit, maxDiscoveryDepth: depth };
  return urls.map((url, i) => ({ id: String(i), type: "crawl", url, crawlOptions, scrapeOptions }));
}

/** The webhooks of a crawl that are told in the form of a monitor. */
export async function monitorWebhooks(
  id: string,
  { webhooks }: Pick<MonitorDeps, "webhooks">,
): Promise<(Webhook & { style: FirecrawlStyle })[]> {
  return (await webhooks.list(id)).flatMap(({ style, ...webhook }) =>
    style !== null && "job" in style && style.job === "monitor" ? [{ ...webhook, style }] : [],
  );
}

async function findWebhook(id: string, deps: MonitorDeps): Promise<MonitorView["webhook"]> {
  const [webhook] = await monitorWebhooks(id, deps);
  return webhook === undefined
    ? null
    : { url: webhook.url, events: ["monitor.page"], metadata: { ...webhook.style.metadata } };
}

export async function viewCheck(crawl: Crawl, check: Check, deps: MonitorDeps) {
  const { from, until, status, trigger } = check;
  const startedAt = new Date(from).toISOString();
  const now = deps.clock.now();
  const finishedAt = status === "running" ? null : new Date(Math.min(until, now)).toISOString();
  return {
    id: String(from),
    monitorId: crawl.id,
    status,
    trigger,
    scheduledFor: startedAt,
    startedAt,
    finishedAt,
    estimatedCredits: 0 as const,
    reservedCredits: 0 as const,
    actualCredits: 0 as const,
    billingStatus: "not_applicable" as const,
    summary: await summarize(crawl, check, deps),
    error: null,
    createdAt: startedAt,
    updatedAt: finishedAt ?? new Date(now).toISOString(),
  };
}
