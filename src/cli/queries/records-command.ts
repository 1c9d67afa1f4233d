import type { Command } from "commander";
import { spentInWords } from "../../core/shown-values.ts";
import { EXPORT_PARAMETERS } from "../../crawl/export-table.ts";
import { UserError } from "../errors.ts";
import { EXTRACT_HELP, readExtractionFile } from "../flags/extraction-file.ts";
import { readFieldsFile } from "../flags/fields-file.ts";
import { CRAWL_HELP, natural, share, whereOptions, withFormats } from "../flags/shared-options.ts";
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
    console.error(`The model: ${spentInWords(spent)}.`);
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
