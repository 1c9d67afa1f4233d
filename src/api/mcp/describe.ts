import type { CrawlView, FindingsView, RecordView } from "../views.ts";
import { oneLine } from "./foreign-text.ts";

/** Crawls, records and findings as lines that a model reads. */

type ShortCrawl = Pick<
  CrawlView,
  "id" | "status" | "urls" | "total" | "finished" | "counts" | "costUsd" | "createdAt"
> & {
  searchable: boolean;
  limit: number;
};

export function describeCrawl(crawl: ShortCrawl): string {
  const [seed = "", ...others] = crawl.urls;
  const seeds = others.length === 0 ? seed : `${seed} and ${countOf(others.length, "other seed")}`;
  const counts = Object.entries(crawl.counts).filter(([, number]) => number > 0);
  return [
    `${crawl.id} ${crawl.status.replaceAll("_", " ")}: ${seeds},`,
    `${crawl.finished} of ${countOf(crawl.total, "URL")} finished`,
    `(${counts.map(([name, number]) => `${number} ${name}`).join(", ") || "none yet"}; page limit ${crawl.limit}),`,
    `started ${crawl.createdAt}, ${crawl.costUsd.toFixed(4)} USD${crawl.searchable ? ", searchable" : ", not searchable"}`,
  ].join(" ");
}

export function describeRecord(record: RecordView): string {
  const { url, status, httpStatus, title, explanation } = record;
  return [
    url,
    status,
    ...(httpStatus === null ? [] : [String(httpStatus)]),
    ...(title === null ? [] : [JSON.stringify(oneLine(title))]),
    ...(explanation === null ? [] : [`(${oneLine(explanation)})`]),
  ].join(" ");
}

export function describeFinding(finding: FindingsView["findings"][number]): string {
  const { page, target, text, hops, detail, change } = finding;
  return [
    page,
    ...(target === undefined ? [] : [`-> ${target}`]),
    ...(hops === undefined ? [] : [`by ${hops.join(" -> ")}`]),
    ...(text === undefined ? [] : [JSON.stringify(oneLine(text))]),
    ...(detail === undefined ? [] : [`(${oneLine(detail)})`]),
    ...(change === "same" ? [] : [`[${change}]`]),
  ].join(" ");
}

/** "200: 40, 404: 2", the most first. */
export function describeTally(tally: Record<string, number>): string {
  const entries = Object.entries(tally).sort(([, a], [, b]) => b - a);
  return entries.map(([name, number]) => `${name}: ${number}`).join(", ") || "none";
}

export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The sentence that names the next page of a list. */
export function more(cursor: string | null, what: string): { foot?: string } {
  return cursor === null ? {} : { foot: `${what}: the same call with cursor=${cursor}` };
}
