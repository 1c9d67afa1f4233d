import type { Command } from "commander";
import type { CrawlDetail } from "../api/views.ts";
import { fullDisk } from "./disk.ts";
import { UserError } from "./errors.ts";
import { type Followed, follow } from "./follow.ts";
import { type Installation, type WhereOptions, withInstallation } from "./installation.ts";
import { prepareOut, writeOut } from "./out.ts";
import { quietProgress, showProgress } from "./progress.ts";
import { collect, decimal, natural, pastTime, whereOptions } from "./shared-options.ts";
import { describe, summarize } from "./summary.ts";
import { pagesOf, plural, printable } from "./terminal-text.ts";

/** `orbweaver crawl` and `orbweaver resume`: start or go on, watch to the end, write what was kept. */

const DEFAULT_LIMIT = 1_000;
/** What a copy for oneself comes nearest to. Whoever feeds a model with it is to say so. */
const DEFAULT_PURPOSE = "search";
const DEFAULT_CONTENT_USE = "reference";

export interface CrawlFlags {
  limit?: number;
  depth?: number;
  include: string[];
  exclude: string[];
  prefer: string[];
  source?: string;
  scriptLinks?: boolean;
  assets?: boolean;
  subdomains?: boolean;
  external?: boolean;
  delay?: number;
  concurrency?: number;
  userAgent?: string;
  header: string[];
  maxAttempts?: number;
  timeout?: number;
  search?: boolean;
  ignorePageRobots?: boolean;
  purpose: string[];
  contentUse?: string;
  maxUrlLength?: number;
  maxPathDepth?: number;
  maxRepeatedSegments?: number;
  maxVariants?: number;
  maxChain?: number;
  maxDuplicates?: number;
  maxCost?: number;
  retentionDays?: number;
  markdown?: boolean;
  store?: string;
}

interface StartFlags extends CrawlFlags {
  dryRun?: boolean;
  /** Seconds since the Unix epoch. */
  modifiedSince?: number;
}

export interface OutputFlags extends WhereOptions {
  out?: string;
  json?: boolean;
}

/** The options that say what to crawl; `schedule add` takes the same. */
export function crawlOptions(command: Command): Command {
  return command
    .option("--limit <n>", `stop after N completed pages (default: ${DEFAULT_LIMIT})`, natural(1))
    .option("--depth <n>", "follow links at most N steps from a seed; 0 is the seeds alone", natural(0))
    .option("--include <glob>", "take only URLs that match (* stops at /, ** crosses it); may be repeated", collect, [])
    .option("--exclude <glob>", "leave out URLs that match, whatever --include says; may be repeated", collect, [])
    .option("--prefer <glob>", "take URLs that match first; may be repeated", collect, [])
    .option("--source <kind>", "where URLs come from, besides the seeds: all, links or sitemaps (default: all)")
    .option("--script-links", "take URLs that stand in scripts, JSON-LD and data-* attributes for links too")
    .option("--assets", "keep the images, styles, scripts and fonts of pages too, also from other hosts")
    .option("--subdomains", "take subdomains of the seeds' hosts too")
    .option("--external", "take other hosts too")
    .option(
      "--delay <seconds>",
      "rest of a host between two requests (default: 1, more for slow hosts; 0 is for your own machines)",
      decimal,
    )
    .option("--concurrency <n>", "connections to one host at once (default: 1)", natural(1))
    .option(
      "--user-agent <ua>",
      "how the crawl presents itself; its first product token is what robots.txt rules apply to",
    )
    .option(
      "--header <name:value>",
      "send this header to the seeds' own origins, and to no other; may be repeated",
      collect,
      [],
    )
    .option("--max-attempts <n>", "tries of a URL before it is given up (default: 3)", natural(1))
    .option("--timeout <seconds>", "time for one page (default: 30)", decimal)
    .option("--search", "index what the pages say, for `orbweaver search`")
    .option(
      "--purpose <name>",
      "what the pages are for: search, ai-input or ai-train; sites may refuse it in robots.txt; may be repeated (default: search)",
      collect,
      [],
    )
    .option(
      "--content-use <level>",
      "how much of a page is used: reference (index, quote, link back) or full (default: reference)",
    )
    .option(
      "--ignore-page-robots",
      "take no notice of noindex and nofollow in pages; robots.txt is obeyed all the same",
    )
    .option("--max-url-length <n>", "leave out longer URLs (default: 2048)", natural(1))
    .option("--max-path-depth <n>", "leave out URLs of more path segments (default: 20)", natural(1))
    .option(
      "--max-repeated-segments <n>",
      "leave out URLs that repeat path segments more often (default: 2)",
      natural(1),
    )
    .option("--max-variants <n>", "URLs that differ in numbers or query values alone (default: 10000)", natural(1))
    .option("--max-chain <n>", "steps from one such variant to the next (default: 100)", natural(1))
    .option("--max-duplicates <n>", "pages of the same content whose links are followed (default: 2)", natural(1))
    .option(
      "--max-cost <usd>",
      "pause the crawl when it has cost about so much at Cloudflare's prices, on this machine too (default: 0, never)",
      decimal,
    )
    .option(
      "--store <kind>",
      "how pages are kept: warc (packed, many to an object) or files (an object for each) (default: files on this machine, warc elsewhere)",
    )
    .option("--markdown", "make Markdown of each page's content; --out writes it beside the page")
    .option("--retention-days <n>", "delete the crawl N days after its end (default: 0, never)", natural(0));
}

