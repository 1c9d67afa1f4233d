import type { ContentElement } from "../article/content-tree.ts";
import { writeElement } from "../tree/write-html.ts";
import { cellsOf } from "./data-table.ts";
import { type CellBudget, readGrid } from "./table-grid.ts";

/**
 * Writes tables: as GitHub's tables, or as HTML where cells hold blocks.
 * https://github.github.com/gfm/#tables-extension- https://spec.commonmark.org/0.31.2/#html-blocks
 */

const RULES: Record<string, string> = { left: ":---", right: "---:", center: ":---:" };

/**
 * `textOf`: the Markdown of a cell, in one line, with its bars escaped. Short rows are filled up with empty cells, as
 * far as the budget goes: GitHub's tables may have rows of any length. The caption is not part of it.
 */
export function markdownTable(
  table: ContentElement,
  textOf: (cell: ContentElement) => string,
  budget: CellBudget,
): string {
  const { columns, rows } = readGrid(table, textOf, budget);
  for (const { cells } of rows) while (cells.length < columns && budget.spend("")) cells.push("");
  const elements = rows.map(({ row }) => row);
  const rule = `|${Array.from({ length: columns }, (_, at) => ` ${ruleOf(elements, at)} |`).join("")}`;
  const lines = rows.map(({ cells }) => `|${cells.map((text) => (text === "" ? " |" : ` ${text} |`)).join("")}`);
  const head = isHeader(elements[0]) ? lines.slice(0, 1) : [`|${"  |".repeat(columns)}`];
  return [...head, rule, ...lines.slice(isHeader(elements[0]) ? 1 : 0)].join("\n");
}

/** An empty line would end a block of HTML, so the second of two line ends is written as a reference. */
export function htmlTable(table: ContentElement): string {
  return writeElement(table)
    .split(/(<pre[\s\S]*?<\/pre>)/)
    .map((part, at) => (at % 2 === 0 ? part.replace(/\s+/g, " ") : part.replace(/\n(?=[ \t]*(?:\n|$))/g, "&#10;")))
    .join("");
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
