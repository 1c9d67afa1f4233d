import type { CrawlView } from "../api/views.ts";

/** Numbers and states as people read them. */

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), units.length - 1);
  const value = count / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = `${Math.floor(whole / 60) % 60} min ${whole % 60} s`;
  return whole < 3600 ? minutes : `${Math.floor(whole / 3600)} h ${minutes}`;
}

/** "1 page", "2 pages". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Pages kept, without the assets that were kept with them. */
export function pagesOf({ counts, assets }: Pick<CrawlView, "counts" | "assets">): number {
  return counts.completed - assets.completed;
}

export function state(status: string): string {
  return status.replaceAll("_", " ");
}

/**
 * For a terminal: what a host sent (a content type, a directive) may hold the control sequences of ECMA-48, which would colour, move or
 * retitle it. Line ends and tabs stay.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}

/** Columns as wide as their widest cell; the last is left ragged. */
export function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("  "))
    .join("\n");
}
