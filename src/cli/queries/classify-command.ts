import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { ClassificationView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { UserError } from "../errors.ts";
import { type ExampleLine, readExampleLines } from "../flags/example-file.ts";
import { CRAWL_HELP, natural, whereOptions } from "../flags/shared-options.ts";
import { type Installation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { note } from "../output/finish.ts";
import { followPassToEnd } from "../output/follow-pass.ts";
import { commandAt } from "../output/go-on.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver classify`: labels the pages of a crawl by examples. */

interface Flags extends WhereOptions {
  examples?: string;
  limit?: number;
  json?: boolean;
}

/** Lines that have no example are named up to this many. */
const MAX_NAMED = 5;

const HELP = `
The file has a label and a URL on each line:
  tutorial https://example.com/first-steps
  "reference, old",https://example.com/api/v1
Two examples of each label are needed, and ten are usually enough. Without --examples, the marks of the crawl are the
examples: orbweaver mark ID LABEL URL...

First come precision, recall and F1 of each label, by cross-validation over the examples; then all completed pages with
their labels. The labels stay in the records: orbweaver records ID --label LABEL`;

export function addClassifyCommand(program: Command): void {
  const command = program
    .command("classify")
    .description("Label the pages of a crawl by examples. The same command goes on after an interruption.")
    .argument("<id>", CRAWL_HELP)
    .option("--examples <file>", "a label and a URL on each line; - is standard input (default: the crawl's marks)")
    .option("--limit <n>", "print at most N pages; all of them get labels", natural(0))
    .option("--json", "print the scores as one JSON object, and no pages");
  command.addHelpText("after", HELP);
  whereOptions(command).action(async (given: string, flags: Flags) => {
    const examples = flags.examples === undefined ? undefined : await readExamples(flags.examples);
    await withInstallation(flags, async (at) => {
      const { id } = await at.client.crawl(given);
      const start = async () => {
        const { missing, ...started } = await at.client.classify(id, examples);
        for (const line of describeMissing(missing)) process.stderr.write(`${printable(line)}\n`);
        return started;
      };
      const again = flags.examples === undefined ? "classify" : `classify --examples ${flags.examples}`;
      const pass = await followPassToEnd(id, start, at, { ...flags, command: again }, (started) => {
        if (started.alreadyRunning) note(flags, "It works with the examples that it began with.");
      });
      if (pass.status !== "completed") return;
      const found = await at.client.classification(id);
      if (flags.json) console.log(JSON.stringify(found));
      else await print(id, found, at, flags);
    });
  });
}

async function readExamples(file: string): Promise<ExampleLine[]> {
  const lines = await readText(file).catch((error: Error) => {
    throw new UserError(`The examples cannot be read: ${error.message}.`, 2);
  });
  const { examples, badLines } = readExampleLines(lines);
  if (badLines.length > 0) {
    const named = badLines.slice(0, MAX_NAMED).join(", ");
    const more = badLines.length > MAX_NAMED ? `, and ${badLines.length - MAX_NAMED} more` : "";
    const places = badLines.length === 1 ? `Line ${named}` : `Lines ${named}${more}`;
    throw new UserError(
      `${places} of ${file} must be a label and a URL, such as: tutorial https://example.com/first-steps`,
      2,
    );
  }
  if (examples.length === 0) throw new UserError(`${file} has no examples: write a label and a URL on each line.`, 2);
  return examples;
}

function readText(file: string): Promise<string> {
  return file === "-" ? text(process.stdin) : readFile(file, "utf8");
}

function* describeMissing(missing: readonly string[]): Generator<string> {
  if (missing.length === 0) return;
  yield missing.length === 1
    ? "Left out: 1 example that is no completed page of this crawl:"
    : `Left out: ${count(missing.length)} examples that are no completed pages of this crawl:`;
  for (const url of missing.slice(0, 4 * MAX_NAMED)) yield `  ${url}`;
  if (missing.length > 4 * MAX_NAMED) yield `  and ${count(missing.length - 4 * MAX_NAMED)} more`;
}

async function print(id: string, found: ClassificationView, { client }: Installation, flags: Flags): Promise<void> {
  console.log(printable(describeScores(found)));
  const total = found.labels.reduce((sum, { pages }) => sum + pages, 0);
  const limit = Math.min(flags.limit ?? total, total);
  if (limit > 0) console.log("");
  const width = Math.max(...found.labels.map(({ label }) => label.length));
  let shown = 0;
  // Pages without a label are no pages of text, such as pictures that are linked.
  for await (const { url, label, confidence } of client.records(id, { status: "completed" })) {
    if (label === null) continue;
    if (shown === limit) break;
    shown += 1;
    console.log(printable(`${label.padEnd(width)}  ${(confidence ?? 0).toFixed(2)}  ${url}`));
  }
  if (shown < total) console.log(`\nAll of them: ${commandAt(`records ${id} --status completed`, flags)}`);
}

/** Lines. */
function describeScores({ labels, macro, folds, byMarks }: ClassificationView): string {
  const examples = labels.reduce((sum, each) => sum + each.examples, 0);
  const percent = (value: number | null) => (value === null ? "-" : value.toFixed(2));
  const rows = [
    ["label", "examples", "precision", "recall", "F1", "pages"],
    ...labels.map((each) => [
      each.label,
      count(each.examples),
      percent(each.precision),
      percent(each.recall),
      percent(each.f1),
      count(each.pages),
    ]),
    [
      "macro",
      count(examples),
      percent(macro.precision),
      percent(macro.recall),
      percent(macro.f1),
      count(labels.reduce((sum, { pages }) => sum + pages, 0)),
    ],
  ];
  return [
    `Cross-validation in ${folds} folds over ${plural(examples, byMarks ? "mark" : "example")}:`,
    "",
    table(rows),
  ].join("\n");
}
