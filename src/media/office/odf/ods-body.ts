import { type CellRun, SheetTable } from "../../html/markdown/sheet-table.ts";
import type { DocumentWriter } from "../../html/tree/document-writer.ts";
import type { XmlReader } from "../read-xml.ts";

/** Comments, drawings, forms, and what a sheet was before it was changed. */
const SKIPPED = new Set(
  "office:annotation office:forms table:shapes table:tracked-changes table:content-validations draw:frame draw:control".split(
    " ",
  ),
);
/** Cells and rows that stand there by a number alone. */
const MAX_REPEATED = 1_000;
const MAX_TEXT = 100_000;

/** Reads the sheets of `content.xml`: names as headings, cells as they are shown. ODF 1.3 part 3, 9. */
export class OdsBody implements XmlReader {
  truncated: string | null = null;
  /** The number of sheets. */
  partCount = 0;
  readonly #writer: DocumentWriter;
  #table: SheetTable | null = null;
  /** A table in a cell is no sheet. */
  #depth = 0;
  #skipped = 0;
  #rowRepeated = 1;
  #column = 0;
  #cellRepeated = 1;
  #runs: CellRun[] = [];
  #href = "";
  #paragraphs = 0;
  #isInText = 0;

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  get isDone(): boolean {
    return this.#writer.isFull;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) {
      this.#skipped += 1;
      return;
    }
    switch (name) {
      case "table:table":
        this.#depth += 1;
        if (this.#depth === 1) this.#startSheet(attributes.get("table:name") ?? "");
        break;
      case "table:table-row":
        this.#rowRepeated = timesOf(attributes.get("table:number-rows-repeated"));
        this.#column = 0;
        break;
      case "table:table-cell":
      case "table:covered-table-cell":
        this.#cellRepeated = timesOf(attributes.get("table:number-columns-repeated"));
        this.#runs = [];
        this.#paragraphs = 0;
        break;
      case "text:p":
        if (this.#paragraphs > 0) this.#addText("\n");
        this.#paragraphs += 1;
        this.#isInText += 1;
        break;
      case "text:a":
        this.#href = attributes.get("xlink:href") ?? "";
        this.#runs.push({ text: "", href: this.#href });
        break;
      case "text:s":
      case "text:tab":
        this.#addText(" ");
        break;
      case "text:line-break":
        this.#addText("\n");
        break;
    }
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    switch (name) {
      case "table:table":
        this.#depth -= 1;
        if (this.#depth === 0) this.#endSheet();
        break;
      case "table:table-row":
        this.#table?.endRow(Math.min(this.#rowRepeated, MAX_REPEATED));
        break;
      case "table:table-cell":
      case "table:covered-table-cell":
        if (this.#runs.length > 0)
          for (let i = 0; i < Math.min(this.#cellRepeated, MAX_REPEATED); i++)
            this.#table?.addCell(this.#column + i, this.#runs);
        this.#column += this.#cellRepeated;
        break;
      case "text:p":
        this.#isInText -= 1;
        break;
      case "text:a":
        this.#href = "";
        this.#runs.push({ text: "", href: "" });
        break;
    }
  }

  text(part: string): void {
    if (this.#isInText > 0 && this.#skipped === 0) this.#addText(part);
  }

  #startSheet(name: string): void {
    const writer = this.#writer;
    this.partCount += 1;
    writer.startBlock({ heading: 2 });
    writer.text(name);
    writer.endBlock();
    this.#table = new SheetTable(writer);
  }

  #endSheet(): void {
    this.#table?.finish();
    this.truncated ??= this.#table?.truncated ?? null;
    this.#table = null;
  }

  #addText(text: string): void {
    const last = this.#runs.at(-1);
    if (last === undefined) this.#runs.push({ text, href: this.#href });
    else if (last.text.length < MAX_TEXT) last.text += text;
  }
}

function timesOf(written: string | undefined): number {
  const times = Number(written ?? 1);
  return Number.isSafeInteger(times) && times > 0 ? times : 1;
}
