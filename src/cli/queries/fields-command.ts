import type { Command } from "commander";
import type { FieldsView } from "../../api/views.ts";
import { UserError } from "../errors.ts";
import { readFieldsFile } from "../flags/fields-file.ts";
import { toSeedUrl } from "../flags/seed-url.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";
import { whereToRead } from "../installation/reading-state.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver fields`: reads fields by rules from one page, and proposes rules for it. */

interface Flags extends WhereOptions {
  fields?: string;
  propose?: boolean;
  crawl?: string;
  json?: boolean;
}

const MAX_VALUE = 120;

export function addFieldsCommand(program: Command): void {
  const command = program
    .command("fields")
    .description("Read fields from a page by rules, to check the rules before a crawl. Nothing is stored.")
    .argument("<url>", "the page")
    .option("--fields <file>", FIELDS_HELP)
    .option(
      "--propose",
      "list what fields of the page may be read from, each with a rule; the default without --fields",
    )
    .option("--crawl <id>", "read the page as this crawl stored it, instead of fetching it")
    .option("--json", "print JSON");
  command.addHelpText(
    "after",
    '\nA file such as {"price": {"schema": "Product.offers.price", "selector": ".price", "as": "number"}, "title": {}} reads ' +
      "two fields. The crawl with it: `crawl URL --fields FILE`. All about rules: docs/fields.md.\n\nExit code 1: a field has no value.",
  );
  whereOptions(command).action(async (url: string, given: Flags) => {
    const flags = given.crawl === undefined ? whereToRead(given) : given;
    const file = flags.fields === undefined ? null : readFieldsFile(flags.fields);
    const propose = flags.propose ?? file === null;
    const request = { url: toSeedUrl(url), fields: file?.groups ?? [], crawl: flags.crawl, propose };
    const view = await withInstallation(flags, ({ client }) => client.checkFields(request).catch(file?.explain));
    if (view === undefined) return;
    if (flags.json) console.log(JSON.stringify(view));
    else for (const line of describe(view, file !== null)) console.log(printable(line));
    if (view.problem !== null) throw new UserError(`${view.url} was not read: ${view.problem}.`);
    if (view.fields.some(({ value }) => value === null)) process.exitCode = 1;
  });
}

export const FIELDS_HELP = "rules as JSON: fields by name, or a list of groups by URL; docs/fields.md";

function describe({ url, title, fields, proposals, problem }: FieldsView, hasRules: boolean): string[] {
  if (problem !== null) return [];
  const head = [title === null ? url : `${url}  ${title}`];
  const rows = fields.flatMap(({ name, value, from, by, note, problem }) => [
    [`  ${name}`, value === null ? "-" : shown(value), value === null ? (problem ?? "") : `${from} ${by}`],
    ...(note === null ? [] : [["", "", note]]),
  ]);
  const noRules = hasRules && fields.length === 0 ? ["No group of the file is for this URL."] : [];
  const proposed = proposals.map(({ name, text, rule, count }) => [
    `  ${name}`,
    shown(text),
    JSON.stringify(rule) + (count > 1 ? `  ${count} elements` : ""),
  ]);
  return [
    ...head,
    ...noRules,
    ...(rows.length === 0 ? [] : [table([["  FIELD", "VALUE", "FROM"], ...rows])]),
    ...(proposed.length === 0 ? [] : [table([["  NAME", "TEXT", "RULE"], ...proposed])]),
  ];
}

function shown(value: string | number | readonly string[]): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.replace(/\s+/g, " ");
  return line.length > MAX_VALUE ? `${line.slice(0, MAX_VALUE - 1)}…` : line;
}
