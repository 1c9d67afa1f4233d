import { SheetTable } from "../../html/markdown/sheet-table.ts";
import type { DocumentWriter } from "../../html/tree/document-writer.ts";
import type { ShowNumber } from "../number-format.ts";
import type { XmlReader } from "../read-xml.ts";

const MAX_TEXT = 100_000;
/** What a program shows as a link without a relation. */
const LINK_FORMULA = /^\s*HYPERLINK\s*\(\s*"([^"]*)"/i;

interface SheetContext {
  texts: readonly string[];
  formatOf: (style: number) => ShowNumber;
  /** Where cells lead, by their reference. */
  links: ReadonlyMap<string, string>;
}

/** Reads the rows of a sheet as one table. Rows without text are left out. ECMA-376 part 1, 18.3.1. */
export class XlsxSheet implements XmlReader {
  readonly #table: SheetTable;
  readonly #context: SheetContext;
  #reference = "";
  #type = "";
  #style = 0;
  #value = "";
  #formula = "";
  #reads: "value" | "formula" | "" = "";
  #guides = 0;
  #column = -1;

  /** `share`: how much of the room that is left this sheet may take. */
  constructor(writer: DocumentWriter, context: SheetContext, share: number) {
    this.#table = new SheetTable(writer, share);
    this.#context = context;
  }

  /** The limit that was reached; null if there was none. */
  get truncated(): string | null {
    return this.#table.truncated;
  }

  get isDone(): boolean {
    return this.#table.isFull;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === "row") this.#column = -1;
    else if (name === "c") {
      this.#reference = attributes.get("r") ?? "";
      this.#type = attributes.get("t") ?? "n";
      this.#style = Number(attributes.get("s")) || 0;
      this.#value = this.#formula = "";
      this.#column = columnOf(this.#reference) ?? this.#column + 1;
    } else if (name === "rph") this.#guides += 1;
    else if (name === "v" || (name === "t" && this.#guides === 0)) this.#reads = "value";
    else if (name === "f") this.#reads = "formula";
  }

  close(name: string): void {
    if (name === "rph") this.#guides -= 1;
    else if (name === "c") this.#endCell();
    else if (name === "row") this.#table.endRow();
    if (name === "v" || name === "t" || name === "f") this.#reads = "";
  }

  text(part: string): void {
    if (this.#reads === "value" && this.#value.length < MAX_TEXT) this.#value += part;
    else if (this.#reads === "formula" && this.#formula.length < MAX_TEXT) this.#formula += part;
  }

  finish(): void {
    this.#table.finish();
  }

  #endCell(): void {
    const text = this.#show();
    const href = this.#context.links.get(this.#reference) ?? LINK_FORMULA.exec(this.#formula)?.[1] ?? "";
    this.#table.addCell(this.#column, [{ text, href }]);
  }

  #show(): string {
    const value = this.#value;
    switch (this.#type) {
      case "s":
        return this.#context.texts[Number(value)] ?? "";
      case "b":
        return value === "1" ? "TRUE" : value === "0" ? "FALSE" : value;
      case "n":
        return value === "" || !Number.isFinite(Number(value))
          ? value
          : this.#context.formatOf(this.#style)(Number(value));
      default:
        return value;
    }
  }
}

/** From 0; null for what is no reference such as `AB12`. */
function columnOf(reference: string): number | null {
  const letters = /^([A-Z]{1,3})\d/i.exec(reference)?.[1];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
