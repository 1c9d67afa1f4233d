import type { Footnotes } from "./footnotes.ts";
import { InlineText, type WriteOptions } from "./inline-text.ts";
import type { CellBudget } from "./table-grid.ts";

/** Collects the blocks of a page, a quote or a list item in Markdown, and sets the empty lines between them. */

/** What all blocks of a page share. */
export interface MarkdownPage {
  readonly footnotes: Footnotes;
  /** Whether dollars stand for mathematics. */
  readonly hasMath: boolean;
  /** What its tables may still repeat. */
  readonly budget: CellBudget;
}

interface WrittenBlock {
  text: string;
  kind: "text" | "list" | "rule";
  /** Of a list. */
  marker: string;
  /** Whether no empty line is before it. */
  isTight: boolean;
}

/** A list whose first number is not 1 needs an empty line after a paragraph, even within another list. */
const BEGINS_LATE = /^(?:(?:[-*]|1[.)]) )*(?!1[.)] )\d{1,9}[.)] /;

interface ItemShape {
  shape?: WriteOptions["shape"];
  isItem?: boolean;
  mayHaveBox?: boolean;
}

export class BlockText {
  readonly page: MarkdownPage;
  /** Text of a heading or of a cell is one line, without blocks. */
  readonly shape: WriteOptions["shape"];
  readonly inline = new InlineText();
  readonly isItem: boolean;
  /** Whether it is an item that may begin with a box to tick. */
  readonly mayHaveBox: boolean;
  #blocks: WrittenBlock[] = [];

  constructor(page: MarkdownPage, { shape = "paragraphs", isItem = false, mayHaveBox = false }: ItemShape = {}) {
    this.page = page;
    this.shape = shape;
    this.isItem = isItem;
    this.mayHaveBox = mayHaveBox;
  }

  /** Whether blocks are written as such. */
  get hasBlocks(): boolean {
    return this.shape === "paragraphs";
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0 && this.inline.isEmpty;
  }

  /** Ends the paragraph. Without blocks, a space takes its place. */
  endBlock(): void {
    if (this.hasBlocks) for (const text of this.#takeInline()) this.#add({ text, kind: "text" });
    else this.inline.addSpace();
  }

  /** Adds a block that is written already. */
  addBlock(text: string): void {
    this.endBlock();
    if (text !== "") this.#add({ text, kind: "text" });
  }

  /** A rule at the start or at the end of the page divides nothing. */
  addRule(): void {
    this.endBlock();
    // In an item, `- ---` would be one rule.
    if (this.hasBlocks) this.#add({ text: this.isItem ? "___" : "---", kind: "rule" });
  }

  /**
   * Adds a list. `write` gets the marker that distinguishes it from a list right before it: without another one both
   * would be one list.
   */
  addList(markers: readonly [string, string], write: (marker: string) => string): void {
    this.endBlock();
    const last = this.#blocks.at(-1);
    const marker = last?.kind === "list" && last.marker === markers[0] ? markers[1] : markers[0];
    const text = write(marker);
    const isTight = this.isItem && last?.kind === "text" && !BEGINS_LATE.test(text);
    if (text !== "") this.#add({ text, kind: "list", marker, isTight });
  }

  /** The text in one line. */
  takeLine(): string {
    return this.#takeInline().join(" ");
  }

  finish(): string {
    this.endBlock();
    let written = "";
    for (const { text, isTight } of this.#blocks) written += `${written === "" ? "" : isTight ? "\n" : "\n\n"}${text}`;
    return written;
  }

  /** Like `finish`, without rules at both ends. */
  finishPage(): string {
    this.endBlock();
    while (this.#blocks[0]?.kind === "rule") this.#blocks.shift();
    while (this.#blocks.at(-1)?.kind === "rule") this.#blocks.pop();
    return this.finish();
  }

  #takeInline(): string[] {
    if (this.inline.isEmpty) return [];
    return this.inline.take({ hasMath: this.page.hasMath, shape: this.shape });
  }

  #add({
    text,
    kind,
    marker = "",
    isTight = false,
  }: Partial<WrittenBlock> & Pick<WrittenBlock, "text" | "kind">): void {
    this.#blocks.push({ text, kind, marker, isTight });
  }
}
