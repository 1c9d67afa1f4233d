import type { DocumentWriter } from "../tree/document-writer.ts";

/** A part of a cell's text. */
export interface CellRun {
  /** Line ends break lines. */
  text: string;
  /** Where it leads; empty if it is no link. */
  href: string;
}

/** Columns of a row. A sheet may have 16,384, and one cell at their end would write them all. */
const MAX_COLUMNS = 1_000;

/** Writes rows of data as one table, whose first row is its header. Rows without text are left out. */
export class SheetTable {
  #truncated: string | null = null;
  #isCut = false;
  readonly #writer: DocumentWriter;
  #rows = 0;
  /** The elements that the writer has room for when this table has had its share. */
  readonly #reserved: number;
  #cells: { column: number; runs: readonly CellRun[] }[] = [];

  /** `share`: how much of the room that the document has left this table may take. */
  constructor(writer: DocumentWriter, share = 1) {
    this.#writer = writer;
    this.#reserved = Math.floor(writer.elementsLeft * (1 - share));
  }

  /** Whether every further row is left out. */
  get isFull(): boolean {
    return this.#isCut || this.#writer.isFull;
  }

  /** The limit that was reached; null if there was none. */
  get truncated(): string | null {
    return this.#truncated;
  }

  /** Columns come in ascending order, from 0. */
  addCell(column: number, runs: readonly CellRun[]): void {
    if (runs.every(({ text, href }) => text === "" && href === "")) return;
    if (column < MAX_COLUMNS) this.#cells.push({ column, runs });
    else this.#truncated ??= `cut after ${MAX_COLUMNS.toLocaleString("en")} columns`;
  }

  /** `times`: how often the row stands there. */
  endRow(times = 1): void {
    for (let time = 0; time < times && !this.isFull && this.#cells.length > 0; time++) this.#writeRow();
    this.#cells = [];
  }

  finish(): void {
    if (this.#rows > 0) this.#writer.endTable();
  }

  #writeRow(): void {
    const writer = this.#writer;
    if (this.#rows === 0) writer.startTable();
    writer.startRow();
    let next = 0;
    for (const { column, runs } of this.#cells) {
      while (next < column) {
        this.#writeCell([]);
        next += 1;
      }
      if (next > column) continue;
      this.#writeCell(runs);
      next += 1;
    }
    writer.endRow();
    this.#rows += 1;
    // The sheets that follow have room too.
    if (writer.elementsLeft >= this.#reserved) return;
    this.#isCut = true;
    this.#truncated ??= `cut after ${this.#rows.toLocaleString("en")} rows of a sheet`;
  }

  #writeCell(runs: readonly CellRun[]): void {
    const writer = this.#writer;
    writer.startCell({ isHeader: this.#rows === 0 });
    for (const { text, href } of runs) {
      if (href !== "") writer.startLink(href);
      for (const [i, line] of text.split("\n").entries()) {
        if (i > 0) writer.lineBreak();
        writer.text(line);
      }
      if (href !== "") writer.endLink();
    }
    writer.endCell();
  }
}
