import type { CrawlDetail, Health } from "../../api/views.ts";
import { bytes, count, duration, plural, short, spentInWords, state } from "../../core/shown-values.ts";
import { BASIC_HEADER } from "../flags/seed-url.ts";
import type { Client } from "../installation/client.ts";
import type { Installation } from "../installation/installation.ts";
import { describeHeldBack } from "./describe-held-back.ts";
import { describeVisits } from "./describe-visits.ts";
import { describeDryRun } from "./dry-run.ts";
import { pagesOf } from "./terminal-text.ts";

/** The result of a crawl, for people and for programs. */

export interface Summary {
  id: string;
  status: string;
  total: number;
  finished: number;
  /** Pages and assets. */
  completed: number;
  disallowed: number;
  skipped: number;
  errored: number;
  cancelled: number;
  /** Completed assets. */
  assets: number;
  /** Completed pages that look empty without scripts, and that no browser drew. */
  shells: number;
  /** Completed pages that a browser drew. */
  rendered: number;
  /** Completed pages that are relevant to the subject; null without a subject. */
  relevant: number | null;
  bytes: number;
  /** From the first request to the last commit, without pauses. */
  seconds: number;
  /** Patterns that were slowed because they say nothing new, with the number of their URLs that were not fetched. */
  slowed: { pattern: string; held: number }[];
}

export function summarize(crawl: CrawlDetail): Summary {
  const { id, status, total, finished, counts, shells, rendered, bytes, seconds } = crawl;
  const { completed, disallowed, skipped, errored, cancelled } = counts;
  const assets = crawl.assets.completed;
  const numbers = { total, finished, completed, disallowed, skipped, errored, cancelled, assets, shells, rendered };
  const slowed = (crawl.slowed ?? []).map(({ pattern, held }) => ({ pattern, held }));
  return { id, status, ...numbers, relevant: crawl.relevant, bytes, seconds, slowed };
}

const MAX_EXPLAINED = 5;
export const UNAUTHORIZED = 401;
export const LOG_IN = `401 asks for a log-in: --header 'Authorization: Bearer TOKEN' sends a token to the seeds' hosts, and ${BASIC_HEADER} a name and a password.`;
/** The status of a crawl that `--until` has ended. */
export const EXHAUSTED = "cancelled_due_to_limits";

/**
 * A crawl on this machine costs nothing. What it would cost elsewhere says something from so many pages on, or where it
 * has a limit.
 */
const PRICED_PAGES = 1_000;

/** Lines for people: the counts, the links that scope refused, and why URLs failed. */
export async function describe(
  crawl: CrawlDetail,
  { client, logs }: Pick<Installation, "client" | "logs">,
): Promise<string[]> {
  const lines = crawl.options.dryRun ? await describeDryRun(crawl, client) : describeCounts(crawl);
  lines.push(...describeRelevance(crawl), ...describeShells(crawl), ...describeModel(crawl));
  const isPriced = logs === null || pagesOf(crawl) >= PRICED_PAGES || crawl.options.maxCostUsd > 0;
  if (crawl.costUsd > 0 && isPriced) lines.push(`  ${describeCost(crawl)}`);
  if (crawl.watching?.since != null) {
    const [visits, month] = await Promise.all([client.visits(crawl.id), client.month(crawl.id)]);
    lines.push(...describeVisits(crawl, visits, isPriced), ...describeHeldBack(month));
  }
  for (const id of crawl.watchesBeside ?? []) lines.push(`  The watch ${id} has the same seeds and goes on, too.`);
  if (crawl.waitingFor !== null) lines.push(`  Waiting: ${crawl.waitingFor}.`);
  lines.push(...describeSitemaps(crawl));
  for (const { reason, count: links, examples } of crawl.refused) {
    lines.push(`  ${plural(links, "link")} not followed (${reason}), such as ${examples[0]}`);
  }
  lines.push(...describeFullHosts(crawl), ...describeSlowed(crawl));
  lines.push(...(await explainFailures(crawl, client)));
  return lines;
}

function describeCounts(crawl: CrawlDetail): string[] {
  const { counts, assets, seconds } = crawl;
  const pages = pagesOf(crawl);
  const rate = seconds > 0 && pages > 0 ? `, ${short(pages / seconds)} pages/s` : "";
  const completed = `${plural(pages, "page")}${assets.completed > 0 ? ` and ${plural(assets.completed, "asset")}` : ""}`;
  const lines = [
    `${capitalize(state(crawl.status))}: ${completed}${counts.completed > 0 ? ` (${bytes(crawl.bytes)}) in ${duration(seconds)}${rate}` : ""}.`,
  ];
  const others = (["disallowed", "skipped", "errored", "cancelled", "queued"] as const).filter(
    (status) => counts[status] > 0,
  );
  if (others.length > 0) {
    lines.push(
      `Of ${plural(crawl.total, "URL")}: ${others.map((status) => `${count(counts[status])} ${status}`).join(", ")}.`,
    );
  }
  return lines;
}

/** How many pages were on the subject, and whether the crawl ended because there were too few. */
function describeRelevance(crawl: CrawlDetail): string[] {
  const { relevant, options, status } = crawl;
  if (relevant === null) return [];
  const pages = pagesOf(crawl);
  const share = pages === 0 ? "" : ` (${percent(relevant / pages)})`;
  const counted = `  ${count(relevant)} of ${plural(pages, "page")}${share} relevant to the subject.`;
  if (status !== EXHAUSTED) return [counted];
  return [counted, `  It ended because fewer than ${percent(options.until)} of the last 200 pages were relevant.`];
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}

