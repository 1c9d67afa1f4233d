import { formatInterval, parseInterval } from "../../core/interval.ts";
import type { Unit } from "./option.ts";

/**
 * Writes and reads the numbers of options as people do, in flags and forms alike: milliseconds as seconds, bytes as
 * sizes such as 2GB, and longer times as intervals such as 30m.
 */

/** The unit that a number is written in; null where it is written with its unit, or has none. */
export function writtenUnit(unit: Unit | undefined): string | null {
  if (unit === undefined || isWrittenWith(unit)) return null;
  return unit === "ms" ? "s" : unit;
}

/** Whether a number of this unit is written with it. */
export function isWrittenWith(unit: Unit | undefined): boolean {
  return unit === "bytes" || unit === "bytes/s" || unit === "s";
}

export function writeNumber(value: number, unit: Unit | undefined): string {
  if (unit === "ms") return String(value / 1_000);
  if (unit === "bytes" || unit === "bytes/s") return writeBytes(value);
  return unit === "s" && value !== 0 ? formatInterval(value) : String(value);
}

/** Text that is no such number stays text, for the API to refuse. */
export function readNumber(text: string, unit: Unit | undefined): number | string {
  if (unit === "bytes" || unit === "bytes/s") return parseBytes(text) ?? text;
  const number = Number(text.replaceAll(/[\s,_]/g, ""));
  if (unit === "s" && number !== 0) return parseInterval(text);
  if (!Number.isFinite(number)) return text;
  return unit === "ms" ? Math.round(number * 1_000) : number;
}

/** The multiples are those of 1,000. */
const MULTIPLES: Record<string, number> = { "": 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** A number of bytes: `500000`, `500kB`, `2 GB`, `1.5g`. Null if it is none. */
export function parseBytes(text: string): number | null {
  const [, number = "", prefix = ""] =
    /^(\d+(?:\.\d+)?) ?([kmgt]?)b?(?:\/s)?$/i.exec(text.trim().replaceAll(",", "")) ?? [];
  return number === "" ? null : Math.round(Number(number) * (MULTIPLES[prefix.toLowerCase()] ?? 1));
}

/** The same number in the largest unit that has at most four decimals of it: `2GB`, `26.2144MB`. */
function writeBytes(value: number): string {
  const inUnits = Object.entries(MULTIPLES).flatMap(([prefix, size]) => {
    const written = `${Number((value / size).toFixed(4))}${prefix === "k" ? "k" : prefix.toUpperCase()}B`;
    return prefix !== "" && value >= size && parseBytes(written) === value ? [written] : [];
  });
  return inUnits.at(-1) ?? String(value);
}
