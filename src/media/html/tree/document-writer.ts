import { escapeAttribute, escapeHtml } from "./write-html.ts";
import { WrittenSize } from "./written-size.ts";

/**
 * Writes a document as HTML for `makeWrittenDocument`: paragraphs, headings, lists, code, tables, notes. Readers say
 * what stands there, in order; tags, their nesting and every limit are decided here.
 */

export interface Block {
  /** 1 to 6, for a heading. */
  heading?: number;
  /** For an item of a list. `level`: from 0. `isContinued`: a further paragraph of the item before. */
  list?: { level: number; isOrdered: boolean; isContinued?: boolean };
  /** White space stands as written; blocks that follow one another are lines of one block of code. */
  isCode?: boolean;
  isQuote?: boolean;
}

interface TextStyle {
  isBold?: boolean;
  isItalic?: boolean;
}

/** The content of the body, of a cell, or of what floats. */
interface Flow {
  /** The open lists, the outermost first, with the number of tags around each. */
  lists: { isOrdered: boolean; depth: number }[];
  isInCode: boolean;
  depth: number;
  /** Whether its first paragraph needs no tag: a cell that has no content yet. */
  isBare: boolean;
}

/** What is written apart, and put in its place later: notes, text boxes. */
interface Sheet {
  written: string[];
  /** The open tags; null for one that is not written. */
  tags: (string | null)[];
  flows: Flow[];
  block: Block | null;
  /** The number of tags around the text of the open block; null until it has content. */
  blockDepth: number | null;
  link: { href: string } | null;
  openLink: { href: string } | null;
  openStyle: string;
  floats: string[];
}

export class DocumentWriter {
  readonly #size = new WrittenSize();
  #sheet = newSheet();
  readonly #outer: Sheet[] = [];
  #ids: string[] = [];
  readonly #notes: { id: string; html: string }[] = [];

  /** The limit that was reached; null if all was written. */
  get truncated(): string | null {
    return this.#size.truncated;
  }

  /** Whether everything that follows is left out. */
  get isFull(): boolean {
    return this.#size.isFull;
  }

  /** How many more elements there is room for. */
  get elementsLeft(): number {
    return this.#size.elementsLeft;
  }