/** The API's words for the flags. Absent flags stay absent, so that the API's defaults hold. */
export function toRequest(urls: string[], flags: CrawlFlags): Record<string, unknown> {
  const politeness = {
    ...(flags.delay === undefined ? {} : { minDelayMs: Math.round(flags.delay * 1000) }),
    ...(flags.concurrency === undefined ? {} : { maxConcurrencyPerHost: flags.concurrency }),
  };
  return {
    urls: urls.map(withScheme),
    limit: flags.limit ?? DEFAULT_LIMIT,
    depth: flags.depth,
    source: flags.source,
    scriptLinks: flags.scriptLinks,
    assets: flags.assets,
    options: {
      includeSubdomains: flags.subdomains,
      includeExternalLinks: flags.external,
      includePatterns: flags.include,
      excludePatterns: flags.exclude,
    },
    preferPatterns: flags.prefer,
    politeness,
    userAgent: flags.userAgent,
    crawlPurposes: flags.purpose.length === 0 ? [DEFAULT_PURPOSE] : flags.purpose,
    contentUse: flags.contentUse ?? DEFAULT_CONTENT_USE,
    pageRobots: flags.ignorePageRobots ? false : undefined,
    traps: {
      maxUrlLength: flags.maxUrlLength,
      maxPathDepth: flags.maxPathDepth,
      maxRepeatedSegments: flags.maxRepeatedSegments,
      maxVariants: flags.maxVariants,
      maxChain: flags.maxChain,
      maxDuplicates: flags.maxDuplicates,
    },
    headers: Object.fromEntries(flags.header.map(toHeader)),
    maxAttempts: flags.maxAttempts,
    timeoutMs: flags.timeout === undefined ? undefined : Math.round(flags.timeout * 1000),
    maxCostUsd: flags.maxCost,
    search: flags.search,
    store: flags.store,
    formats: flags.markdown ? ["markdown"] : undefined,
    retentionDays: flags.retentionDays,
  };
}

/** `example.com` is what people type. A browser makes https of it, and so do we; but what runs on one's own machine rarely speaks it. */
export function withScheme(url: string): string {
  if (url.includes("://")) return url;
  return /^(localhost|\d+(\.\d+){3}|\[[\da-f:.]+\])([:/]|$)/i.test(url) ? `http://${url}` : `https://${url}`;
}

function toHeader(header: string): [string, string] {
  const colon = header.indexOf(":");
  if (colon < 1) throw new UserError(`--header ${header} is not NAME:VALUE.`, 2);
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
}

export function outputOptions(command: Command): Command {
  return command
    .option("--out <dir>", "write records.jsonl and the pages there")
    .option("--json", "print one JSON object at the end, and nothing else, on standard output");
}

export function addCrawlCommand(program: Command): void {
  const command = program
    .command("crawl")
    .description("Crawl from one or more URLs until nothing is left or the limit is reached.")
    .argument("<url...>", "where to start");
  command.addHelpText(
    "after",
    "\nOn this machine private addresses may be asked, for they are its own (ALLOW_PRIVATE); a deployed Orbweaver refuses them.",
  );
  // A schedule's crawls have no use for one time that never moves, so these are no options of every order.
  crawlOptions(command)
    .option("--dry-run", "ask for robots.txt and sitemaps alone, and show what would be crawled as far as they tell")
    .option(
      "--modified-since <time>",
      "keep only pages that have changed since: a date, or how long ago, such as 7d",
      pastTime,
    );
  whereOptions(outputOptions(command)).action(async (urls: string[], flags: StartFlags & OutputFlags) => {
    const request = { ...toRequest(urls, flags), dryRun: flags.dryRun, modifiedSince: flags.modifiedSince };
    if (flags.out !== undefined) await prepareOut(flags.out);
    await withInstallation(flags, async (at) => {
      await holdOthers(at, null, flags);
      const id = await at.client.start(request);
      const notice =
        flags.limit === undefined
          ? ` It stops at ${DEFAULT_LIMIT.toLocaleString("en")} pages; --limit N says otherwise.`
          : "";
      note(flags, `Crawl ${id} started.${notice}`);
      await finish(id, at, flags);
    });
  });
}

