import { readForeignResponse } from "../../archive/foreign-response.ts";
import { type SplitRecord, splitRecords } from "../../archive/split-records.ts";
import type { Truncation } from "../../crawl/truncation.ts";
import type { ArchivedCapture } from "../../frontier/imports/import-answers.ts";
import { canonicalize, MAX_URL_LENGTH } from "../../url/canonicalize.ts";
import { RequestProblem } from "../requests/request-problem.ts";
import { MAX_ANSWERS } from "./import-schemas.ts";

/**
 * Reads the answers of a request: response records of WARC, not compressed. A metadata record after one says how its
 * URL was found, in the fields of the standard (`via`, `hopsFromSeed`).
 */

/** Each URL once: the first answer counts. Throws RequestProblem for what is no such record. */
export async function readRecords(body: Uint8Array): Promise<ArchivedCapture[]> {
  const captures = new Map<string, ArchivedCapture>();
  let last: ArchivedCapture | null = null;
  for await (const record of splitRecords([body], () => Number.POSITIVE_INFINITY)) {
    if ("malformed" in record) throw invalid(record.malformed);
    if (!record.isWhole) throw invalid("the last record breaks off");
    const type = record.fields.get("warc-type");
    if (type === "metadata" && last !== null) Object.assign(last, foundBy(record));
    if (type !== "response") continue;
    last = toCapture(record);
    if (captures.has(last.url)) continue;
    captures.set(last.url, last);
    if (captures.size > MAX_ANSWERS) throw invalid(`more than ${MAX_ANSWERS} answers`);
  }
  return [...captures.values()];
}

function toCapture({ fields, block }: SplitRecord): ArchivedCapture {
  const target = fields.get("warc-target-uri") ?? "";
  const url = canonicalize(target.replace(/^<(.*)>$/, "$1"));
  if (url === null || url.length > MAX_URL_LENGTH) throw invalid(`no URL of a page: ${target.slice(0, 200)}`);
  const date = Date.parse(fields.get("warc-date") ?? "");
  if (Number.isNaN(date)) throw invalid(`no WARC-Date for ${url}`);
  const response = readForeignResponse(block);
  if (response === null) throw invalid(`no HTTP answer for ${url}`);
  const { payload: body, ...head } = response;
  return { url, via: null, hops: null, answer: { ...head, body, date, truncated: truncationOf(fields) } };
}

function truncationOf(fields: SplitRecord["fields"]): Truncation | null {
  const said = fields.get("warc-truncated");
  if (said === undefined) return null;
  return said === "disconnect" || said === "time" ? "disconnect" : "unspecified";
}

function foundBy({ block }: SplitRecord): Partial<ArchivedCapture> {
  const text = new TextDecoder().decode(block);
  const via = /^via:[ \t]*(\S+)/im.exec(text)?.[1];
  const hops = /^hopsFromSeed:[ \t]*([A-Z]{0,1000})/m.exec(text)?.[1];
  const from = via === undefined ? null : canonicalize(via);
  return { ...(from === null ? {} : { via: from }), ...(hops === undefined ? {} : { hops }) };
}

function invalid(what: string): RequestProblem {
  return new RequestProblem("invalid-request", `The body has to be WARC records: ${what}.`);
}
