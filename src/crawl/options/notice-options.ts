import type { NewWebhook } from "../watch/notice.ts";
import { special } from "./option.ts";

/** Receivers of notices. The form has none: a webhook is added on a page of its own, which shows its secret. */
export const NOTICE_OPTIONS = {
  webhook: special("--webhook <url>", "webhook", null as NewWebhook | null, {
    sentence: "A webhook that is told of the crawl's events by signed notices.",
    inJson: "Its URL, or an object as in the body of `POST /api/crawls/:id/webhooks`.",
    otherwise: "",
    see: "webhooks.md",
    elsewhere: { firecrawl: "webhook" },
  }),
};
