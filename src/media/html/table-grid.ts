import type { ContentElement } from "./content-tree.ts";
import { cellsOf, rowsOf } from "./data-table.ts";

/**
 * Lays the cells of a data table out in a grid. https://html.spec.whatwg.org/multipage/tables.html#forming-a-table
 */

const MAX_COLUMNS = 200;
const MAX_SPAN = 50;
const MAX_ROW_SPAN = 1_000;
/** Characters of all repeated texts of a table. */
const MAX_REPEATED = 200_000;

interface Grid {
  columns: number;
  /** Rows without cells are left out. */
  rows: { row: ContentElement; cells: string[] }[];
}

/**
 * Returns the texts of the cells by row and column. The text of a cell that spans rows or columns stands in each of
 * them, except that of a cell as wide as the table. Short rows are filled up with empty texts.
 */
export function readGrid(table: ContentElement, textOf: (cell: ContentElement) => string): Grid {
  const rows = rowsOf(table).map((row) => ({ row, cells: cellsOf(row) }));
  const width = Math.max(1, ...rows.slice(0, 1_000).map(({ cells }) => sumSpans(cells)));
  let left = MAX_REPEATED;
  const repeat = (text: string) => {
    left -= text.length;
    return left < 0 ? "" : text;
  };
  const grid: Grid = { columns: 0, rows: [] };
  let group: ContentElement | null = null;
  let above: { text: string; rows: number }[] = [];
  for (const { row, cells } of rows) {
    // A cell ends with its group of rows.
    if (row.parentNode !== group) above = [];
    group = row.parentNode;
    const line: string[] = [];
    const fillFromAbove = () => {
      for (let open = above[line.length]; open !== undefined && open.rows > 0; open = above[line.length]) {
        open.rows -= 1;
        line.push(repeat(open.text));
      }
    };
    for (const cell of cells) {
      fillFromAbove();
      const text = textOf(cell);
      const span = spanOf(cell, "colspan", MAX_SPAN);
      const rowSpan = spanOf(cell, "rowspan", MAX_ROW_SPAN);
      const isWide = span >= width;
      for (let at = 0; at < span && (at === 0 || line.length < MAX_COLUMNS); at++) {
        above[line.length] = { text: isWide && at > 0 ? "" : text, rows: rowSpan - 1 };
        line.push(at === 0 ? text : isWide ? "" : repeat(text));
      }
    }
    fillFromAbove();
    if (cells.length === 0) continue;
    grid.columns = Math.max(grid.columns, line.length);
    grid.rows.push({ row, cells: line });
  }
  grid.columns = Math.min(grid.columns, MAX_COLUMNS);
  for (const { cells } of grid.rows) while (cells.length < grid.columns) cells.push("");
  return grid;
}

function sumSpans(cells: readonly ContentElement[]): number {
  return cells.reduce((sum, cell) => sum + spanOf(cell, "colspan", MAX_SPAN), 0);
}

/** `rowspan=0` means all the rows that follow in the group. */
function spanOf(cell: ContentElement, name: "colspan" | "rowspan", most: number): number {
  const written = Number.parseInt(cell.getAttribute(name) ?? "1", 10);
  if (name === "rowspan" && written === 0) return most;
  return written > 0 ? Math.min(written, most) : 1;
}
