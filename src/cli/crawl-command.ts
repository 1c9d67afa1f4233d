import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { CrawlDetail, CrawlView } from "../api/views.ts";
import { type FormFill, parseFormFill } from "../core/form-fill.ts";
import { analyze, CHECK_EXTERNAL } from "./analyze-command.ts";
import type { WebhookOrder } from "./client.ts";
import { UserError } from "./errors.ts";
import { FIELDS_HELP } from "./fields-command.ts";
import { explainFields, readFieldsFile } from "./fields-file.ts";
import { browserOfMachine, HOW_TO_GET } from "./find-browser.ts";
import { finish, note, type OutputFlags, outputOptions, prepareOutput } from "./finish.ts";
import { commandAt } from "./go-on.ts";
import { type Installation, withInstallation } from "./installation.ts";
import { readOwner } from "./out-folder.ts";
import { findGuestHosts } from "./own-command.ts";
import { type PageActionFlags, pageActionOptions, toRenderOptions } from "./page-action-flags.ts";
import {
  byteCount,
  collect,
  collectList,
  commaList,
  decimal,
  documentList,
  intervalOrNone,
  natural,
  pastTime,
  whereOptions,
  withScheme,
} from "./shared-options.ts";
import { count, pagesOf, plural } from "./terminal-text.ts";
import { type TopicFlags, topicOptions, toTopic } from "./topic-flags.ts";
import { describeSecret, EVENTS_HELP, SECRET_HELP } from "./webhooks-command.ts";

/** `orbweaver crawl` and `orbweaver resume`: start or resume a crawl, follow it to its end, write its pages. */

const DEFAULT_LIMIT = 1_000;
/** The defaults suit a private copy. A crawl that feeds a model must say so. */
const DEFAULT_PURPOSE = "search";
const DEFAULT_CONTENT_USE = "reference";

export interface CrawlFlags extends PageActionFlags, TopicFlags {
  limit?: number;
  depth?: number;
  include?: string[];
  exclude?: string[];
  prefer?: string[];
  language?: string[];
  preferLanguage?: string[];
  country?: string[];
  source?: string;
  scriptLinks?: boolean;
  form?: string[];
  assets?: boolean;
  media?: boolean;
  screenshot?: boolean;
  subdomains?: boolean;
  external?: boolean;
  belowSeeds?: boolean;
  delay?: number;
  concurrency?: number;
  bandwidth?: number;
  userAgent?: string;
  from?: string;
  header?: string[];
  cookies?: boolean;
  maxAttempts?: number;
  timeout?: number;
  search?: boolean;
  ignorePageRobots?: boolean;
  ignoreRobots?: boolean;
  own?: string[];
  purpose?: string[];
  contentUse?: string;
  maxUrlLength?: number;
  maxPathDepth?: number;
  maxRepeatedSegments?: number;
  maxVariants?: number;
  maxChain?: number;
  maxDuplicates?: number;
  keepDuplicates?: boolean;
  keepEndless?: boolean;
  maxCost?: number;
  maxBytes?: number;
  maxTime?: number;
  documents?: string[];
  maxDocumentSize?: number;
  retentionDays?: number;
  markdown?: boolean;
  fields?: string;
  llms?: boolean;
  preferMarkdown?: boolean;
  chunkTokens?: number;
  store?: string;
  webhook?: string;
  webhookEvents?: string[];
  webhookSecret?: string;
}

interface StartFlags extends CrawlFlags {
  dryRun?: boolean;
  analyze?: boolean;
  checkExternal?: boolean;
  /** Seconds since the Unix epoch. */
  modifiedSince?: number;
}

