import { readFileSync } from "node:fs";
import { type Command, Option as Flag } from "commander";
import { type FormFill, parseFormFill } from "../../core/form-fill.ts";
import type { Option } from "../../crawl/options/option.ts";
import { OPTION_GROUPS, OPTION_ROWS, OPTIONS, type OptionPath, setAt } from "../../crawl/options/option-table.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import type { WebhookOrder } from "../installation/webhook-form.ts";
import { readExtractionFile } from "./extraction-file.ts";
import { readFieldsFile } from "./fields-file.ts";
import { helpOf, isRepeated, longName } from "./flag-help.ts";
import { toSeedUrl } from "./seed-url.ts";
import {
  byteCount,
  collect,
  collectList,
  daysOrAll,
  decimal,
  documentList,
  interval,
  intervalOrNone,
  natural,
  pastTime,
  share,
} from "./shared-options.ts";
import { toExamples } from "./topic-flags.ts";
import { flagsBesideCrawl, nameOfFirst, toHeader, toWebhookForm, webhookOptionsOfCrawl } from "./webhook-flags.ts";

/** The flags of a crawl's options, made of the table of options, and the request that they ask for. */

/** Values of flags by their names in camel case. Named are those that the code looks at. */
export interface CrawlFlags {
  limit?: number;
  delay?: number;
  concurrency?: number;
  ignoreRobots?: boolean;
  render?: string;
  viewport?: string;
  like?: string[];
  fields?: string;
  webhook?: string;
  webhookSecret?: string;
  [name: string]: unknown;
}

/** The commands with flags of their own: `watch` has those of its group. */
type Own = "crawl" | "watch";
type Parser = (value: string, before: unknown) => unknown;
type Row = Option & { flag: string };

/** The flags of commands that plan a crawl. */
export function crawlOptions(command: Command, own?: Own): Command {
  for (const [title, rows] of Object.entries(OPTION_GROUPS)) {
    command.optionsGroup(`${title}:`);
    for (const [path, row] of FLAGGED)
      if (path in rows && isOf(path, row, own))
        command.addOption(path === EVERY ? flagOf(row, helpOf(row)).argParser(addEvery) : flagOf(row, helpOf(row)));
    if (title === "Browser") command.option("--viewport <width>x<height>", `Size of the window (default: ${WINDOW})`);
    if (title === "Notices") webhookOptionsOfCrawl(command, own === "watch");
  }
  return command.optionsGroup("Options:");
}

/** Some of them, for a command with few flags. */
export function pickOptions(command: Command, paths: readonly OptionPath[]): Command {
  for (const [path, row] of FLAGGED) if (paths.includes(path)) command.addOption(flagOf(row, helpOf(row)));
  return command;
}

const { "renderOptions.viewport.width": width, "renderOptions.viewport.height": height } = OPTIONS;
const WINDOW = `${width.default}x${height.default}`;
const FLAGGED = OPTION_ROWS.filter((each): each is [OptionPath, Row] => each[1].flag !== null);
const AMENDABLE = FLAGGED.filter(([, { amended }]) => amended !== undefined);

/** The interval of all pages, and those of some: one flag has both, which are two options. */
interface Every {
  everyS?: number;
  everyFor: string[];
}

/** Headers that the runtime sets by itself, whatever a request has. */
const OF_CONNECTION = /^(?:connection|content-length|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;

const EVERY: OptionPath = "watch.everyS";

function addEvery(value: string, before: Every = { everyFor: [] }): Every {
  const [written = "", ...glob] = value.split(":");
  const everyS = interval(written);
  return glob.length === 0 ? { ...before, everyS } : { ...before, everyFor: [...before.everyFor, value] };
}

/** The flags of options that can change while a crawl runs. */
export function amendOptions(command: Command): Command {
  for (const [, row] of AMENDABLE) {
    const { amended: flagHelp = "", ...rest } = row;
    command.addOption(flagOf(row, helpOf({ ...rest, flagHelp, otherwise: "" })));
  }
  return command;
}

/** The body of the request that changes a crawl. */
export function toAmended(flags: CrawlFlags): Record<string, unknown> {
  return Object.fromEntries(AMENDABLE.map(([path, row]) => [path, flags[attributeOf(row)]]));
}

/** The body of `POST /api/crawls`. Absent flags stay absent, so that the defaults of the API apply. */
export function toRequest(urls: string[], flags: CrawlFlags, own?: Own): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const [path, row] of FLAGGED) {
    if (!isOf(path, row, own)) continue;
    const value = flags[attributeOf(row)];
    if (path === EVERY && value !== undefined) {
      const { everyS, everyFor } = value as Every;
      if (everyS !== undefined) setAt(request, EVERY, everyS);
      setAt(request, "watch.everyFor", everyFor);
      continue;
    }
    const sent = value === undefined ? row.suggested : inRequest(value, row);
    if (sent !== undefined) setAt(request, path, sent);
  }
  checkDrawn(flags);
  if (flags.viewport !== undefined) setAt(request, "renderOptions.viewport", toViewport(flags.viewport));
  return { ...request, urls: urls.map(toSeedUrl), ...toExamples(flags.like), webhook: toWebhook(flags) };
}

