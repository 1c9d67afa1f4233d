import type { ContentElement } from "../article/content-tree.ts";
import { cellsOf, rowsOf } from "./data-table.ts";

/**
 * Lays the cells of a data table out in a grid. https://html.spec.whatwg.org/multipage/tables.html#forming-a-table
 */

const MAX_COLUMNS = 200;
const MAX_SPAN = 50;
const MAX_ROW_SPAN = 1_000;
/** Characters of all cells that are repeated or added on a page, and one more for each of these cells. */
const MAX_ADDED = 1_000_000;

/** What the tables of a page may still add to the cells that it writes. Without it a page could grow a thousandfold. */
export class CellBudget {
  #left = MAX_ADDED;

  /** Whether a cell with this text may be added. After the first that may not, none may. */
  spend(text: string): boolean {
    this.#left -= text.length + 1;
    return this.#left >= 0;
  }
}

interface Grid {
  columns: number;
  /** Rows without cells are left out. Others may be shorter than the table is wide. */
  rows: { row: ContentElement; cells: string[] }[];
}

/**
 * Returns the texts of the cells by row and column. The text of a cell that spans rows or columns stands in each of
 * them, except that of a cell as wide as the table. When the budget is used up, each cell stands once.
 */
export function readGrid(table: ContentElement, textOf: (cell: ContentElement) => string, budget: CellBudget): Grid {
  const rows = rowsOf(table).map((row) => ({ row, cells: cellsOf(row) }));
  const width = Math.max(1, ...rows.slice(0, 1_000).map(({ cells }) => sumSpans(cells)));
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
        if (!budget.spend(open.text)) break;
        open.rows -= 1;
        line.push(open.text);
      }
    };
    for (const cell of cells) {
      fillFromAbove();
      const text = textOf(cell);
      const span = spanOf(cell, "colspan", MAX_SPAN);
      const rows = spanOf(cell, "rowspan", MAX_ROW_SPAN) - 1;
      const repeated = span >= width ? "" : text;
      above[line.length] = { text, rows };
      line.push(text);
      for (let at = 1; at < span && line.length < MAX_COLUMNS && budget.spend(repeated); at++) {
        above[line.length] = { text: repeated, rows };
        line.push(repeated);
      }
    }
    fillFromAbove();
    if (cells.length === 0) continue;
    grid.columns = Math.max(grid.columns, line.length);
    grid.rows.push({ row, cells: line });
  }
  grid.columns = Math.min(grid.columns, MAX_COLUMNS);
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
