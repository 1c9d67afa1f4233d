import type { CrawlView } from "../../api/views.ts";

/** Numbers, states and tables as text for people. */

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(count, 1)) / 3), units.length - 1);
  const value = count / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** An integer with a comma for each thousand. `toLocaleString` loads tables first: a hundredth of a short command. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const rounded = Math.round(seconds);
  const minutes = `${Math.floor(rounded / 60) % 60} min ${rounded % 60} s`;
  return rounded < 3600 ? minutes : `${Math.floor(rounded / 3600)} h ${minutes}`;
}

/** "1 page", "2 pages". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Completed pages, without assets. */
export function pagesOf({ counts, assets }: Pick<CrawlView, "counts" | "assets">): number {
  return counts.completed - assets.completed;
}

export function state(status: string): string {
  return status.replaceAll("_", " ");
}

/**
 * Replaces control characters except line ends and tabs. Text from a host may contain control sequences (ECMA-48),
 * which would colour, move or retitle the terminal.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this removes them.
  return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, "\ufffd");
}

/** Pads each column but the last to its widest cell. */
export function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join("  "))
    .join("\n");
}
