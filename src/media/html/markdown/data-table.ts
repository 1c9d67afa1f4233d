import type { ContentElement, ContentNode } from "../article/content-tree.ts";
import { elementsIn, hasText } from "../article/content-tree.ts";

/**
 * Distinguishes data tables, which have rows and columns, from layout tables, whose cells are read one after the other.
 */

/** `lines`: each row of data can be a line. `blocks`: cells hold code, tables or other blocks, so only HTML can. */
type TableKind = "layout" | "lines" | "blocks";

/** Elements that occur only in layout tables. */
const LAYOUT = new Set("h1 h2 h3 h4 h5 h6 hr article section".split(" "));
const BLOCKS = new Set("blockquote pre table".split(" "));
const OUTSIDE_ROWS = new Set("caption colgroup col tr".split(" "));
const CELLS = new Set(["td", "th"]);
const ROW_GROUPS = new Set(["thead", "tbody", "tfoot"]);
/** Characters of a cell. Longer texts are no data. */
const MAX_CELL = 1_500;
/** Likewise in a table with headers whose cells hold blocks. */
const MAX_BLOCK_CELL = 10_000;
/** Characters of a cell in a table of one column without a header. */
const MAX_SINGLE_CELL = 200;

const known = new WeakMap<ContentElement, TableKind>();

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
  return row.children.filter(({ localName }) => CELLS.has(localName));
}

export function tableKind(table: ContentElement): TableKind {
  let kind = known.get(table);
  if (kind === undefined) {
    kind = decide(table);
    known.set(table, kind);
  }
  return kind;
}

export function isDataTable(table: ContentElement): boolean {
  return tableKind(table) !== "layout";
}

function decide(table: ContentElement): TableKind {
  if (/^(?:none|presentation)$/.test(table.getAttribute("role") ?? "") || hasStrayText(table)) return "layout";
  const rows = rowsOf(table).map(cellsOf);
  const columns = Math.max(0, ...rows.slice(0, 1_000).map((cells) => cells.length));
  const isHeaded =
    table.children.some(({ localName }) => localName === "thead") ||
    hasHeaderRow(rows[0] ?? []) ||
    (columns > 1 && rows.length > 1 && rows.every((cells) => cells[0]?.localName === "th"));
  if (columns === 0 || (rows.length < 2 && !isHeaded && rows[0]?.[0]?.localName !== "th")) return "layout";
  if (rows.length < 2 && columns < 2) return "layout";
  let kind: TableKind = "lines";
  for (const { localName } of elementsIn(table)) {
    if (LAYOUT.has(localName) || (localName === "table" && !isHeaded)) return "layout";
    if (BLOCKS.has(localName)) kind = "blocks";
  }
  let longest = 0;
  for (const cells of rows) for (const cell of cells) longest = Math.max(longest, cell.textContent.length);
  if (isHeaded) return kind === "blocks" && (columns < 2 || longest > MAX_BLOCK_CELL) ? "layout" : kind;
  if (columns < 2) return kind === "lines" && rows.every((cells) => cells.every(isShort)) ? "lines" : "layout";
  // A box of text beside an icon.
  if (rows.every((cells) => cells.filter(hasText).length < 2)) return "layout";
  return longest <= MAX_CELL ? kind : "layout";
}

/** Whether text stands between the rows or the cells, where a table has no place for it. */
function hasStrayText(table: ContentElement): boolean {
  return (
    table.childNodes.some((node) => isStray(node, (name) => OUTSIDE_ROWS.has(name) || ROW_GROUPS.has(name))) ||
    rowsOf(table).some(({ childNodes }) => childNodes.some((node) => isStray(node, (name) => CELLS.has(name))))
  );
}

function isStray(node: ContentNode, isKnown: (name: string) => boolean): boolean {
  if (node.nodeType !== 1) return node.textContent.trim() !== "";
  return !isKnown(node.localName) && hasText(node);
}

function hasHeaderRow(cells: readonly ContentElement[]): boolean {
  return cells.length > 0 && cells.every(({ localName }) => localName === "th");
}

function isShort(cell: ContentElement): boolean {
  return cell.textContent.length <= MAX_SINGLE_CELL && cell.querySelectorAll("p,div,ul,ol,dl").length === 0;
}

/** Returns the table around an element if it is a data table. */
export function dataTableOf(element: ContentElement): ContentElement | null {
  for (let above = element.parentNode; above !== null; above = above.parentNode)
    if (above.localName === "table") return isDataTable(above) ? above : null;
  return null;
}