/** The options that `crawl`, `explain` and `schedule add` share. */
export function crawlOptions(command: Command): Command {
  return pageActionOptions(
    topicOptions(command)
      .option("--limit <n>", `page limit: stop after N completed pages (default: ${DEFAULT_LIMIT})`, natural(1))
      .option(
        "--depth <n>",
        "maximum number of links between a seed and a page; 0 crawls the seeds only (default: 100000)",
        natural(0),
      )
      .option(
        "--include <pattern>",
        "crawl only URLs that match (* does not match /, ** does; regex:EXPRESSION searches the path); may be repeated",
        collect,
      )
      .option(
        "--exclude <pattern>",
        "do not crawl URLs that match, even if --include matches; may be repeated",
        collect,
      )
      .option("--prefer <pattern>", "crawl URLs that match first; may be repeated", collect)
      .option(
        "--language <list>",
        "store only pages in these languages, such as de,fr or zh-Hant; links of other pages are followed; may be repeated",
        collectList,
      )
      .option(
        "--prefer-language <list>",
        "crawl what leads to pages in these languages first; may be repeated",
        collectList,
      )
      .option(
        "--country <list>",
        "crawl only hosts in these countries, such as DE,TW, by IP address or top-level domain; may be repeated",
        collectList,
      )
      .option("--source <kind>", "discover URLs from links, from sitemaps or from all (default: all)")
      .option("--llms", "read /llms.txt of each origin too, and crawl the pages that it lists")
      .option("--script-links", "follow URLs in inline scripts, JSON-LD and data-* attributes too")
      .option(
        "--form <selector=values>",
        "fill in search forms (GET only): SELECTOR=shoes,boots, or SELECTOR=@FILE with a value per line; may be repeated",
        collect,
      )
      .option("--assets", "fetch the images, styles, scripts and fonts of pages too, also from other hosts")
      .option(
        "--render <mode>",
        "draw pages in a browser before they are read: never, auto (pages that are empty without scripts) or always (default: never)",
      ),
  )
    .option(
      "--media",
      "record what sounds, films and pictures say about themselves (duration, size, tags, EXIF with places), by ranges of 64 KiB",
    )
    .option("--screenshot", "keep a picture of each page that a browser draws; needs --render auto or always")
    .option("--subdomains", "crawl subdomains of the seeds' hosts too")
    .option("--external", "crawl other hosts too")
    .option("--below-seeds", "on the seeds' hosts, crawl only URLs whose path begins with that of a seed")
    .option(
      "--delay <seconds>",
      "minimum delay between two requests to a host (default: 1, more for slow hosts; at least 0.2 unless `own` shows that the host is yours)",
      decimal,
    )
    .option(
      "--concurrency <n>",
      "maximum concurrent connections to a host (default: 1; at most 2 unless `own` shows that the host is yours)",
      natural(1),
    )
    .option(
      "--own <host>",
      "a private host of your network, such as 10.0.0.5 or wiki.internal:8080: it is yours, and may be asked; may be repeated",
      collect,
    )
    .option("--ignore-robots", "do not read robots.txt on hosts that are shown to be yours; on all others it applies")
    .option("--bandwidth <size>", "maximum bytes per second from a host, on average (default: 0, no limit)", byteCount)
    .option("--user-agent <ua>", "User-Agent header; its first product token selects the rules in robots.txt")
    .option("--from <mail>", "From header: your mail address, for whoever runs the sites (default: none)")
    .option("--header <name:value>", "send this header to the origins of the seeds only; may be repeated", collect)
    .option("--cookies", "keep the cookies that a host sets, and send them back to it")
    .option("--max-attempts <n>", "maximum attempts to fetch a URL (default: 3)", natural(1))
    .option("--timeout <seconds>", "time limit for one fetch (default: 30)", decimal)
    .option(
      "--documents <list>",
      "kinds of documents to read as pages: pdf, office, epub, csv, feed, json, xml, separated by commas; or none (default: all)",
      documentList,
    )
    .option("--max-document-size <size>", "skip larger PDF, Office and EPUB documents (default: 25MB)", byteCount)
    .option("--search", "index the text of pages for `orbweaver search`")
    .option(
      "--purpose <name>",
      "purpose of the crawl: search, ai-input or ai-train; robots.txt may refuse it; may be repeated (default: search)",
      collect,
    )
    .option(
      "--content-use <level>",
      "use of the content: reference (index, quote, link back) or full (default: reference)",
    )
    .option("--ignore-page-robots", "ignore noindex and nofollow in pages; robots.txt still applies")
    .option("--max-url-length <n>", "skip longer URLs (default: 2048)", natural(1))
    .option("--max-path-depth <n>", "skip URLs with more path segments (default: 20)", natural(1))
    .option("--max-repeated-segments <n>", "skip URLs that repeat path segments more often (default: 2)", natural(1))
    .option(
      "--max-variants <n>",
      "maximum URLs that differ only in numbers or query values (default: 10000)",
      natural(1),
    )
    .option("--max-chain <n>", "maximum links from one such URL to the next in a row (default: 100)", natural(1))
    .option(
      "--max-duplicates <n>",
      "follow the links of at most N pages in a row with the same content (default: 2)",
      natural(1),
    )
    .option(
      "--keep-duplicates",
      "follow URLs too that differ only in parts that never change the page of their host (default: refuse them)",
    )
    .option(
      "--keep-endless",
      "fetch all pages of patterns that say nothing new any more (default: one in 50 after 200 such pages)",
    )
    .option(
      "--max-cost <usd>",
      "pause at this estimated cost, by Cloudflare's list prices, also on this machine; 0 is never (default: that of the deployed installation, if its owner has set one, otherwise never)",
      decimal,
    )
    .option("--max-bytes <size>", "pause at this total size of all pages, such as 2GB (default: 0, never)", byteCount)
    .option(
      "--max-time <time>",
      "cancel the rest after this time, such as 30m or 2h; 0 is never (default: 0)",
      intervalOrNone,
    )
    .option(
      "--store <kind>",
      "how pages are stored: warc (packed into WARC files) or files (one object per page) (default: warc)",
    )
    .option("--markdown", "convert the main content of pages to Markdown; --out writes it beside the page")
    .option("--fields <file>", `read fields such as prices from pages by ${FIELDS_HELP}`)
    .option("--prefer-markdown", "take Markdown where a server has it, in place of HTML or beside it")
    .option("--chunk-tokens <n>", "maximum size of a chunk of the format `chunks` (default: 512)", natural(1))
    .option("--retention-days <n>", "delete the crawl N days after its end (default: 0, never)", natural(0))
    .option(
      "--webhook <url>",
      "tell this URL by signed notices when the crawl ends or is paused, and what a watch notices: docs/webhooks.md",
    )
    .option("--webhook-events <list>", EVENTS_HELP, commaList)
    .option("--webhook-secret <secret>", SECRET_HELP);
}

