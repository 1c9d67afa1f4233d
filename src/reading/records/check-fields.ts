import type { Crawl } from "../../crawl/crawl.ts";
import type { CrawlOptions } from "../../crawl/crawl-options.ts";
import type { FieldCheck } from "../../crawl/page/field-check.ts";
import type { StoredPage } from "../../crawl/page/outcome.ts";
import type { FetchOnceDeps } from "../../frontier/lane/fetch-once.ts";
import type { FieldRules } from "../../media/html/fields/field-rule.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import type { FieldDeps } from "../needs.ts";
import { fetchUnlisted } from "./fetch-unlisted.ts";

/** Reads fields from one page, to check rules before a crawl: from the mirror, or from the host through its gate. */

interface CheckRequest {
  /** Canonical. */
  url: string;
  /** The rules of a page, whose URL may differ after redirects. */
  rulesOf(url: string): FieldRules;
  /** List what fields may be read from too. */
  propose: boolean;
}

const NOT_HTML = "it is not HTML, and fields are read from HTML alone";

/** Nothing is stored. */
export async function checkFetchedFields(
  request: CheckRequest,
  options: CrawlOptions,
  deps: FieldDeps & FetchOnceDeps,
): Promise<FieldCheck> {
  const { url, httpStatus, page, problem } = await fetchUnlisted({ url: request.url, name: "fields" }, options, deps);
  return page === null ? { url, httpStatus, page, problem } : readPage(url, page, request, deps);
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
