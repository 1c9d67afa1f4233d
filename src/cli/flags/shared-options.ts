import { type Command, InvalidArgumentError, Option } from "commander";
import { parseInterval } from "../../core/interval.ts";
import { parseBytes } from "../../crawl/options/written-number.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { DEFAULT_STATE } from "../installation/state-paths.ts";

const UTC_DAY_MS = 86_400_000;

/** Options that several commands share, and parsers of option values. */

export function whereOptions(command: Command): Command {
  return command
    .option("--state <dir>", "the folder that stores crawls on this machine", DEFAULT_STATE)
    .option("--remote <url>", "use a deployed Orbweaver instead of this machine", remoteUrl)
    .option("--token <token>", "the token of the deployed Orbweaver (or ORBWEAVER_TOKEN)")
    .option("--insecure-http", "send the token unencrypted to a --remote http:// on another machine");
}

/** The help of an argument that names a crawl. */
export const CRAWL_HELP = "the crawl: its ID, the first characters of it, or latest";

/** The formats in which pages stand in the lines of records. `--formats` is its name of earlier versions. */
export function withFormats(command: Command, help: string): Command {
  command
    .option("--with <list>", help)
    .addOption(new Option("--formats <list>", help).argParser(commaList).hideHelp())
    .on("option:with", (value: string) => command.setOptionValue("formats", commaList(value)));
  return command;
}

/** The address of an Orbweaver, such as 127.0.0.1:8787. */
export function remoteUrl(value: string): string {
  const url = withScheme(value.trim());
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new InvalidArgumentError("It must be the address of an Orbweaver, such as https://crawler.example.com.");
  return url;
}

/** The flag of an option of the API: `chunkTokens` is `--chunk-tokens`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Splits `a,b`. */
export function commaList(value: string): string[] {
  return value.split(",").map((name) => name.trim());
}

/** Splits `a,b`, for an option that may be repeated. */
export function collectList(value: string, before: string[] = []): string[] {
  return [...before, ...commaList(value)];
}

/** Splits `a,b`; `none` is an empty list. */
export function documentList(value: string): string[] {
  return value === "none" ? [] : commaList(value);
}

/** A parser of whole numbers from `min` on. */
export function natural(min: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < min)
      throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`);
    return number;
  };
}

const UNITS_S: Record<string, number> = { h: 3_600, d: 86_400, w: 604_800 };

/** The seconds of a period such as 12h, 7d or 2w. */
export function period(value: string): number {
  const seconds = secondsOf(value);
  if (seconds === null) throw new InvalidArgumentError("It must be a period, such as 12h, 7d or 2w.");
  return seconds;
}

function secondsOf(value: string): number | null {
  const [, count, unit = ""] = /^(\d{1,6})([hdw])$/.exec(value) ?? [];
  return count === undefined ? null : Number(count) * (UNITS_S[unit] ?? 0);
}

/** The seconds of an interval such as 30m, 12h, 7d or 2w. */
export function interval(value: string): number {
  const seconds = parseInterval(value);
  if (typeof seconds === "string" || seconds === 0)
    throw new InvalidArgumentError("It must be an interval, such as 30m, 12h, 7d or 2w.");
  return seconds;
}

/** Like `interval`; 0 is 0. */
export function intervalOrNone(value: string): number {
  return value.trim() === "0" ? 0 : interval(value);
}

/** The days of an interval of at least one day, or "all". */
export function daysOrAll(value: string): number | "all" {
  if (value === "all") return value;
  const days = Math.floor(interval(value) / 86_400);
  if (days === 0) throw new InvalidArgumentError("It must be at least a day, such as 90d, or all.");
  return days;
}

/** Seconds since the Unix epoch, from an ISO 8601 date (UTC if it has no zone) or from a time ago such as 7d. */
export function pastTime(value: string): number {
  const ago = secondsOf(value);
  if (ago !== null) return Math.floor(Date.now() / 1000) - ago;
  const hasZone = /^\d{4}-\d\d-\d\d$|(z|[+-]\d\d:?\d\d)$/i.test(value);
  const date = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(hasZone ? value : `${value}Z`) : Number.NaN;
  if (Number.isNaN(date))
    throw new InvalidArgumentError("It must be a date, such as 2026-03-01, or a time ago, such as 12h, 7d or 2w.");
  return Math.floor(date / 1000);
}

/**
 * Where a list of changes begins: the cursor as it is, or a time as ISO 8601. `today` and `yesterday` are the beginning
 * of a day (UTC), as a date is.
 */
export function since(value: string): string {
  if (/^\d{1,15}$/.test(value)) return value;
  const days = ["today", "yesterday"].indexOf(value.toLowerCase());
  if (days >= 0) return new Date(Math.floor(Date.now() / UTC_DAY_MS - days) * UTC_DAY_MS).toISOString();
  try {
    return new Date(pastTime(value) * 1000).toISOString();
  } catch {
    throw new InvalidArgumentError(
      "It must be a date such as 2026-11-21, today, yesterday, a time ago such as 12h, 7d or 2w, or the cursor of an answer.",
    );
  }
}

/** A number of bytes: `500000`, `500kB`, `2 GB`, `1.5g`. */
export function byteCount(value: string): number {
  const bytes = parseBytes(value);
  if (bytes === null) throw new InvalidArgumentError("It must be a number of bytes, such as 500000, 500kB or 2GB.");
  return bytes;
}

/** A number from 0 to 1. */
export function share(value: string): number {
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError("It must be a number from 0 to 1, such as 0.05.");
  return number;
}

export function decimal(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number < 0)
    throw new InvalidArgumentError("It must be a number, such as 0.5.");
  return number;
}
