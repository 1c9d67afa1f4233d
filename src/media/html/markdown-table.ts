import type { ContentElement } from "./content-tree.ts";
import { cellsOf, rowsOf } from "./data-table.ts";

/**
 * Writes GitHub's tables from rows written as `| a | b |`, one per line.
 * https://github.github.com/gfm/#tables-extension-
 */

const RULES: Record<string, string> = { left: ":---", right: "---:", center: ":---:" };
const MAX_COLUMNS = 200;

export function markdownTable(content: string, table: ContentElement): string {
  const lines = content.split("\n").filter((line) => line.startsWith("|"));
  const rows = rowsOf(table).filter(({ children }) => children.length > 0);
  const columns = Math.min(MAX_COLUMNS, Math.max(1, ...rows.slice(0, 1_000).map(columnCount)));
  const caption = table.children
    .find(({ localName }) => localName === "caption")
    ?.textContent.replace(/\s+/g, " ")
    .trim();
  const rule = `|${Array.from({ length: columns }, (_, at) => ` ${ruleOf(rows, at)} |`).join("")}`;
  const head = isHeader(rows[0]) ? lines.slice(0, 1) : [`|${"  |".repeat(columns)}`];
  const written = [...head, rule, ...lines.slice(isHeader(rows[0]) ? 1 : 0)].join("\n");
  return `\n\n${caption ? `${caption}\n\n` : ""}${written}\n\n`;
}

function columnCount(row: ContentElement): number {
  let count = 0;
  for (const cell of cellsOf(row)) count += Math.min(Number.parseInt(cell.getAttribute("colspan") ?? "1", 10) || 1, 50);
  return count;
}

function isHeader(row: ContentElement | undefined): boolean {
  if (row === undefined) return false;
  return row.parentNode?.localName === "thead" || cellsOf(row).every(({ localName }) => localName === "th");
}

/** The first row with an alignment decides. */
function ruleOf(rows: readonly ContentElement[], column: number): string {
  for (const row of rows.slice(0, 2)) {
    const align = RULES[cellsOf(row)[column]?.getAttribute("align")?.toLowerCase() ?? ""];
    if (align !== undefined) return align;
  }
  return "---";
}
