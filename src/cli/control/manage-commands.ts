import type { Command } from "commander";
import type { CrawlView } from "../../api/views.ts";
import { bytes, count, minuteOf, plural, state } from "../../core/shown-values.ts";
import { EXPORT_PARAMETERS } from "../../crawl/export-table.ts";
import { UserError } from "../errors.ts";
import { EXTRACT_HELP, readExtractionFile } from "../flags/extraction-file.ts";
import { readFieldsFile } from "../flags/fields-file.ts";
import { natural, share, whereOptions, withFormats } from "../flags/shared-options.ts";
import { describeHosts } from "../installation/hosts.ts";
import { readInstallation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { finishNotices } from "../output/finish.ts";
import { describeLimit } from "../output/go-on.ts";
import { pour } from "../output/pour.ts";
import { describe, describeBill, describeDatabase } from "../output/summary.ts";
import { pagesOf, printable, table } from "../output/terminal-text.ts";
import { evidenceOption } from "../queries/extract-command.ts";
import { FIELDS_HELP } from "../queries/fields-command.ts";
import { checkFollowed, followRecords } from "../queries/follow-records.ts";

/** `list`, `status`, `records`, `pause` and `cancel`: show and stop crawls. */

interface Flags extends WhereOptions {
  json?: boolean;
  status?: string;
  label?: string;
  document?: string;
  minRelevance?: number;
  sort?: string;
  descending?: boolean;
  limit?: number;
  formats?: string[];
  chunkTokens?: number;
  rawText?: boolean;
  clean?: boolean;
  fields?: string;
  extract?: string;
  evidence?: string;
  modelCalls?: number;
  modelCost?: number;
  modelPrices?: string;
  follow?: boolean;
}

export function addManageCommands(program: Command): void {
  addListCommand(program);
  addStatusCommand(program);
  addRecordsCommand(program);
  addPauseAndCancelCommands(program);
}

function addListCommand(program: Command): void {
  whereOptions(
    program
      .command("list")
      .description("List the crawls, newest first.")
      .option("--all", "also list the scrapes and maps of Firecrawl's paths")
      .option("--json", "print JSON"),
  ).action(async (flags: Flags & { all?: boolean }) => {
    // On this machine nobody pays.
    const isBilled = flags.remote !== undefined && !flags.json;
    const [crawls, health] = await readInstallation(flags, "ledger", ({ client }) =>
      Promise.all([client.crawls({ all: flags.all ?? false }), flags.json ? null : client.health()]),
    );
    if (flags.json) console.log(JSON.stringify(crawls));
    else if (crawls.length === 0) console.log(`No crawls yet. Start one: ${COMMAND} crawl https://example.com/`);
    else console.log(table([["ID", "STATE", "PAGES", "QUEUED", "SIZE", "STARTED", "SEEDS"], ...crawls.map(row)]));
    if (health === null) return;
    const { bill } = health;
    const lines = [...(isBilled && bill !== null ? [describeBill(bill)] : []), ...describeDatabase(health)];
    if (crawls.length > 0 && lines.length > 0) console.log(`\n${lines.map(printable).join("\n")}`);
  });
}

function addStatusCommand(program: Command): void {
  whereOptions(
    program
      .command("status")
      .description("Show the state of a crawl and of its hosts.")
      .argument("<id>", "the crawl")
      .option("--json", "print JSON"),
  ).action(async (id: string, flags: Flags) => {
    await readInstallation(flags, "ledger", async (at) => {
      const { client } = at;
      const crawl = await client.crawl(id);
      const isOpen = crawl.status === "running" || crawl.status === "paused";
      const hosts = isOpen ? await client.hosts(crawl.id) : [];
      const health = flags.json ? null : await client.health();
      if (flags.json) console.log(JSON.stringify({ ...crawl, hosts }));
      else
        for (const line of [
          ...(await describe(crawl, at)),
          ...(await describeLimit(crawl, client, flags)),
          ...describeHosts(hosts, Date.now()),
          ...(health === null ? [] : describeDatabase(health)),
        ])
          console.log(printable(line));
    });
  });
}

function addRecordsCommand(program: Command): void {
  const command = program
    .command("records")
    .description("Print a line of JSON for every URL of a crawl.")
    .argument("<id>", "the crawl")
    .option("--status <status>", "only queued, completed, disallowed, skipped, errored or cancelled URLs")
    .option(
      "--document <kind>",
      "only pages that are documents of this kind: pdf, office, epub, csv, feed, json or xml",
    )
    .option("--language <tag>", "only pages in this language or a variety of it: de has de-AT too")
    .option("--label <label>", EXPORT_PARAMETERS.label)
    .option("--min-relevance <n>", EXPORT_PARAMETERS.minRelevance, share)
    .option(
      "--sort <key>",
      "order by url, fetchedAt, bytes, depth, code, status, title, relevance, priority, rank or inLinks, the last two after `analyze`",
    )
    .option("--descending", "the largest value first; records without a value come last in either order")
    .option("--limit <n>", "print at most N records", natural(1))
    .option("--raw-text", EXPORT_PARAMETERS.rawText)
    .option("--clean", EXPORT_PARAMETERS.clean)
    .option(
      "--fields <file>",
      `only completed pages, with the fields that these rules read from them as they are stored: ${FIELDS_HELP}`,
    )
    .option(
      "--extract <file>",
      `only completed pages, with the values that the installation's model finds in them: ${EXTRACT_HELP}`,
    )
    .addOption(evidenceOption())
    .option("--model-calls <n>", "of --extract: maximum number of calls of the model, 0 for no limit", natural(0))
    .option("--model-cost <usd>", "of --extract: cost limit in US dollars by the prices, 0 for no limit", usd)
    .option("--model-prices <in,out>", "of --extract: US dollars for a million tokens of questions and of answers")
    .option("--chunk-tokens <n>", EXPORT_PARAMETERS.chunkTokens, natural(1))
    .option("--follow", "print each record when its URL finishes, in this order, until the crawl ends");
  withFormats(command, EXPORT_PARAMETERS.formats);
  whereOptions(command).action(async (id: string, flags: Flags) => {
    for (const [name, isGiven] of [["--raw-text", flags.rawText] as const, ["--clean", flags.clean] as const])
      if (isGiven && flags.formats === undefined)
        throw new UserError(`${name} is for pages. Choose their formats: --with markdown,text.`, 2);
    if (flags.follow) checkFollowed(flags);
    if (flags.fields !== undefined) return printReread(id, flags.fields, flags);
    if (
      flags.extract === undefined &&
      [flags.modelCalls, flags.modelCost, flags.modelPrices].some((each) => each !== undefined)
    )
      throw new UserError("--model-calls, --model-cost and --model-prices are for --extract.", 2);
    if (flags.extract !== undefined) return printExtracted(id, flags.extract, flags);
    await readInstallation(flags, flags.formats === undefined ? "ledger" : "pages", async (at) => {
      const records = flags.follow ? followRecords(id, flags, at, flags) : at.client.records(id, flags);
      await pour(toLines(records), process.stdout);
    });
  });
}

function addPauseAndCancelCommands(program: Command): void {
  for (const [action, description] of [
    ["pause", "Pause a crawl; it can be resumed."],
    ["cancel", "Stop a crawl for good; its stored pages stay."],
  ] as const) {
    whereOptions(program.command(action).description(description).argument("<id>", "the crawl")).action(
      async (id: string, flags: Flags) => {
        const crawl = await withInstallation(flags, async (at) => {
          const acted = await at.client.act(id, action);
          if (at.local) await finishNotices(acted.id, at, flags);
          return acted;
        });
        console.log(`Crawl ${crawl.id} is ${state(crawl.status)} with ${plural(pagesOf(crawl), "page")} stored.`);
      },
    );
  }
}

/** Throws UserError for an option that a flag, which reads completed pages again, does not take. */
function checkOthers(flag: string, { status, sort, descending, formats, rawText, clean }: Flags): void {
  if ([status, sort, descending, formats, rawText, clean].every((other) => other === undefined)) return;
  throw new UserError(
    `${flag} reads completed pages in the order of their URLs: of the other options it takes --limit alone.`,
    2,
  );
}

async function printExtracted(id: string, file: string, { evidence, ...flags }: Flags): Promise<void> {
  checkOthers("--extract", flags);
  if (flags.fields !== undefined) throw new UserError("Give --fields or --extract, not both.", 2);
  const asked = { ...readExtractionFile("--extract", file), ...(evidence === undefined ? {} : { evidence }) };
  // Its answers are stored, so it does more than read.
  await withInstallation(flags, async ({ client }) => {
    const { modelCalls = 0, modelCost = 0, modelPrices } = flags;
    const limits = {
      ...{ modelCalls: modelCalls || null, modelCostUsd: modelCost || null },
      ...(modelPrices === undefined ? {} : { modelPrices }),
    };
    const spent = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: null as number | null };
    await pour(toLines(client.recordsByModel(id, asked, flags.limit, limits, spent)), process.stdout);
    const price = spent.costUsd === null ? "" : `, about ${spent.costUsd.toPrecision(2)} USD`;
    console.error(
      `The model: ${plural(spent.calls, "call")}, ${count(spent.inputTokens)} tokens read, ${count(spent.outputTokens)} written${price}.`,
    );
  });
}

