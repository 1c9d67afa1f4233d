import * as z from "zod";
import { CHANGES_EVENT, type FirecrawlStyle, type NewWebhook, type NoticeEvent } from "../../crawl/watch/notice.ts";
import { MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { toWebhook, webhookRequest } from "../changes/webhook-schemas.ts";
import { crawlRequest } from "../crawls/crawl-request.ts";
import type { FetchableHosts } from "../crawls/fetchable-host.ts";
import { requestOf } from "../requests/fields.ts";

/** A webhook in Firecrawl's requests: a URL or an object. It is told in their form. */

const EVENTS = ["started", "page", "completed", "failed"] as const;
const MAX_METADATA = 100;

const urlAsWebhook = (given: unknown) => (typeof given === "string" ? { url: given } : given);

/** What a webhook has beside its events. */
const receiver = {
  url: z.string().max(MAX_URL_LENGTH).describe("Where notices are sent: an http or https URL."),
  headers: crawlRequest.shape.headers.describe("HTTP headers of every notice."),
  metadata: z
    .record(z.string().max(200), z.string().max(2_000))
    .refine((given) => Object.keys(given).length <= MAX_METADATA, `it has more than ${MAX_METADATA} names`)
    .default({})
    .describe("Comes back in every notice."),
  secret: webhookRequest.shape.secret,
};

export const firecrawlWebhook = z.preprocess(
  urlAsWebhook,
  requestOf({
    ...receiver,
    events: z
      .array(z.enum(EVENTS))
      .min(1)
      .max(EVENTS.length)
      .default([...EVENTS])
      .describe("The events to tell."),
  }),
);

const MONITOR_EVENT = "monitor.page";
const NO_END = "visits are spread over the interval, so no check has an end that could be told: give monitor.page";

/** The webhook of a monitor. */
export const monitorWebhook = z.preprocess(
  urlAsWebhook,
  requestOf({
    ...receiver,
    events: z
      .array(z.enum([MONITOR_EVENT], NO_END))
      .max(1)
      .default([MONITOR_EVENT])
      .describe("The events to tell: `monitor.page`."),
  }),
);

export type FirecrawlWebhook = z.output<typeof firecrawlWebhook>;

/** Throws RequestProblem if the URL gets no request. */
export function toFirecrawlWebhook(
  { url, events, headers, metadata, secret }: FirecrawlWebhook,
  job: FirecrawlStyle["job"],
  hosts: FetchableHosts,
): NewWebhook {
  const named = events.map((event): NoticeEvent => `crawl.${event}`);
  return {
    ...toWebhook(webhookRequest.parse({ url, events: named, secret }), "webhook", hosts),
    style: { job, headers: inLowerCase(headers), metadata },
  };
}

/** Throws RequestProblem if the URL gets no request. */
export function toMonitorWebhook(
  { url, headers, metadata, secret }: z.output<typeof monitorWebhook>,
  hosts: FetchableHosts,
): NewWebhook {
  return {
    ...toWebhook(webhookRequest.parse({ url, events: [CHANGES_EVENT], secret }), "webhook", hosts),
    style: { job: "monitor", headers: inLowerCase(headers), metadata },
  };
}

/** So that none stands beside one of ours. */
function inLowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