/** The body of `POST /api/crawls`. Absent flags stay absent, so that the defaults of the API apply. */
export function toRequest(urls: string[], flags: CrawlFlags): Record<string, unknown> {
  return {
    urls: urls.map(withScheme),
    limit: flags.limit ?? DEFAULT_LIMIT,
    depth: flags.depth,
    source: flags.source,
    llmsTxt: flags.llms,
    scriptLinks: flags.scriptLinks,
    forms: flags.form?.map(toForm),
    assets: flags.assets,
    render: flags.render,
    media: flags.media,
    renderOptions: toRenderOptions(flags),
    screenshot: flags.screenshot,
    options: {
      includeSubdomains: flags.subdomains,
      includeExternalLinks: flags.external,
      belowSeeds: flags.belowSeeds,
      includePatterns: flags.include,
      excludePatterns: flags.exclude,
    },
    preferPatterns: flags.prefer,
    languages: flags.language,
    preferLanguages: flags.preferLanguage,
    countries: flags.country,
    ...toTopic(flags),
    politeness: {
      minDelayMs: toMs(flags.delay),
      maxConcurrencyPerHost: flags.concurrency,
      maxBytesPerSecond: flags.bandwidth,
    },
    userAgent: flags.userAgent,
    from: flags.from,
    crawlPurposes: flags.purpose ?? [DEFAULT_PURPOSE],
    contentUse: flags.contentUse ?? DEFAULT_CONTENT_USE,
    pageRobots: flags.ignorePageRobots ? false : undefined,
    ignoreRobots: flags.ignoreRobots,
    ownHosts: flags.own,
    traps: {
      maxUrlLength: flags.maxUrlLength,
      maxPathDepth: flags.maxPathDepth,
      maxRepeatedSegments: flags.maxRepeatedSegments,
      maxVariants: flags.maxVariants,
      maxChain: flags.maxChain,
      maxDuplicates: flags.maxDuplicates,
    },
    keepDuplicates: flags.keepDuplicates,
    keepEndless: flags.keepEndless,
    headers: Object.fromEntries((flags.header ?? []).map(toHeader)),
    keepCookies: flags.cookies,
    maxAttempts: flags.maxAttempts,
    timeoutMs: toMs(flags.timeout),
    maxCostUsd: flags.maxCost,
    maxBytes: flags.maxBytes,
    maxDurationS: flags.maxTime,
    documents: flags.documents,
    maxDocumentBytes: flags.maxDocumentSize,
    search: flags.search,
    store: flags.store,
    formats: flags.markdown ? ["markdown"] : undefined,
    fields: flags.fields === undefined ? undefined : readFieldsFile(flags.fields).groups,
    preferMarkdown: flags.preferMarkdown,
    chunkTokens: flags.chunkTokens,
    retentionDays: flags.retentionDays,
    webhook: toWebhook(flags),
  };
}

