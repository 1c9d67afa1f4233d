import { type Command, InvalidArgumentError } from "commander"; // arguments and --help: small, no dependencies, well kept

/** Options that several commands share, and the parsers of their values. */

export function whereOptions(command: Command): Command {
  return command
    .option("--state <dir>", "where crawls are kept on this machine", ".orbweaver")
    .option("--remote <url>", "use a deployed Orbweaver instead of this machine")
    .option("--token <token>", "the deployed one's token (or ORBWEAVER_TOKEN)");
}

export function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

export const FORMATS_HELP =
  "with each page as any of html, rawHtml, markdown, text, json, links and headers, such as markdown,links";

/** `a,b`: as a list is written in a URL too. */
export function listed(value: string): string[] {
  return value.split(",").map((name) => name.trim());
}

/** A whole number of at least `least`. */
export function natural(least: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < least)
      throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
    return number;
  };
}

const UNITS_S: Record<string, number> = { h: 3_600, d: 86_400, w: 604_800 };

/** A date in ISO 8601, in UTC where it names no zone, or how long ago: seconds since the Unix epoch. */
export function pastTime(value: string): number {
  const [, count, unit = ""] = /^(\d{1,6})([hdw])$/.exec(value) ?? [];
  if (count !== undefined) return Math.floor(Date.now() / 1000) - Number(count) * (UNITS_S[unit] ?? 0);
  const hasZone = /^\d{4}-\d\d-\d\d$|(z|[+-]\d\d:?\d\d)$/i.test(value);
  const date = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(hasZone ? value : `${value}Z`) : Number.NaN;
  if (Number.isNaN(date))
    throw new InvalidArgumentError("It must be a date, such as 2026-03-01, or how long ago, such as 12h, 7d or 2w.");
  return Math.floor(date / 1000);
}

export function decimal(value: string): number {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number) || number < 0)
    throw new InvalidArgumentError("It must be a number of seconds, such as 0.5.");
  return number;
}
