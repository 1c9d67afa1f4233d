import { collapseSpace } from "../../../core/in-pieces.ts";
import { keepShape } from "../../../core/shapes.ts";
import type { ContentElement, ContentNode } from "../article/content-tree.ts";
import { BLOCKS } from "../article/measure.ts";
import { trimNewlines } from "../tree/tidy.ts";
import { withLineFeeds } from "./code.ts";
import { tableKind } from "./data-table.ts";
import { CellBudget, readGrid } from "./table-grid.ts";

/** Writes content as text: a line per block, tabs between cells, and white space kept only in `pre`. */

/** `most`: ends after the line that goes beyond so many characters. */
export function writeText(root: ContentElement, most = Number.POSITIVE_INFINITY): string {
  const writer = keepShape(new LineWriter());
  const budget = new CellBudget();
  let node: ContentNode | null = root.firstChild;
  while (node !== null && writer.length <= most) {
    if (node.nodeType === 3) writer.text(node.data);
    else if (node.localName === "table" && tableKind(node) === "lines") writer.lines(tableLines(node, budget));
    else {
      writer.start(node);
      if (node.firstChild !== null) {
        node = node.firstChild;
        continue;
      }
      writer.end(node);
    }
    while (node.nextSibling === null) {
      const above: ContentElement | null = node.parentNode;
      if (above === null || above === root) return writer.finish();
      writer.end(above);
      node = above;
    }
    node = node.nextSibling;
  }
  return writer.finish();
}

function tableLines(table: ContentElement, budget: CellBudget): string[] {
  const captions = table.children.filter(({ localName }) => localName === "caption").map(oneLine);
  return [...captions, ...readGrid(table, oneLine, budget).rows.map(({ cells }) => cells.join("\t"))];
}

function oneLine(cell: ContentElement): string {
  return collapseSpace(writeText(cell));
}

/** Lines that are joined at a time: a page may have millions. */
const JOINED_LINES = 4_096;

class LineWriter {
  /** Characters of the lines that have ended. */
  length = 0;
  readonly #joined: string[] = [];
  #lines: string[] = [];
  #line: string[] = [];
  #spaceBefore = false;
  #pre = 0;

  start({ localName }: ContentElement): void {
    if (BLOCKS.has(localName)) this.#endLine();
    if (localName === "pre") this.#pre += 1;
  }

  end({ localName }: ContentElement): void {
    if (localName === "pre") this.#pre -= 1;
    if (BLOCKS.has(localName) || localName === "br") this.#endLine();
  }

  lines(lines: readonly string[]): void {
    this.#endLine();
    for (const line of lines) if (line.trim() !== "") this.#add(line.trimEnd());
  }

  text(data: string): void {
    if (this.#pre > 0) {
      const written = withLineFeeds(data);
      let from = 0;
      for (let end = written.indexOf("\n"); end !== -1; end = written.indexOf("\n", from)) {
        this.#line.push(written.slice(from, end));
        this.#endPreLine();
        from = end + 1;
      }
      this.#line.push(written.slice(from));
      return;
    }
    const collapsed = collapseSpace(data);
    const startsWithSpace = collapsed.startsWith(" ");
    const trimmed = collapsed.trim();
    if (trimmed === "") {
      if (startsWithSpace) this.#spaceBefore = true;
      return;
    }
    if ((startsWithSpace || this.#spaceBefore) && this.#line.length > 0) this.#line.push(" ");
    this.#line.push(trimmed);
    this.#spaceBefore = collapsed.endsWith(" ");
  }

  finish(): string {
    this.#endLine();
    if (this.#lines.length > 0) this.#joined.push(this.#lines.join("\n"));
    return trimNewlines(this.#joined.join("\n"));
  }

  #endLine(): void {
    const line = this.#line.join("").trimEnd();
    if (line.trim() !== "") this.#add(line);
    this.#line = [];
    this.#spaceBefore = false;
  }

  #endPreLine(): void {
    this.#add(this.#line.join("").trimEnd());
    this.#line = [];
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.length += line.length + 1;
    if (this.#lines.length < JOINED_LINES) return;
    this.#joined.push(this.#lines.join("\n"));
    this.#lines = [];
  }
}