/** The webhook that the flags ask for. Throws UserError. */
export function toWebhook({ webhook, webhookEvents, webhookSecret }: CrawlFlags): WebhookOrder | undefined {
  if (webhook !== undefined) return { url: withScheme(webhook), events: webhookEvents, secret: webhookSecret };
  if (webhookEvents === undefined && webhookSecret === undefined) return undefined;
  throw new UserError("--webhook-events and --webhook-secret need --webhook URL.", 2);
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

/** Says where notices go, and the secret of a new webhook unless the user chose it. */
export function describeWebhook(secret: string | undefined, { webhook, webhookSecret }: CrawlFlags): string[] {
  if (secret === undefined || webhookSecret !== undefined) return [];
  return [`Webhook: notices are sent to ${webhook}. ${describeSecret(secret)}`];
}

function toHeader(header: string): [string, string] {
  const colon = header.indexOf(":");
  if (colon < 1) throw new UserError(`--header ${header} is not NAME:VALUE.`, 2);
  return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
}

/** Values that begin with @ are the name of a file. */
function toForm(written: string): FormFill {
  const form = parseFormFill(written);
  if (form === null) throw new UserError(`--form ${written} is not SELECTOR=VALUE,VALUE.`, 2);
  const [file = ""] = form.values;
  if (form.values.length !== 1 || !file.startsWith("@")) return form;
  const lines = readLines(file.slice(1));
  return { ...form, values: lines };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
  } catch (error) {
    throw new UserError(`--form cannot read ${file}: ${(error as Error).message}`, 2);
  }
}

export function addCrawlCommand(program: Command): void {
  const command = program
    .command("crawl")
    .description("Crawl from one or more seed URLs until no URL is left or a limit is reached.")
    .argument("<url...>", "the seeds");
  command.addHelpText(
    "after",
    "\nOn this machine a crawl may reach the private hosts that are its seeds, and with ALLOW_PRIVATE=true in the\nenvironment all others too. A deployed Orbweaver refuses them.",
  );
  // Not in crawlOptions: the --modified-since of a schedule is a period, and it needs no --dry-run.
  crawlOptions(command)
    .option("--analyze", "read the links of all pages at the end, and rank the pages, as `analyze` does")
    .option("--check-external", `with --analyze, which it implies: ${CHECK_EXTERNAL}`)
    .option("--dry-run", "fetch only robots.txt and sitemaps, and list the URLs that would be crawled")
    .option(
      "--modified-since <time>",
      "store only pages changed since this date (2026-03-01) or within this period (7d)",
      pastTime,
    );
  whereOptions(outputOptions(command)).action(async (urls: string[], flags: StartFlags & OutputFlags) => {
    // Offline, a page needs its assets.
    const request = {
      ...toRequest(urls, { ...flags, assets: flags.assets ?? flags.browsable }),
      dryRun: flags.dryRun,
      modifiedSince: flags.modifiedSince,
    };
    await prepareOutput(flags, null);
    await withInstallation(
      flags,
      async (at) => {
        for (const warning of at.warnings) note(flags, warning);
        await pauseOthers(at, null, flags);
        const { id, webhookSecret } = await at.client.start(request).catch(explainFields(flags.fields));
        for (const line of describeWebhook(webhookSecret, flags)) note(flags, line);
        for (const line of await findGuestHosts(urls, flags, at.client)) note(flags, line);
        const notice =
          flags.limit === undefined ? ` It stops at ${count(DEFAULT_LIMIT)} pages; --limit N changes that.` : "";
        await finish(id, at, flags, `Crawl ${id} started.${notice}`);
        const isAnalyzed = flags.analyze || flags.checkExternal;
        if (isAnalyzed && hasEnded(await at.client.crawl(id))) await analyze(id, at, flags, flags);
      },
      browserFor(flags),
    );
  });
}

