import { type Command, Option } from "commander";
import type { ExtractionView, ExtractView } from "../../api/views.ts";
import { valueAt } from "../../core/formats/json-pointer.ts";
import { spentInWords } from "../../core/shown-values.ts";
import { UserError } from "../errors.ts";
import { type CrawlFlags, pickOptions, toAmended } from "../flags/crawl-flags.ts";
import { EXTRACT_HELP, type RequestedExtraction, readExtractionFile } from "../flags/extraction-file.ts";
import { toSeedUrl } from "../flags/seed-url.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";
import { whereToRead } from "../installation/reading-state.ts";
import { followExtraction } from "../output/follow-extraction.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver extract`: has a model find values in one page. */

interface Flags extends WhereOptions, CrawlFlags {
  schema?: string;
  prompt?: string;
  evidence?: string;
  crawl?: string;
  json?: boolean;
  rules?: boolean;
}

const MAX_SHOWN = 60;
/** What can be no host: the id of a crawl, or its beginning. */
const CRAWL = /^(?:latest|[0-9a-f-]{4,36})$/;

export function addExtractCommand(program: Command): void {
  const command = program
    .command("extract")
    .description("Have a model find values in a page, each with the words of the page that it comes from.")
    .argument("<url|id>", "the page; or a crawl with --extract, whose pages it goes on with")
    .option("--schema <file>", EXTRACT_HELP)
    .option("--prompt <text>", "what is wanted, in words")
    .addOption(evidenceOption())
    .option("--crawl <id>", "read the page as this crawl stored it, instead of fetching it")
    .option("--rules", "of a crawl: ask nobody, and print what was spent and the rules that were made")
    .option("--json", "print JSON");
  pickOptions(command, ["modelCalls", "modelCostUsd"]);
  command.addHelpText(
    "after",
    "\nThe model is that of the installation: any server that speaks OpenAI's chat completions. For Ollama on this machine:\n" +
      "MODEL_URL=http://127.0.0.1:11434/v1 MODEL=qwen3:8b orbweaver extract URL --prompt 'the price'\n\n" +
      "Stored pages: `records ID --extract FILE`. All about it: docs/extract.md.\n\n" +
      "Exit code 1: there are no values, or one of them has no evidence; of a crawl, the model failed on pages.",
  );
  whereOptions(command).action(async (url: string, flags: Flags) => {
    if (CRAWL.test(url)) return extractCrawl(url, flags);
    if (flags.rules) throw new UserError("--rules is of a crawl: give its id.", 2);
    if (Object.values(toAmended(flags)).some((value) => value !== undefined))
      throw new UserError("--model-calls and --model-cost are limits of a crawl: give its id.", 2);
    const asked = extractionOf(flags);
    const request = { url: toSeedUrl(url), crawl: flags.crawl, ...asked };
    const where = flags.crawl === undefined ? whereToRead(flags) : flags;
    const view = await withInstallation(where, ({ client }) => client.extract(request));
    if (flags.json) console.log(JSON.stringify(view));
    else for (const line of describe(view)) console.log(printable(line));
    if (view.problem !== null) throw new UserError(`${view.url} gave no values: ${view.problem}.`);
    if (view.extracted?.evidence.some(({ problem }) => problem !== null)) process.exitCode = 1;
  });
}

/** Throws UserError. */
async function extractCrawl(given: string, flags: Flags): Promise<void> {
  if (flags.schema !== undefined || flags.prompt !== undefined)
    throw new UserError("A crawl has been told what to extract. For other values: records ID --extract FILE.", 2);
  await withInstallation(flags, async (at) => {
    const { id } = await at.client.crawl(given);
    if (flags.rules) return printRules(await at.client.extraction(id), flags);
    const limits = toAmended(flags);
    if (Object.values(limits).some((value) => value !== undefined)) await at.client.patch(id, limits);
    const { pass, crawl } = await followExtraction(id, at, flags);
    if (flags.json) console.log(JSON.stringify(pass));
    if ((crawl.model?.failedPages ?? 0) > 0) process.exitCode = 1;
  });
}

function printRules(view: ExtractionView, { json }: Flags): void {
  if (json) {
    console.log(JSON.stringify(view));
    return;
  }
  for (const line of describeRules(view)) console.log(printable(line));
}

function describeRules({ spent, sections }: ExtractionView): string[] {
  return [
    `Spent: ${spentInWords(spent ?? NOTHING)}`,
    ...(sections.length === 0 ? ["No rules were made."] : []),
    ...sections.flatMap(({ section, read, samples, rules, unread }) => [
      `${section}  ${read} pages by rules, made of ${samples.length}`,
      ...(rules.length === 0
        ? []
        : [table(rules.map((rule) => [`  ${rule.name}`, rule.rules.map(shown).join(" or ")]))]),
      ...(unread.length === 0 ? [] : [`  no rule reads ${unread.join(", ")}: the model reads each page`]),
    ]),
  ];
}

const NOTHING = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: null };

function shown({ schema, selector, attribute }: ExtractionView["sections"][number]["rules"][number]["rules"][number]) {
  return `${schema ?? selector ?? ""}${attribute === undefined ? "" : ` @${attribute}`}`;
}

export function evidenceOption(): Option {
  const help = "what becomes of a value whose words do not stand in the page: marked says so, strict makes it null";
  return new Option("--evidence <rule>", help).choices(["marked", "strict"]);
}

/** Throws UserError. */
function extractionOf({ schema, prompt, evidence }: Flags): RequestedExtraction {
  if (schema === undefined && prompt === undefined)
    throw new UserError("Say what is wanted: --schema FILE, --prompt TEXT, or both.", 2);
  const file = schema === undefined ? {} : readExtractionFile("--schema", schema);
  return { ...file, ...(prompt === undefined ? {} : { prompt }), ...(evidence === undefined ? {} : { evidence }) };
}

function describe({ url, title, extracted, spent }: ExtractView): string[] {
  const { calls, input: inputTokens, output: outputTokens } = spent;
  const cost = spentInWords({ calls, inputTokens, outputTokens, costUsd: null });
  if (extracted === null) return [];
  const { evidence, cut, model } = extracted;
  const rows = evidence.map(({ path, words, problem, at, in: part }) => [
    `  ${path.slice(1) || "value"}`,
    short(JSON.stringify(valueAt(extracted.values, path))),
    words === null
      ? `no evidence: ${problem}`
      : `${short(JSON.stringify(words))} at ${part === "title" ? "the title" : at}`,
  ]);
  const cutNote = cut === null ? [] : [`The model saw the first ${cut.sent} of ${cut.of} characters.`];
  return [
    title === null ? url : `${url}  ${title}`,
    ...(rows.length === 0 ? [] : [table([["  VALUE", "", "WORDS OF THE PAGE"], ...rows])]),
    ...(rows.length === 0 && extracted.problem === null ? ["  The model found no values."] : []),
    ...cutNote,
    `${model}: ${cost}`,
  ];
}

function short(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 1)}…` : text;
}