  /** Ends the block before, if it is open. A block without content is not written. */
  startBlock(block: Block): void {
    if (this.#sheet.block !== null) this.endBlock();
    this.#sheet.block = block;
  }

  endBlock(): void {
    const sheet = this.#sheet;
    if (sheet.block === null) return;
    // An empty line of code.
    if (sheet.blockDepth === null && sheet.block.isCode === true && this.#flow().isInCode) this.#push("\n");
    if (sheet.blockDepth !== null) this.#closeTo(this.#endOfBlock(sheet.block, sheet.blockDepth));
    Object.assign(sheet, { block: null, blockDepth: null, link: null, openLink: null, openStyle: "" });
    for (const float of sheet.floats.splice(0)) this.#push(float);
  }

  /** Opens a block for text that has none. */
  text(text: string, { isBold = false, isItalic = false }: TextStyle = {}): void {
    if (text === "" || this.isFull) return;
    const sheet = this.#sheet;
    // White space alone does not open a block, unless it is the indent of code.
    if (sheet.blockDepth === null && sheet.block?.isCode !== true && text.trim() === "") return;
    const isPlain = sheet.block?.heading !== undefined || sheet.block?.isCode === true;
    this.#openInline(isPlain ? "" : `${isBold ? "b" : ""}${isItalic ? "i" : ""}`);
    const escaped = escapeHtml(text);
    this.#size.addText(escaped);
    if (!this.isFull) this.#push(escaped);
  }

  lineBreak(): void {
    const { block, blockDepth } = this.#sheet;
    if (block?.isCode === true) this.text("\n");
    else if (blockDepth !== null && !this.isFull) {
      this.#size.addElement("");
      this.#push("<br>");
    }
  }

  /** Text up to `endLink` leads to `href`, as the document writes it. */
  startLink(href: string): void {
    this.#sheet.link = { href };
  }

  endLink(): void {
    const { link, openLink } = this.#sheet;
    // A picture that leads somewhere has no text.
    if (link !== null && link !== openLink && !this.isFull) this.#openInline("");
    this.#sheet.link = null;
  }

  /** A target of fragments, in front of the next text. */
  anchor(id: string): void {
    if (id !== "" && this.#ids.length < 1_000) this.#ids.push(id);
  }

  startTable(): void {
    this.#startContainer("table");
  }

  startRow(): void {
    this.#open("tr");
  }

  /** `span`: columns. */
  startCell({ span = 1, isHeader = false }: { span?: number; isHeader?: boolean } = {}): void {
    this.#open(isHeader ? "th" : "td", span > 1 ? ` colspan="${Math.min(span, 1_000)}"` : "");
    this.#sheet.flows.push({ lists: [], isInCode: false, depth: this.#sheet.tags.length, isBare: true });
  }

  endCell(): void {
    this.#endFlow();
    this.#close();
  }

  endRow(): void {
    this.#close();
  }

  endTable(): void {
    this.#close();
  }

  /** A line between parts. */
  rule(): void {
    this.#endFlowing();
    if (this.isFull) return;
    this.#size.addElement("");
    this.#push("<hr>");
  }

  startQuote(): void {
    this.#startContainer("blockquote");
    this.#sheet.flows.push({ lists: [], isInCode: false, depth: this.#sheet.tags.length, isBare: false });
  }

  endQuote(): void {
    this.#endFlow();
    this.#close();
  }

  /** What follows, up to `endFloat`, stands after the block that is open now: a text box in a paragraph. */
  startFloat(): void {
    this.#outer.push(this.#sheet);
    this.#sheet = newSheet();
  }

  endFloat(): void {
    const html = this.#endSheet();
    if (this.#sheet.block !== null) this.#sheet.floats.push(html);
    else {
      if (this.#flow().isInCode) this.#endFlowing();
      this.#push(html);
    }
  }

  /** Writes a reference to a note. The same `id` goes to `startNote`. */
  noteReference(id: string, mark: string): void {
    if (this.isFull) return;
    this.#openInline("");
    const depth = this.#sheet.tags.length;
    this.#open("sup");
    this.#open("a", ` href="#${escapeAttribute(id)}"`);
    this.#push(escapeHtml(mark.slice(0, 20)));
    this.#closeTo(depth);
  }

  /** What follows, up to `endNote`, stands at the end of the document. */
  startNote(): void {
    this.startFloat();
  }

  endNote(id: string): void {
    this.#notes.push({ id, html: this.#endSheet() });
  }

  /** The whole document. Ends what is open. */
  finish(): string {
    while (this.#outer.length > 0) this.endFloat();
    this.endBlock();
    this.#closeTo(0);
    if (this.#ids.length > 0) this.#push(this.#takeIds());
    const { written } = this.#sheet;
    if (this.#notes.length === 0) return written.join("");
    const notes = this.#notes.map(({ id, html }) => `<li id="${escapeAttribute(id)}">${html}</li>`);
    return `${written.join("")}<hr><ol>${notes.join("")}</ol>`;
  }

  #flow(): Flow {
    return this.#sheet.flows.at(-1) as Flow;
  }

  #openInline(style: string): void {
    const sheet = this.#sheet;
    if (sheet.blockDepth === null) this.#openBlock(sheet.block ?? {});
    const depth = sheet.blockDepth ?? 0;
    if (sheet.link !== sheet.openLink) {
      this.#closeTo(depth);
      if (sheet.link !== null) this.#open("a", ` href="${escapeAttribute(sheet.link.href)}"`);
      Object.assign(sheet, { openLink: sheet.link, openStyle: "" });
    }
    if (style !== sheet.openStyle) {
      this.#closeTo(depth + (sheet.openLink === null ? 0 : 1));
      for (const tag of style) this.#open(tag);
      sheet.openStyle = style;
    }
    if (this.#ids.length > 0) this.#push(this.#takeIds());
  }

  #takeIds(): string {
    const anchors = this.#ids.splice(0).map((id) => ` id="${escapeAttribute(id)}"`);
    for (const attributes of anchors) this.#size.addElement(attributes);
    return anchors.map((attributes) => `<a${attributes}></a>`).join("");
  }

  #openBlock(block: Block): void {
    const sheet = this.#sheet;
    const flow = this.#flow();
    sheet.block = block;
    if (block.isCode === true && block.list === undefined) {
      if (flow.isInCode) this.#push("\n");
      else {
        this.#closeTo(flow.depth);
        flow.lists = [];
        this.#open("pre");
        flow.isInCode = true;
      }
    } else {
      if (flow.isInCode) this.#closeTo(flow.depth);
      flow.isInCode = false;
      if (block.list !== undefined && block.heading === undefined) this.#openItem(flow, block.list);
      else {
        this.#closeTo(flow.depth);
        flow.lists = [];
        const tag = block.heading === undefined ? (block.isQuote ? "blockquote" : "p") : `h${block.heading}`;
        // The text of most cells is one paragraph.
        if (tag === "p" && flow.isBare) sheet.tags.push(null);
        else this.#open(tag);
      }
    }
    flow.isBare = false;
    sheet.blockDepth = sheet.tags.length;
  }

  #openItem(flow: Flow, { level, isOrdered, isContinued = false }: NonNullable<Block["list"]>): void {
    // A level that jumps goes one deeper: a list cannot hold a list without an item around it.
    const at = Math.min(Math.max(level, 0), flow.lists.length);
    const open = flow.lists[at];
    if (isContinued && open !== undefined) {
      flow.lists.length = at + 1;
      // The list and its item stay open.
      this.#closeTo(open.depth + 2);
      this.#open("p");
      return;
    }
    if (open?.isOrdered === isOrdered) {
      flow.lists.length = at + 1;
      this.#closeTo(open.depth + 1);
    } else {
      if (open !== undefined) this.#closeTo(open.depth);
      flow.lists.length = at;
      flow.lists.push({ isOrdered, depth: this.#sheet.tags.length });
      this.#open(isOrdered ? "ol" : "ul");
    }
    this.#open("li");
  }

  /** The number of tags that stay open after a block: an item may still get a list, code its next line. */
  #endOfBlock({ heading, list, isCode }: Block, depth: number): number {
    const stays = heading === undefined && (list === undefined ? isCode === true : list.isContinued !== true);
    return stays ? depth : depth - 1;
  }

  #startContainer(tag: string): void {
    this.#endFlowing();
    this.#open(tag);
  }

  /** Ends what is open in this flow: a block, lists, code. */
  #endFlowing(): void {
    this.endBlock();
    const flow = this.#flow();
    this.#closeTo(flow.depth);
    Object.assign(flow, { lists: [], isInCode: false, isBare: false });
  }

  #endFlow(): void {
    this.#endFlowing();
    if (this.#sheet.flows.length > 1) this.#sheet.flows.pop();
  }

  #endSheet(): string {
    this.endBlock();
    this.#closeTo(0);
    const html = this.#sheet.written.join("");
    this.#sheet = this.#outer.pop() ?? newSheet();
    return html;
  }

  #open(tag: string, attributes = ""): void {
    this.#size.addElement(attributes);
    this.#sheet.tags.push(this.isFull ? null : tag);
    if (!this.isFull) this.#push(`<${tag}${attributes}>`);
  }

  #close(): void {
    const tag = this.#sheet.tags.pop();
    if (tag != null) this.#push(`</${tag}>`);
  }

  #closeTo(depth: number): void {
    while (this.#sheet.tags.length > depth) this.#close();
  }

  #push(html: string): void {
    if (html !== "") this.#sheet.written.push(html);
  }
}

function newSheet(): Sheet {
  return {
    written: [],
    tags: [],
    flows: [{ lists: [], isInCode: false, depth: 0, isBare: false }],
    block: null,
    blockDepth: null,
    link: null,
    openLink: null,
    openStyle: "",
    floats: [],
  };
}
