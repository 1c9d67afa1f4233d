import type { Crawl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { FieldCheck } from "../../crawl/page/field-check.ts";
import type { PageResult, StoredPage } from "../../crawl/page/outcome.ts";
import { describeReason } from "../../crawl/page/reason.ts";
import { type FetchOnceDeps, fetchOnce } from "../../frontier/lane/fetch-once.ts";
import type { FieldRules } from "../../media/html/fields/field-rule.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import { hostOf } from "../../url/host-key.ts";
import type { FieldDeps } from "../needs.ts";

/** Reads fields from one page, to check rules before a crawl: from the mirror, or from the host through its gate. */

interface CheckRequest {
  /** Canonical. */
  url: string;
  /** The rules of a page, whose URL may differ after redirects. */
  rulesOf(url: string): FieldRules;
  /** List what fields may be read from too. */
  propose: boolean;
}

const MAX_REDIRECTS = 5;
const NOT_HTML = "it is not HTML, and fields are read from HTML alone";

/** Nothing is stored. Redirects are followed, each through the gate of its host. */
export async function checkFetchedFields(
  request: CheckRequest,
  options: CrawlOptions,
  deps: FieldDeps & FetchOnceDeps,
): Promise<FieldCheck> {
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    // It has no row in the ledger, so gates know it by this name.
    const crawl = { id: "fields", epoch: 0, options: { ...options, urls: [url] }, hosts: [hostOf(url)] };
    const result = await fetchOnce(url, crawl, deps);
    if (result.kind === "redirect" && result.target !== null && redirects < MAX_REDIRECTS) {
      url = result.target;
      continue;
    }
    if (result.kind === "page") return readPage(url, result, request, deps);
    const httpStatus = "httpStatus" in result ? result.httpStatus : null;
    return { url, httpStatus, page: null, problem: describeFailure(result) };
  }
}

/** Null if the crawl stores no such page. */
export async function checkStoredFields(
  crawl: Crawl,
  request: CheckRequest,
  deps: FieldDeps,
): Promise<FieldCheck | null> {
  const stored = await readRenderedPage(crawl, request.url, deps);
  return stored === null ? null : readPage(request.url, stored, request, deps);
}

async function readPage(
  url: string,
  {
    body,
    contentType,
    headers,
    httpStatus,
  }: Pick<StoredPage, "body" | "contentType" | "headers"> & { httpStatus: number | null },
  { rulesOf, propose }: CheckRequest,
  deps: Pick<FieldDeps, "readFields">,
): Promise<FieldCheck> {
  const stored = { body, contentType, headers, httpStatus: httpStatus ?? 200 };
  const page = await deps.readFields(stored, { url, rules: rulesOf(url), propose });
  return { url, httpStatus, page, problem: page === null ? NOT_HTML : null };
}

type Failure = Exclude<PageResult, { kind: "page" }> | { kind: "waits" | "denied" };

function describeFailure(result: Failure): string {
  switch (result.kind) {
    case "waits":
      return "its host rests between two requests, or its robots.txt has not been read yet: try again in a moment";
    case "denied":
      return "robots.txt of its host forbids it, or cannot be read";
    case "redirect":
      return result.target === null
        ? `it redirects to ${result.location.slice(0, 200)}, which is no URL that can be fetched`
        : `it redirects more than ${MAX_REDIRECTS} times`;
    case "rejected":
      return describeReason(result);
  }
}