/**
 * The browser of this machine, if the crawl needs one. Throws UserError if it cannot do without. An installation
 * elsewhere has its own.
 */
export function browserFor(flags: CrawlFlags & OutputFlags): { browser?: string } {
  if (flags.remote !== undefined || flags.render === undefined || flags.render === "never") return {};
  const found = browserOfMachine();
  if (found.browser === undefined && flags.render === "always")
    throw new UserError(`--render always needs a browser, and none was found. ${HOW_TO_GET}`);
  if (found.browser === undefined) note(flags, `No browser was found, so pages are read as they come. ${HOW_TO_GET}`);
  return found;
}

export function addResumeCommand(program: Command): void {
  const command = program
    .command("resume")
    .description("Resume an interrupted crawl (default: the newest one). With --out, write the folder of any crawl.")
    .argument("[id]", "the crawl")
    .option("--limit <n>", "change the page limit to N completed pages", natural(1))
    .option("--max-cost <usd>", "change the cost at which it pauses; 0 is never", decimal)
    .option("--max-bytes <size>", "change the total size at which it pauses; 0 is never", byteCount)
    .option("--max-time <time>", "cancel the rest after this time from now, such as 30m; 0 is never", intervalOrNone);
  type Flags = OutputFlags & Pick<CrawlFlags, "limit" | "maxCost" | "maxBytes" | "maxTime">;
  whereOptions(outputOptions(command)).action(async (givenId: string | undefined, flags: Flags) => {
    await withInstallation(
      flags,
      async (at) => {
        const named = givenId ?? (await findCrawlIn(flags.out));
        if (named !== null) await prepareOutput(flags, named);
        const { id } = named === null ? await findNewestOpen(at) : await at.client.crawl(named);
        if (named === null) await prepareOutput(flags, id);
        await pauseOthers(at, id, flags);
        const { limit, maxCost: maxCostUsd, maxBytes, maxTime: maxDurationS } = flags;
        const limits = { limit, maxCostUsd, maxBytes, maxDurationS };
        if (Object.values(limits).some((value) => value !== undefined)) await at.client.patch(id, limits);
        // An ended crawl has nothing to resume, but its folder can be written again.
        if (flags.out !== undefined && hasEnded(await at.client.crawl(id))) return finish(id, at, flags);
        const crawl = await at.client.act(id, "resume");
        const queued = count(crawl.counts.queued);
        const done = plural(pagesOf(crawl), "page");
        await finish(id, at, flags, `Crawl ${id} resumed: ${done} completed, ${queued} URLs queued.`);
      },
      browserOfMachine(),
    );
  });
}

/** Pauses crawls that a killed process left running: the heartbeat would continue them beside this one. */
export async function pauseOthers(
  { client, local }: Installation,
  except: string | null,
  flags: OutputFlags,
): Promise<void> {
  if (!local) return;
  for (const { id, status } of await client.crawls()) {
    if (status !== "running" || id === except) continue;
    await client.act(id, "pause");
    const command = commandAt(`resume ${id}`, { state: flags.state });
    note(flags, `Crawl ${id} was interrupted before, and is paused. Resume it with: ${command}`);
  }
}

/** The crawl that the folder of `--out` belongs to; null if it belongs to none. */
async function findCrawlIn(out: string | undefined): Promise<string | null> {
  return out === undefined ? null : readOwner(out);
}

function hasEnded({ status }: CrawlDetail): boolean {
  return status !== "running" && status !== "paused";
}

async function findNewestOpen({ client }: Installation): Promise<CrawlView> {
  const open = (await client.crawls()).find(({ status }) => status === "running" || status === "paused");
  if (open === undefined) throw new UserError("There is no crawl to resume. `orbweaver list` shows all crawls.");
  return open;
}
