import type { CrawlView, FindingsView, RecordView } from "../views.ts";
import { oneLine } from "./foreign-text.ts";
import { countOf, cursorWord, joinOwn, type Own, own, spaced, word } from "./own-words.ts";

/** Crawls, records and findings as lines that a model reads. Those of the type `string` have words of sites. */

type ShortCrawl = Pick<
  CrawlView,
  "id" | "status" | "urls" | "total" | "finished" | "counts" | "costUsd" | "createdAt"
> & {
  searchable: boolean;
  limit: number;
};

export function describeCrawl(crawl: ShortCrawl): Own {
  const { id, status, finished, total, createdAt, costUsd, searchable } = crawl;
  const names = Object.keys(crawl.counts) as (keyof ShortCrawl["counts"])[];
  const counts = names.filter((name) => crawl.counts[name] > 0).map((name) => own`${crawl.counts[name]} ${name}`);
  return joinOwn(
    [
      own`${word(id)} ${spaced(status)}:`,
      own`${finished} of ${countOf(total, own`URL`)} finished`,
      own`(${counts.length === 0 ? own`none yet` : joinOwn(counts, ", ")}; page limit ${crawl.limit}),`,
      own`started ${word(createdAt)}, ${word(costUsd.toFixed(4))} USD, ${searchable ? "searchable" : "not searchable"}`,
    ],
    " ",
  );
}

export function describeSeeds([seed = "", ...others]: readonly string[]): string {
  return others.length === 0 ? seed : `${seed} and ${countOf(others.length, own`other seed`)}`;
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
    ...(change === null || change === "still" ? [] : [`[${change}]`]),
  ].join(" ");
}

/** "200: 40, 404: 2", the most first. */
export function describeTally(tally: Record<string, number>): string {
  return (
    sorted(tally)
      .map(([name, number]) => `${name}: ${number}`)
      .join(", ") || "none"
  );
}

/** The same where the names are ours. */
export function describeOwnTally(tally: Record<string, number>): Own {
  const entries = sorted(tally).map(([name, number]) => own`${word(name)}: ${number}`);
  return entries.length === 0 ? own`none` : joinOwn(entries, ", ");
}

function sorted(tally: Record<string, number>): [name: string, number: number][] {
  return Object.entries(tally).sort(([, a], [, b]) => b - a);
}

/** The sentence that names the next page of a list. */
export function more(cursor: string | null, what: Own): { foot?: Own } {
  return cursor === null ? {} : { foot: own`${what}: the same call with cursor=${cursorWord(cursor)}` };
}
