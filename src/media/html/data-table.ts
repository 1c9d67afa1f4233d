import type { ContentElement } from "./content-tree.ts";
import { elementsIn } from "./content-tree.ts";

/**
 * Distinguishes data tables, which have rows and columns, from layout tables, whose cells are read one after the other.
 */

/** Elements that occur only in layout tables. */
const LAYOUT = new Set("table h1 h2 h3 h4 h5 h6 pre hr blockquote article section".split(" "));
const ROW_GROUPS = new Set(["thead", "tbody", "tfoot"]);
/** Characters of a cell. Longer texts are no data. */
const MAX_CELL = 1_500;

const known = new WeakMap<ContentElement, boolean>();

/** Rows and cells in wrong places do not count. */
export function rowsOf(table: ContentElement): ContentElement[] {
  const rows: ContentElement[] = [];
  for (const child of table.children)
    if (child.localName === "tr") rows.push(child);
    else if (ROW_GROUPS.has(child.localName))
      for (const row of child.children) if (row.localName === "tr") rows.push(row);
  return rows;
}

export function cellsOf(row: ContentElement): ContentElement[] {
  return row.children.filter(({ localName }) => localName === "td" || localName === "th");
}

export function isDataTable(table: ContentElement): boolean {
  let answer = known.get(table);
  if (answer === undefined) {
    answer = decide(table);
    known.set(table, answer);
  }
  return answer;
}

function decide(table: ContentElement): boolean {
  for (const element of elementsIn(table)) if (LAYOUT.has(element.localName)) return false;
  const rows = rowsOf(table).map(cellsOf);
  const columns = Math.max(0, ...rows.slice(0, 1_000).map((cells) => cells.length));
  if (columns < 2 || (rows.length < 2 && rows[0]?.[0]?.localName !== "th")) return false;
  return rows.every((cells) => cells.every((cell) => cell.textContent.length <= MAX_CELL));
}

/** Returns the table around an element if it is a data table. */
export function dataTableOf(element: ContentElement): ContentElement | null {
  for (let above = element.parentNode; above !== null; above = above.parentNode)
    if (above.localName === "table") return isDataTable(above) ? above : null;
  return null;
}