/** Pages whose text may be missing, and what to type. */
function describeShells({ shells, rendered, options }: CrawlDetail): string[] {
  const drawn = rendered > 0 ? [`  ${plural(rendered, "page")} drawn by a browser.`] : [];
  if (shells === 0) return drawn;
  const looks = shells === 1 ? "page looks" : "pages look";
  const advice =
    options.render === "never"
      ? "--render auto draws them in a browser"
      : "there is no browser, or it changed nothing on pages like them";
  return [...drawn, `  ${count(shells)} ${looks} empty without scripts, so text may be missing: ${advice}.`];
}

/** What the crawl has spent on its model. A server of an earlier version does not say. */
export function describeModel({ model }: CrawlDetail): string[] {
  if (model == null || model.calls === 0) return [];
  return [`  Model: ${spentInWords(model)}.`];
}

/** A crawl on this machine is free; this is its cost on Cloudflare. */
function describeCost(crawl: CrawlDetail): string {
  const { costUsd } = crawl;
  const pages = pagesOf(crawl);
  const perMillion = pages > 0 ? `, ${((costUsd / pages) * 1e6).toFixed(2)} USD per million pages` : "";
  return `On Cloudflare: about ${costUsd.toPrecision(2)} USD at list prices${perMillion}.`;
}

/** Whether the page limit for hosts kept a crawl from its own limit, and what to type. */
function describeFullHosts(crawl: CrawlDetail): string[] {
  const { status, options, counts, refused, fullHosts = [] } = crawl;
  const [first, ...others] = fullHosts;
  const isLeft = counts.skipped > 0 || refused.some(({ reason }) => reason === "host-limit");
  if (first === undefined || !isLeft) return [];
  const hosts = others.length === 0 ? first : `${first} and ${plural(others.length, "other host")}`;
  const limit = plural(options.limitPerHost, "page");
  const ended = status === "completed" && pagesOf(crawl) < options.limit;
  return [
    ended
      ? `  It ended before its limit of ${plural(options.limit, "page")}, because ${hosts} had given ${limit}, the page limit per host.`
      : `  ${hosts} had given ${limit}, the page limit per host.`,
    "    To take all of their pages, crawl again with --limit-per-host 0.",
  ];
}

/** Patterns that say nothing new any more, and what to type. A server of an earlier version names none. */
function describeSlowed({ slowed = [] }: Pick<CrawlDetail, "slowed">): string[] {
  if (slowed.length === 0) return [];
  const shown = slowed
    .slice(0, MAX_EXPLAINED)
    .flatMap(({ pattern, pages, quiet, held }) => [
      `  ${pattern}: slowed to one in 50 URLs, because the last ${count(quiet)} of ${plural(pages, "page")} read said nothing new; ${plural(held, "URL")} not fetched.`,
      `    To leave it out: --exclude '${pattern}'`,
    ]);
  return [
    ...shown,
    ...(slowed.length > MAX_EXPLAINED ? ["  ..."] : []),
    "    To fetch all of them, crawl again with --keep-endless.",
  ];
}

export function describeSitemaps({ sitemaps }: CrawlDetail): string[] {
  const { read, open, failed, listed, problems } = sitemaps;
  if (read + open + failed === 0) return [];
  const facts = [
    `${plural(read, "sitemap")} read, listing ${plural(listed, "URL")}`,
    ...(open > 0 ? [`${count(open)} waiting`] : []),
    ...(failed > 0 ? [`${count(failed)} could not be read`] : []),
  ];
  const shown = problems.slice(0, MAX_EXPLAINED).map(({ url, explanation }) => `  ${url}: ${explanation}`);
  return [`  ${facts.join(", ")}.`, ...shown, ...(failed > shown.length ? ["  ..."] : [])];
}

async function explainFailures(crawl: CrawlDetail, client: Client): Promise<string[]> {
  const lines: string[] = [];
  let isClosed = false;
  const told = () => (isClosed ? [...lines, `    ${LOG_IN}`] : lines);
  const statuses =
    crawl.counts.completed === 0 && !crawl.options.dryRun
      ? (["errored", "disallowed", "skipped"] as const)
      : (["errored"] as const);
  for (const status of statuses) {
    if (crawl.counts[status] === 0) continue;
    for await (const { url, explanation, httpStatus } of client.records(crawl.id, { status })) {
      if (lines.length === MAX_EXPLAINED) {
        lines.push("  ...");
        return told();
      }
      lines.push(`  ${url}: ${explanation}`);
      isClosed ||= httpStatus === UNAUTHORIZED;
    }
  }
  return told();
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What reading, schedules and heartbeats have cost: no crawl is billed for it. */
export function describeBill({ since, costUsd }: NonNullable<Health["bill"]>): string {
  return `Reading, schedules and heartbeats: about ${costUsd.toPrecision(2)} USD since ${since.slice(0, 10)}.`;
}

/**
 * How full the database is, or each of several ledgers, and what to do about it. An older installation does not say.
 */
export function describeDatabase({ database, ledgers = [] }: Partial<Pick<Health, "database" | "ledgers">>): string[] {
  if (ledgers.length > 1) return ledgers.flatMap((each) => describeFullness(each.name, each.database));
  return database === undefined ? [] : describeFullness("Database", database);
}

function describeFullness(name: string, database: Health["database"] | null): string[] {
  if (database === null) return [`${name}: does not answer. Its crawls stand still.`];
  const { text, advice } = database;
  return [`${name}: ${text}.`, ...(advice === null ? [] : [`${capitalize(advice)}.`])];
}
