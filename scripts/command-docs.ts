import { Command } from "commander";
import { addCrawlCommand } from "../src/cli/control/crawl-command.ts";
import { addWatchCommands } from "../src/cli/control/watch-command.ts";
import { describeDefault, longName, notesOf } from "../src/cli/flags/flag-help.ts";
import {
  EXPORT_GROUPS,
  type ExportGroup,
  type ExportName,
  exportFormat,
  formatsIn,
  PARAMETER_NAMES,
} from "../src/crawl/export-table.ts";
import type { Option } from "../src/crawl/options/option.ts";
import { nameOptions, OPTION_ROWS, OPTIONS } from "../src/crawl/options/option-table.ts";
import { REASONS } from "../src/crawl/page/reason.ts";
import { REFUSALS } from "../src/scope/refusal.ts";
import { table } from "./schema-table.ts";

/**
 * The generated parts of docs/commands.md: the flags of `crawl` and `watch`, names elsewhere, export formats, and
 * reasons.
 */

const PARTS: Record<string, () => string[]> = {
  options: flagTables,
  names: nameTable,
  formats: formatTable,
  reasons: reasonTable,
  refusals: refusalTable,
};

/** The text with its generated parts written anew. Each stands between two comments with its name. */
export function writeParts(text: string): string {
  return Object.entries(PARTS).reduce((whole, [name, lines]) => {
    const [begin, end] = [`<!-- ${name}: written by npm run docs:api -->`, `<!-- end of ${name} -->`];
    const [before, after] = [whole.indexOf(begin), whole.indexOf(end)];
    if (before === -1 || after === -1) throw new Error(`docs/commands.md has no part ${name}`);
    return `${whole.slice(0, before)}${[begin, "", ...lines(), "", end].join("\n")}${whole.slice(after + end.length)}`;
  }, text);
}

/** The group of flags that are no options of a crawl. */
const PLAIN = "Options:";

function flagTables(): string[] {
  const program = new Command();
  addCrawlCommand(program);
  addWatchCommands(program);
  const flags = program.commands.slice(0, 2).flatMap(({ options }) => options);
  const each = new Map(flags.map((flag) => [flag.flags, flag])).values();
  const { [PLAIN]: plain = [], ...groups } = Object.groupBy(each, (flag) => flag.helpGroupHeading ?? PLAIN);
  return Object.entries({ ...groups, "Other options:": plain }).flatMap(([heading, within = []], i) => [
    ...(i === 0 ? [] : [""]),
    `### ${heading.replace(":", "")}`,
    "",
    ...table(
      ["option", "meaning"],
      within.map(({ flags: flag, description }) => {
        const row = OPTION_ROWS.find(([, { flag: own }]) => own === flag)?.[1];
        return [`\`${flag}\``, row === undefined ? description : describeRow(row)];
      }),
    ),
  ]);
}

function describeRow(row: Option): string {
  const { sentence, flagHelp, flagOf, see } = row;
  const says = nameFlags(flagHelp ?? sentence);
  const command = flagOf === undefined ? "" : ` Of \`${flagOf}\` alone.`;
  const notes = notesOf(row).map((note) => ` ${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
  const preset = describeDefault(row);
  return [
    `${says}${command}${notes.join("")}`,
    ...(preset === "" ? [] : [`(${preset})`]),
    ...(see === undefined ? [] : [`([more](${see}))`]),
  ].join(" ");
}

function nameFlags(sentence: string): string {
  return nameOptions(sentence, (path) => {
    const flag = longName(OPTIONS[path]);
    return flag === "" ? null : `\`${flag}\``;
  });
}

function nameTable(): string[] {
  const named = OPTION_ROWS.flatMap(([path, row]) =>
    row.elsewhere === undefined ? [] : [{ path, row, ...row.elsewhere }],
  );
  const cell = (name = "") => (name === "" ? "" : `\`${name}\``);
  return table(
    ["in the API", "flag", "Cloudflare's /crawl", "Firecrawl"],
    named.map(({ path, row, cloudflare, firecrawl }) => [path, longName(row), cloudflare, firecrawl].map(cell)),
  );
}

function formatTable(): string[] {
  const parameters = PARAMETER_NAMES.filter((name) => name !== "cursor");
  const rowOf = (name: ExportName) => {
    const { about, takes, takesWithFormats = [] } = exportFormat(name);
    const taken = parameters.map((each) =>
      takes.includes(each) ? "yes" : takesWithFormats.includes(each) ? "with `formats`" : "",
    );
    return [`\`${name}\``, about, ...taken];
  };
  return (Object.keys(EXPORT_GROUPS) as ExportGroup[]).flatMap((group, i) => [
    ...(i === 0 ? [] : [""]),
    `### ${EXPORT_GROUPS[group].title}`,
    "",
    EXPORT_GROUPS[group].about,
    "",
    ...table(["format", "contents", ...parameters.map((name) => `\`${name}\``)], formatsIn(group).map(rowOf)),
  ]);
}

function reasonTable(): string[] {
  return table(
    ["reason", "status", "meaning"],
    Object.entries(REASONS).map(([reason, [status, sentence]]) => [`\`${reason}\``, status, sentence]),
  );
}

function refusalTable(): string[] {
  return table(
    ["reason", "the link"],
    Object.entries(REFUSALS).map(([refusal, sentence]) => [`\`${refusal}\``, sentence]),
  );
}
