import { keepShape } from "../../core/shapes.ts";
import type { ContentElement, ContentNode } from "./content-tree.ts";
import { isDataTable } from "./data-table.ts";
import { BLOCKS } from "./measure.ts";

/** Writes content as text: a line per block, tabs between cells, and white space kept only in `pre`. */

const CELLS = new Set(["td", "th"]);

export function writeText(root: ContentElement): string {
  const writer = keepShape(new LineWriter());
  let node: ContentNode | null = root.firstChild;
  while (node !== null) {
    if (node.nodeType === 3) writer.text(node.data);
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

class LineWriter {
  readonly #lines: string[] = [];
  #line: string[] = [];
  #spaceBefore = false;
  #pre = 0;
  /** The number of open data tables. Their rows are lines, whatever their cells hold. */
  #tables = 0;

  start(element: ContentElement): void {
    const { localName } = element;
    if (localName === "pre") {
      this.#endLine();
      this.#pre += 1;
    } else if (localName === "table") {
      this.#endLine();
      if (isDataTable(element)) this.#tables += 1;
    } else if (this.#tables > 0 && localName !== "tr" && localName !== "caption") {
      if (CELLS.has(localName) && element.previousElementSibling !== null) this.#line.push("\t");
      else if (BLOCKS.has(localName)) this.#spaceBefore = true;
      if (CELLS.has(localName)) this.#spaceBefore = false;
    } else if (BLOCKS.has(localName)) this.#endLine();
  }

  end(element: ContentElement): void {
    const { localName } = element;
    if (localName === "pre") this.#pre -= 1;
    if (localName === "table") {
      this.#endLine();
      if (isDataTable(element)) this.#tables -= 1;
    } else if (this.#tables > 0 && localName !== "tr" && localName !== "caption") {
      if (BLOCKS.has(localName) || localName === "br") this.#spaceBefore = !CELLS.has(localName);
    } else if (BLOCKS.has(localName) || localName === "br") this.#endLine();
  }

  text(data: string): void {
    if (this.#pre > 0 && this.#tables === 0) {
      const [first = "", ...others] = data.replace(/\r\n?/g, "\n").split("\n");
      this.#line.push(first);
      for (const line of others) {
        this.#endPreLine();
        this.#line.push(line);
      }
      return;
    }
    const collapsed = data.replace(/\s+/g, " ");
    const startsWithSpace = collapsed.startsWith(" ");
    const trimmed = collapsed.trim();
    if (trimmed === "") {
      if (startsWithSpace) this.#spaceBefore = true;
      return;
    }
    const isFirst = this.#line.length === 0 || this.#line.at(-1) === "\t";
    if ((startsWithSpace || this.#spaceBefore) && !isFirst) this.#line.push(" ");
    this.#line.push(trimmed);
    this.#spaceBefore = collapsed.endsWith(" ");
  }

  finish(): string {
    this.#endLine();
    return this.#lines.join("\n").replace(/^\n+|\n+$/g, "");
  }

  #endLine(): void {
    const line = this.#line.join("").trimEnd();
    if (line.trim() !== "") this.#lines.push(line);
    this.#line = [];
    this.#spaceBefore = false;
  }

  #endPreLine(): void {
    this.#lines.push(this.#line.join("").trimEnd());
    this.#line = [];
  }
}