function isOf(path: OptionPath, { flagOf }: Row, own: Own | undefined): boolean {
  return path in OPTION_GROUPS.Watch ? own === "watch" : flagOf === undefined || flagOf === own;
}

function attributeOf({ flag }: Row): string {
  return new Flag(flag).attributeName();
}

function flagOf(row: Row, help: string): Flag {
  const flag = new Flag(row.flag, help);
  const parser = parserOf(row);
  return parser === undefined ? flag : flag.argParser<unknown>(parser);
}

/** The parser of the flag's value; undefined for a text or a switch. The API checks the rest. */
function parserOf(row: Row): Parser | undefined {
  const { kind, flag } = row;
  if (flag.endsWith("<list>")) return kind === "choices" ? documentList : (collectList as Parser);
  if (kind === "integer" || kind === "number") return numberParser(row);
  if (kind === "interval") return interval;
  if (kind === "date") return pastTime;
  return isRepeated(row) ? (collect as Parser) : undefined;
}

function numberParser({ kind, flag, unit, min = 0, max }: Row): (value: string) => unknown {
  if (unit === "ms") return decimal;
  if (unit === "bytes" || unit === "bytes/s") return byteCount;
  if (flag.endsWith("<time>")) return unit === "days" ? daysOrAll : intervalOrNone;
  if (kind === "integer") return natural(min);
  return max === 1 ? share : decimal;
}

/** The value of a flag as the API takes it. */
function inRequest(value: unknown, row: Row): unknown {
  const { kind, unit, flagValue }: Option = row;
  if (flagValue !== undefined) return value === true ? flagValue : undefined;
  if (unit === "ms") return Math.round((value as number) * 1_000);
  if (kind === "forms") return (value as string[]).map(toForm);
  if (kind === "pairs") return Object.fromEntries((value as string[]).map((each) => toSentHeader(longName(row), each)));
  if (kind === "extraction") return readExtractionFile(longName(row), value as string);
  if (kind === "rules") return readFieldsFile(value as string).groups;
  return value === "all" && unit === "days" ? undefined : value;
}

/** A header of a crawl's requests. Throws UserError for one that would not be sent. */
function toSentHeader(flag: string, written: string): [string, string] {
  const header = toHeader(flag, written);
  const [name, value] = header;
  if (/^user-agent$/i.test(name)) throw new UserError(`${flag} ${name} is not sent: give --user-agent "${value}".`, 2);
  if (/^host$/i.test(name))
    throw new UserError(
      `${flag} ${name} is not sent: it follows from the URL. If the name resolves nowhere, add it to this machine's /etc/hosts, and crawl http://${value}/.`,
      2,
    );
  if (OF_CONNECTION.test(name))
    throw new UserError(`${flag} ${name} is not sent: it belongs to the connection (RFC 9110, section 7.6).`, 2);
  return header;
}

/** Throws UserError if something is to be done on pages that nobody draws. */
function checkDrawn(flags: CrawlFlags): void {
  if (flags.render !== undefined && flags.render !== "never") return;
  const given = FLAGGED.filter(
    ([path, row]) => path.startsWith("renderOptions.") && flags[attributeOf(row)] !== undefined,
  );
  const names = [...given.map(([, row]) => longName(row)), ...(flags.viewport === undefined ? [] : ["--viewport"])];
  if (names.length === 0) return;
  throw new UserError(
    `${names.join(", ")} can only be done on pages that are drawn: give --render auto or always too.`,
    2,
  );
}

function toViewport(written: string): { width: number; height: number } {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/i.exec(written.trim()) ?? [];
  if (width === undefined || height === undefined)
    throw new UserError(`--viewport ${written} is not WIDTHxHEIGHT, such as ${WINDOW}.`, 2);
  return { width: Number(width), height: Number(height) };
}

/** The webhook that the flags ask for. Throws UserError. */
export function toWebhook(flags: CrawlFlags): WebhookOrder | undefined {
  const given = flagsBesideCrawl(flags);
  if (flags.webhook !== undefined)
    return { url: withScheme(flags.webhook), secret: given.secret, ...toWebhookForm(given, true) };
  const first = nameOfFirst(given);
  if (first === undefined) return undefined;
  throw new UserError(`${first} needs --webhook URL.`, 2);
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