export function addResumeCommand(program: Command): void {
  const command = program
    .command("resume")
    .description("Go on with a crawl that was interrupted; with the newest one if none is named.")
    .argument("[id]", "the crawl")
    .option("--limit <n>", "stop after N completed pages instead", natural(1))
    .option("--max-cost <usd>", "pause it at this cost instead; 0 is never", decimal);
  type Flags = OutputFlags & Pick<CrawlFlags, "limit" | "maxCost">;
  whereOptions(outputOptions(command)).action(async (named: string | undefined, flags: Flags) => {
    if (flags.out !== undefined) await prepareOut(flags.out);
    await withInstallation(flags, async (at) => {
      const id = named ?? (await newestOpen(at));
      await holdOthers(at, id, flags);
      if (flags.limit !== undefined || flags.maxCost !== undefined)
        await at.client.amend(id, { limit: flags.limit, maxCostUsd: flags.maxCost });
      const crawl = await at.client.act(id, "resume");
      note(
        flags,
        `Crawl ${id} goes on: ${plural(pagesOf(crawl), "page")} kept, ${crawl.counts.queued.toLocaleString("en")} URLs queued.`,
      );
      await finish(id, at, flags);
    });
  });
}

/** Crawls that a killed process left running would be set going again by the heartbeat, unasked, beside this one. They wait instead. */
export async function holdOthers(
  { client, local }: Installation,
  except: string | null,
  flags: OutputFlags,
): Promise<void> {
  if (!local) return;
  for (const { id, status } of await client.crawls()) {
    if (status !== "running" || id === except) continue;
    await client.act(id, "pause");
    note(flags, `Crawl ${id} was interrupted before. It waits; go on with it by: npm run orbweaver -- resume ${id}`);
  }
}

async function newestOpen({ client }: Installation): Promise<string> {
  const open = (await client.crawls()).find(({ status }) => status === "running" || status === "paused");
  if (open === undefined)
    throw new UserError("There is no crawl here that could be resumed; `orbweaver list` shows all.");
  return open.id;
}

/** As `follow`, for a person: whatever breaks, what was kept is kept, and they learn how to go on. */
export async function finish(id: string, at: Installation, flags: OutputFlags): Promise<void> {
  try {
    await followToEnd(id, at, flags);
  } catch (error) {
    if (!at.local) throw error;
    const why = (await fullDisk([flags.state, flags.out])) ?? (error instanceof Error ? error.message : String(error));
    throw new UserError(`${why}\nWhat the crawl has is kept. Go on with: ${resumeCommand(id, flags)}`);
  }
}

/** Follows the crawl, writes its folder, prints its summary and sets the exit code. */
async function followToEnd(id: string, at: Installation, flags: OutputFlags): Promise<void> {
  const progress = flags.json ? quietProgress(process.stderr) : showProgress(process.stderr);
  const followed = await follow(id, at, progress);
  const { crawl } = followed;
  if (flags.json) console.log(JSON.stringify(summarize(crawl)));
  else for (const line of await describe(crawl, at.client)) console.log(printable(line));
  if (flags.out !== undefined) {
    const written = await writeOut(flags.out, crawl, at.client, (line) => console.error(printable(line)));
    const beside = hasMarkdown(crawl) ? ", each with its Markdown," : "";
    const assets = written.assets > 0 ? `, ${plural(written.assets, "asset")}` : "";
    note(flags, `Wrote ${plural(written.pages, "page")}${beside}${assets} and records.jsonl to ${flags.out}.`);
  } else if (hasMarkdown(crawl)) {
    note(flags, `The Markdown is kept with the crawl. Get it by: ${exportCommand(id, flags)}`);
  }
  if (followed.interrupted) note(flags, howToResume(followed, at, flags));
  if (crawl.status !== "completed") process.exitCode = 1;
}

function hasMarkdown(crawl: CrawlDetail): boolean {
  return crawl.options.formats.includes("markdown") && pagesOf(crawl) > 0;
}

function exportCommand(id: string, flags: OutputFlags): string {
  return `npm run -s orbweaver -- export ${id} --format markdown${whereOf(flags)}`;
}

function howToResume({ crawl }: Followed, { local }: Installation, flags: OutputFlags): string {
  if (!local) return `The crawl goes on without this command: npm run orbweaver -- status ${crawl.id}`;
  return `Stopped with nothing lost. Go on with: ${resumeCommand(crawl.id, flags)}`;
}

function resumeCommand(id: string, flags: OutputFlags): string {
  const out = flags.out === undefined ? "" : ` --out ${flags.out}`;
  return `npm run orbweaver -- resume ${id}${out}${whereOf(flags)}`;
}

/** The options by which another command finds the same crawl; a token is nobody's to read on a screen. */
function whereOf({ remote, state }: OutputFlags): string {
  if (remote !== undefined) return ` --remote ${remote}`;
  return state === ".orbweaver" ? "" : ` --state ${state}`;
}

/** A line for people; standard output stays clean for programs under --json. */
export function note(flags: OutputFlags, line: string): void {
  if (flags.json) console.error(line);
  else console.log(line);
}