/** Throws UserError. */
function usd(written: string): number {
  const value = Number(written);
  if (written.trim() === "" || !Number.isFinite(value) || value < 0)
    throw new UserError(`--model-cost: ${written} is no number of US dollars.`, 2);
  return value;
}

async function printReread(id: string, fields: string, flags: Flags): Promise<void> {
  checkOthers("--fields", flags);
  const { limit } = flags;
  const file = readFieldsFile(fields);
  await readInstallation(flags, "pages", async ({ client }) => {
    await pour(toLines(client.recordsByRules(id, file.groups, limit)), process.stdout).catch(file.explain);
  });
}

async function* toLines(records: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const record of records) yield encoder.encode(`${JSON.stringify(record)}\n`);
}

function seedsOf(urls: readonly string[]): string {
  return urls.length > 1 ? `${urls[0]} and ${urls.length - 1} more` : (urls[0] ?? "");
}

function row(crawl: CrawlView): string[] {
  const { id, status, counts, bytes: size, createdAt, urls, purpose, options } = crawl;
  const named = options.name === "" ? seedsOf(urls) : `${options.name}: ${seedsOf(urls)}`;
  const seeds = purpose === "crawl" ? named : `${named} (${purpose})`;
  return [id, state(status), count(pagesOf(crawl)), count(counts.queued), bytes(size), minuteOf(createdAt), seeds];
}
