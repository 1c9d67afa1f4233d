import type { CrawlDetail, VisitsView } from "../../api/views.ts";
import { everyInWords, intervalInWords, roughInterval } from "../../core/interval.ts";
import { bytes, count, minuteOf, plural } from "../../core/shown-values.ts";

/**
 * A watch for people: how fresh it is, what it found, what it visits next, and which hosts and pages are in trouble.
 */

const MAX_TROUBLED = 5;

/** Lines for a crawl that visits its pages again, or did so. `isPriced`: whether they say what the month costs. */
export function describeVisits(
  crawl: CrawlDetail,
  { freshness, next, changes }: VisitsView,
  isPriced: boolean,
): string[] {
  const { watching, options, troubledHosts, troubledPages, status } = crawl;
  const everyS = options.watch?.everyS ?? 0;
  const since = watching?.since?.slice(0, 10) ?? "";
  const mean = options.watch?.fixed ? "" : " on average";
  const limit = options.maxCostUsd > 0 ? `, of at most ${options.maxCostUsd} USD` : "";
  const lines = [
    ...describePace(everyS, watching?.leastEveryS ?? 0),
    `Watched since ${since}, each page ${everyInWords(everyS)}${mean}: ${listOf("visit", watching?.visits ?? {})}.`,
    `${listOf("change", changes)}.`,
    ...(watching?.removed == null ? [] : [describeRemoved(watching.removed, options.watch?.keepDays)]),
    ...(freshness === null ? [] : describeFreshness(freshness, everyS)),
    ...(isPriced
      ? [`This month: about ${(watching?.monthCostUsd ?? 0).toPrecision(2)} USD at Cloudflare's list prices${limit}.`]
      : []),
    ...troubledHosts
      .slice(0, MAX_TROUBLED)
      .map(
        ({ host, since: from, lost, visits, why }) =>
          `In trouble since ${minute(from)}: ${host}, where ${count(lost)} of ${plural(visits, "visit")} lost their page${why === null ? "" : ` (${why})`}.`,
      ),
    ...troubledPages
      .slice(0, MAX_TROUBLED)
      .map(({ url, since: from, why }) => `Failing since ${minute(from)}: ${url}, ${why}.`),
  ];
  const planned = status === "watching" ? next : [];
  if (planned.length > 0) lines.push("Next visits:");
  return [...lines, ...planned.map(({ url, at, why }) => `  ${minute(at)}  ${url}  ${why}`)].map((line) => `  ${line}`);
}

function describeRemoved(
  { versions, visits, changes, bytes: size, until }: NonNullable<NonNullable<CrawlDetail["watching"]>["removed"]>,
  keepDays: number | undefined,
): string {
  const keep = keepDays === undefined ? "" : ` (--keep ${keepDays}d)`;
  const parts = [plural(versions, "version"), plural(visits, "visit record"), plural(changes, "change")];
  return `Removed what is older than ${until.slice(0, 10)}${keep}: ${parts.join(", ")}; ${bytes(size)} of packs.`;
}

function describePace(everyS: number, leastEveryS: number): string[] {
  if (everyS >= leastEveryS) return [];
  return [
    `The pace of its hosts does not allow a visit of each page ${everyInWords(everyS)}: pages are visited later. Give --every ${Math.ceil(leastEveryS / 3_600)}h or longer, watch fewer pages, or, if the hosts are yours, a shorter --delay.`,
  ];
}

function describeFreshness(freshness: NonNullable<VisitsView["freshness"]>, everyS: number): string[] {
  const { surveyedAt, pages, withinInterval, medianAgeS, oldestVisitAt, lastVisitAt, dueNow } = freshness;
  if (pages === 0 || medianAgeS === null || oldestVisitAt === null || lastVisitAt === null) return [];
  const oldestS = (Date.parse(surveyedAt) - Date.parse(oldestVisitAt)) / 1000;
  const share = `${count(withinInterval)} of ${plural(pages, "page")} seen within ${intervalInWords(everyS)}`;
  return [
    `At ${minute(surveyedAt)}: ${share}, half of all within ${roughInterval(medianAgeS)}, the oldest ${roughInterval(oldestS)} ago; ${count(dueNow)} due. Last visit: ${minute(lastVisitAt)}.`,
  ];
}

/** "3 visits (2 not-modified, 1 changed)". */
function listOf(noun: string, counts: Record<string, number | undefined>): string {
  const given = Object.entries(counts).filter(([, n]) => (n ?? 0) > 0);
  const all = given.reduce((sum, [, n]) => sum + (n ?? 0), 0);
  const list = given.map(([name, n]) => `${count(n ?? 0)} ${name}`).join(", ");
  return `${plural(all, noun)}${list === "" ? "" : ` (${list})`}`;
}

/** In UTC, to the minute. */
function minute(time: string): string {
  return minuteOf(time);
}
