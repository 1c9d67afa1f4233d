import { type Command, Option } from "commander";
import { spentInWords } from "../../core/shown-values.ts";
import { EXPORT_PARAMETERS } from "../../crawl/export-table.ts";
import { UserError } from "../errors.ts";
import { EXTRACT_HELP, readExtractionFile } from "../flags/extraction-file.ts";
import { readFieldsFile } from "../flags/fields-file.ts";
import { CRAWL_HELP, decimal, flagOf, natural, share, whereOptions, withFormats } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { pour } from "../output/pour.ts";
import { evidenceOption } from "./extract-command.ts";
import { FIELDS_HELP } from "./fields-command.ts";
import { checkFollowed, followRecords } from "./follow-records.ts";

/** `records`: prints what is known of the URLs of a crawl. */

interface Flags extends WhereOptions {
  status?: string;
  label?: string;
  document?: string;
  language?: string;
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
  json?: boolean;
}

export function addRecordsCommand(program: Command): void {
  const command = program
    .command("records")
    .description("Print a line of JSON for every URL of a crawl.")
    .argument("<id>", CRAWL_HELP)
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
    .option("--model-cost <usd>", "of --extract: cost limit in US dollars by the prices, 0 for no limit", decimal)
    .option("--model-prices <in,out>", "of --extract: US dollars for a million tokens of questions and of answers")
    .option("--chunk-tokens <n>", EXPORT_PARAMETERS.chunkTokens, natural(1))
    // Other queries have it, and hands are used to it.
    .addOption(new Option("--json", "as without it").hideHelp())
    .option("--follow", "print each record when its URL finishes, in this order, until the crawl ends");
  withFormats(command, EXPORT_PARAMETERS.formats);
  whereOptions(command).action(async (id: string, flags: Flags) => {
    checkFlags(flags);
    if (flags.fields !== undefined) return printReread(id, flags.fields, flags);
    if (flags.extract !== undefined) return printExtracted(id, flags.extract, flags);
    await readInstallation(flags, flags.formats === undefined ? "ledger" : "pages", async (at) => {
      const records = flags.follow ? followRecords(id, flags, at, flags) : at.client.records(id, flags);
      await pour(toLines(records), process.stdout);
    });
  });
}

/** The place of the crawl, and how many of its records: each way to read them takes these. */
const ALWAYS = ["state", "remote", "token", "insecureHttp", "limit", "json"];
const OF_EXTRACT = ["evidence", "modelCalls", "modelCost", "modelPrices"];
/** What `--fields` and `--extract` take beside that: they read completed pages again. */
const READ_AGAIN: Record<"fields" | "extract", readonly string[]> = {
  fields: ["fields"],
  extract: ["extract", ...OF_EXTRACT],
};

/** Throws UserError for what has no effect beside the other flags. */
function checkFlags(flags: Flags): void {
  if (flags.follow) checkFollowed(flags);
  const given = Object.keys(flags).filter((name) => flags[name as keyof Flags] !== undefined);
  const flagsOf = (names: readonly string[]) =>
    names.map((name) => (name === "formats" ? "--with" : flagOf(name))).join(", ");
  const again = (["fields", "extract"] as const).find((name) => given.includes(name));
  if (again !== undefined) {
    const others = given.filter((name) => !READ_AGAIN[again].includes(name) && !ALWAYS.includes(name));
    if (others.length === 0) return;
    throw new UserError(
      `${flagOf(again)} reads completed pages in the order of their URLs. Leave out ${flagsOf(others)}.`,
      2,
    );
  }
  const ofExtract = given.filter((name) => OF_EXTRACT.includes(name));
  if (ofExtract.length > 0) throw new UserError(`${flagsOf(ofExtract)} is for --extract.`, 2);
  const ofPages = given.filter((name) => name === "rawText" || name === "clean");
  if (ofPages.length > 0 && flags.formats === undefined)
    throw new UserError(`${flagsOf(ofPages)} is for pages. Choose their formats: --with markdown,text.`, 2);
}

async function printExtracted(id: string, file: string, { evidence, ...flags }: Flags): Promise<void> {
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
    console.error(`The model: ${spentInWords(spent)}.`);
  });
}

async function printReread(id: string, fields: string, { limit, ...flags }: Flags): Promise<void> {
  const file = readFieldsFile(fields);
  await readInstallation(flags, "pages", async ({ client }) => {
    await pour(toLines(client.recordsByRules(id, file.groups, limit)), process.stdout).catch(file.explain);
  });
}

async function* toLines(records: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const record of records) yield encoder.encode(`${JSON.stringify(record)}\n`);
}
