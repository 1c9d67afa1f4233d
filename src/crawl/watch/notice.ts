import type { Telling, TemplateStyle } from "./notice-style.ts";

/** What people are told of a crawl by webhooks. Times are milliseconds since the Unix epoch. docs/webhooks.md */

/** Events of a crawl, which are the `type` of a message. Only watches have `pages.changed` and `watch.trouble`. */
export const NOTICE_EVENTS = [
  "crawl.started",
  "crawl.page",
  "crawl.completed",
  "crawl.failed",
  "crawl.paused",
  "pages.changed",
  "watch.trouble",
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** Events that only webhooks which name them are told: there is one for each page. */
export const NAMED_EVENTS = ["crawl.started", "crawl.page"] as const satisfies NoticeEvent[];

/** The event of changes, and how many one message has at most. */
export const CHANGES_EVENT: NoticeEvent = "pages.changed";
export const MAX_CHANGES = 100;

/** The event of a digest, which a webhook with digests gets in the place of changes. */
export const DIGEST_EVENT = "pages.digest" as const;

/** The event of a test notice, which every webhook gets. */
export const TEST_EVENT = "webhook.test";

/** A webhook as it is made. */
export interface NewWebhook {
  id: string;
  /** An http or https URL without user name and password. */
  url: string;
  /** Null is all events but NAMED_EVENTS, those of later versions included. */
  events: NoticeEvent[] | null;
  /** Absent: our own form. */
  style?: NoticeStyle;
  /** Absent: each change is told, as it comes. */
  telling?: Telling;
  /** `whsec_` and 24 to 64 bytes in base64. */
  secret: string;
}

/** In another form than our own. */
export type NoticeStyle = FirecrawlStyle | TemplateStyle;

/** A webhook that is told in the form of Firecrawl's API. */
export interface FirecrawlStyle {
  /** The first word of its events. */
  job: "crawl" | "batch_scrape" | "monitor";
  /** Headers of every notice. They may hold a password. */
  headers: Record<string, string>;
  /** Comes back in every notice. */
  metadata: Record<string, string>;
}

/** A webhook without its secret, which only the answer that made it shows. */
export interface Webhook extends Omit<NewWebhook, "secret" | "style" | "telling"> {
  /** Null: our own form. */
  style: NoticeStyle | null;
  telling: Telling | null;
  /** When its next digest is due; null if it gathers none. */
  digestAt: number | null;
  madeAt: number;
  /** When the receiver refused all further notices; null while it gets them. */
  disabledAt: number | null;
  disabledWhy: string | null;
}

/** `sending`: an attempt is under way. `given-up`: no attempt follows by itself. */
export const DELIVERY_STATUSES = ["waiting", "sending", "delivered", "given-up"] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A notice to one webhook. */
export interface Delivery {
  /** The `webhook-id` of every attempt. */
  id: string;
  webhook: string;
  event: NoticeEvent | typeof DIGEST_EVENT | typeof TEST_EVENT;
  status: DeliveryStatus;
  madeAt: number;
  /** Attempts so far, since it was made or last redelivered. */
  attempts: number;
  /** The next attempt; null unless it waits. */
  dueAt: number | null;
  lastAt: number | null;
  /** The status of the last answer; null if there was none. */
  httpStatus: number | null;
  /** Why the last attempt failed, for people. */
  detail: string | null;
}

/** No attempt begins later than this after a notice was made. */
export const GIVE_UP_AFTER_MS = 3 * 86_400_000;

/** A message as it is sent, and the id that all attempts at it have. */
export interface NoticeMessage {
  id: string;
  event: NoticeEvent | typeof DIGEST_EVENT;
  /** JSON. */
  body: string;
}

/**
 * The beginning of the ids of an event's messages. Later ones are greater. `distinction`: what differs between two
 * events of one millisecond.
 */
export function messageId(distinction: number, now: number): string {
  return `msg_${now.toString(16).padStart(12, "0")}${distinction.toString(16).padStart(8, "0")}`;
}
