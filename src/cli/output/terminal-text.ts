import type { CrawlView } from "../../api/views.ts";

/** What a terminal shows of a crawl, and of the words of others. */

/** Completed pages, without assets. */
export function pagesOf({ counts, assets }: Pick<CrawlView, "counts" | "assets">): number {
  return counts.completed - assets.completed;
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
