import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { PageFetched, PageResult } from "../../crawl/page/outcome.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import { reasonToLeave } from "../../crawl/page/reason-to-leave.ts";
import type { Secrets } from "../../fetch/answer/answer.ts";
import { ASKS_NOTHING, type PageWants } from "../../fetch/request/page-request.ts";
import { strictest } from "../../frontier/batch/admit.ts";
import type { NoLane } from "../../frontier/lane/ask-for-lane.ts";
import { type FetchOnceDeps, fetchOnce } from "../../frontier/lane/fetch-once.ts";
import { rightsOf } from "../../frontier/lane/host-rights.ts";
import { UNREAD } from "../../host/robots-verdict.ts";
import { productToken } from "../../robots/product-token.ts";
import { hostKey, hostOf, originOf } from "../../url/host-key.ts";
import { waitingOf } from "../explain/waiting.ts";

/** Fetches one page for a request, which stores nothing. Redirects are followed, each through the gate of its host. */

/** `page`: null if it could not be fetched, and `problem` says why, for people. */
export type Unlisted =
  | { url: string; httpStatus: number | null; page: PageFetched; problem: null }
  | { url: string; httpStatus: number | null; page: null; problem: string };

const MAX_REDIRECTS = 5;
/**
 * How long somebody waits for a host that rests, in milliseconds: as it does after a slow visit (`maxDelayMs`), such as
 * that of a log-in, and a little more.
 */
const PATIENCE_MS = 45_000;

/** `name`: by which gates know the request, as it has no row in the ledger. `secretsFor`: absent for none. */
export async function fetchUnlisted(
  asked: { url: string; name: string; wants?: PageWants; secretsFor?: (url: string) => Secrets },
  options: CrawlOptions,
  deps: FetchOnceDeps,
): Promise<Unlisted> {
  let { url } = asked;
  for (let redirects = 0; ; redirects++) {
    const crawl = { id: asked.name, epoch: 0, options: { ...options, urls: [url] }, hosts: [hostOf(url)] };
    const { wants = ASKS_NOTHING, secretsFor } = asked;
    const terms = { patienceMs: PATIENCE_MS, isNew: true };
    const result = await fetchOnce(url, crawl, deps, { wants, secrets: secretsFor?.(url), ...terms });
    if (result.kind === "redirect" && result.target !== null && redirects < MAX_REDIRECTS) {
      url = result.target;
      continue;
    }
    const httpStatus = "httpStatus" in result ? result.httpStatus : null;
    if (result.kind === "waits")
      return {
        url,
        httpStatus,
        page: null,
        problem: `${await whyItWaits(url, options, deps)}: try again ${inTime(result.delayMs)}`,
      };
    if (result.kind !== "page") return { url, httpStatus, page: null, problem: describeFailure(result) };
    const leave = reasonToLeave(result);
    if (leave !== null) return { url, httpStatus, page: null, problem: describeReason(leave) };
    return { url, httpStatus, page: result, problem: null };
  }
}

async function whyItWaits(url: string, options: CrawlOptions, deps: FetchOnceDeps): Promise<string> {
  const policy = strictest([options]);
  const asked = { origins: [originOf(url)], agent: productToken(options.userAgent), policy, ...rightsOf(options)(url) };
  const { robots, ...host } = await deps.gate(hostKey(url)).status(asked);
  return waitingOf(host, robots[0] ?? UNREAD).why;
}

type Failure = Exclude<PageResult | NoLane, { kind: "page" | "waits" }>;

function describeFailure(result: Failure): string {
  switch (result.kind) {
    case "redirect":
      return result.target === null
        ? `it redirects to ${result.location.slice(0, 200)}, which is no URL that can be fetched`
        : `it redirects more than ${MAX_REDIRECTS} times`;
    case "denied":
    case "rejected":
      return describeReason(result);
  }
}

function inTime(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds <= 1 ? "in a moment" : `in ${seconds} s`;
}
