import type { Block, DocumentWriter } from "../../html/tree/document-writer.ts";
import type { XmlReader } from "../read-xml.ts";
import type { OdfStyles } from "./odf-styles.ts";
import { OdsBody } from "./ods-body.ts";

/** Deleted text, comments, how an index is made, descriptions of drawings, forms, phonetic guides. */
const SKIPPED = new Set(
  (
    "text:tracked-changes office:annotation office:annotation-end text:index-title-template office:forms svg:title svg:desc text:ruby-text " +
    "text:table-of-content-source text:alphabetical-index-source text:bibliography-source text:illustration-index-source " +
    "text:table-index-source text:object-index-source text:user-index-source text:sequence-decls text:variable-decls " +
    "text:user-field-decls presentation:footer-decl presentation:header-decl presentation:date-time-decl table:content-validations " +
    "draw:image draw:object-ole office:binary-data text:note-citation text:hidden-text"
  ).split(" "),
);
/** Placeholders whose text repeats on every slide. */
const REPEATED = new Set(["page-number", "footer", "header", "date-time"]);
/** Shapes hold paragraphs of their own. */
const SHAPES = new Set(
  (
    "draw:frame draw:custom-shape draw:rect draw:ellipse draw:circle draw:line draw:polyline draw:polygon draw:regular-polygon " +
    "draw:path draw:connector draw:caption draw:measure"
  ).split(" "),
);
const MAX_SPACES = 1_000;

interface List {
  style: string;
  /** Whether the item that is open has a paragraph. */
  isFilled: boolean;
  /** A header of a list has no mark, and neither has what follows the first paragraph of an item. */
  isHeader: boolean;
}

interface SpanStyle {
  isBold: boolean;
  isItalic: boolean;
  isHidden: boolean;
}

/** Where text stands. A text box and a note have their own, and the one around them waits. */
interface Place {
  lists: List[];
  spans: SpanStyle[];
  isInBlock: boolean;
}

/** Reads `content.xml` of a text, a presentation or a drawing, and leaves sheets to OdsBody. ODF 1.3 part 3. */
export class OdfBody implements XmlReader {
  readonly #writer: DocumentWriter;
  readonly #styles: OdfStyles;
  #isInBody = false;
  #sheets: OdsBody | null = null;
  #skipped = 0;
  #place = newPlace();
  readonly #outer: Place[] = [];
  /** What each open shape is in a presentation, and whether it stands in a paragraph. */
  readonly #shapes: { role: string; isFloat: boolean }[] = [];
  readonly #notes: string[] = [];
  #noteCount = 0;
  #headerRows = 0;
  #slideCount = 0;
  #hasTitle = false;
  #isInNotes = false;

  constructor(writer: DocumentWriter, styles: OdfStyles) {
    this.#writer = writer;
    this.#styles = styles;
  }

  get isDone(): boolean {
    return this.#writer.isFull;
  }

  /** The number of slides or sheets. */
  get partCount(): number {
    return this.#sheets?.partCount ?? this.#slideCount;
  }

  /** A limit besides those of the writer; null if none was reached. */
  get truncated(): string | null {
    return this.#sheets?.truncated ?? null;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#sheets !== null) this.#sheets.open(name, attributes);
    else if (this.#skipped > 0 || SKIPPED.has(name)) this.#skipped += 1;
    else if (name === "office:spreadsheet") this.#sheets = new OdsBody(this.#writer);
    else if (!this.#isInBody) {
      this.#styles.open(name, attributes);
      this.#isInBody = name === "office:body";
    } else if (name.startsWith("text:")) this.#openText(name, attributes);
    else if (name.startsWith("table:")) this.#openTable(name, attributes);
    else this.#openDrawing(name, attributes);
  }

  #openText(name: string, attributes: ReadonlyMap<string, string>): void {
    const writer = this.#writer;
    const style = attributes.get("text:style-name") ?? "";
    switch (name) {
      case "text:p":
        this.#startBlock(null, style);
        break;
      case "text:h":
        this.#startBlock(Number(attributes.get("text:outline-level")) || 1, style);
        break;
      case "text:span":
        this.#startSpan(style);
        break;
      case "text:s":
        this.#addText(" ".repeat(Math.min(Number(attributes.get("text:c") ?? 1) || 0, MAX_SPACES)));
        break;
      case "text:tab":
        this.#addText("\t");
        break;
      case "text:line-break":
        writer.lineBreak();
        break;
      case "text:a":
        writer.startLink(attributes.get("xlink:href") ?? "");
        break;
      case "text:bookmark":
      case "text:bookmark-start":
      case "text:reference-mark":
      case "text:reference-mark-start":
        writer.anchor(attributes.get("text:name") ?? "");
        break;
      case "text:list":
        this.#place.lists.push({ style: style || (this.#place.lists.at(-1)?.style ?? ""), ...NEW_ITEM });
        break;
      case "text:list-item":
      case "text:list-header":
        Object.assign(this.#place.lists.at(-1) ?? {}, NEW_ITEM, { isHeader: name === "text:list-header" });
        break;
      case "text:note":
        this.#noteCount += 1;
        this.#notes.push(`note-${this.#noteCount}`);
        writer.noteReference(`note-${this.#noteCount}`, String(this.#noteCount));
        break;
      case "text:note-body":
        writer.startNote();
        this.#startApart();
        break;
    }
  }

  #openTable(name: string, attributes: ReadonlyMap<string, string>): void {
    const writer = this.#writer;
    switch (name) {
      case "table:table":
        writer.startTable();
        break;
      case "table:table-header-rows":
        this.#headerRows += 1;
        break;
      case "table:table-row":
        writer.startRow();
        break;
      case "table:table-cell":
        writer.startCell({
          span: Number(attributes.get("table:number-columns-spanned")) || 1,
          isHeader: this.#headerRows > 0,
        });
        this.#startApart();
        break;
      case "table:covered-table-cell":
        // The cell that spans it has its text.
        this.#skipped = 1;
    }
  }

  #openDrawing(name: string, attributes: ReadonlyMap<string, string>): void {
    const writer = this.#writer;
    const role = attributes.get("presentation:class") ?? "";
    if (SHAPES.has(name)) {
      if (REPEATED.has(role)) {
        this.#skipped = 1;
        return;
      }
      const isFloat = this.#place.isInBlock;
      this.#shapes.push({ role, isFloat });
      if (isFloat) writer.startFloat();
      this.#startApart();
    } else if (name === "draw:page") {
      this.#slideCount += 1;
      this.#hasTitle = false;
    } else if (name === "draw:a") {
      writer.startLink(attributes.get("xlink:href") ?? "");
      writer.endLink();
    } else if (name === "presentation:notes") {
      writer.startQuote();
      this.#isInNotes = true;
    }
  }

  close(name: string): void {
    const writer = this.#writer;
    if (this.#sheets !== null) this.#sheets.close(name);
    else if (this.#skipped > 0) this.#skipped -= 1;
    else if (!this.#isInBody) this.#styles.close(name);
    else if (SHAPES.has(name)) {
      this.#endApart();
      if (this.#shapes.pop()?.isFloat === true) writer.endFloat();
    } else this.#close(name);
  }

  #close(name: string): void {
    const writer = this.#writer;
    switch (name) {
      case "text:p":
      case "text:h":
        writer.endBlock();
        this.#place.isInBlock = false;
        break;
      case "text:span":
        this.#place.spans.pop();
        break;
      case "text:a":
        writer.endLink();
        break;
      case "text:list":
        this.#place.lists.pop();
        break;
      case "text:note-body":
        this.#endApart();
        writer.endNote(this.#notes.pop() ?? "");
        break;
      case "table:table-cell":
        this.#endApart();
        writer.endCell();
        break;
      case "table:table-row":
        writer.endRow();
        break;
      case "table:table-header-rows":
        this.#headerRows -= 1;
        break;
      case "table:table":
        writer.endTable();
        break;
      case "presentation:notes":
        this.#isInNotes = false;
        writer.endQuote();
        break;
      case "draw:page":
        // Slides without a title are set apart.
        if (!this.#hasTitle) writer.rule();
    }
  }

  text(part: string): void {
    if (this.#sheets !== null) this.#sheets.text(part);
    else if (this.#place.isInBlock && this.#skipped === 0) this.#addText(part);
  }

  #startBlock(outline: number | null, style: string): void {
    this.#place.isInBlock = true;
    this.#place.spans = [];
    this.#writer.startBlock(this.#blockOf(outline, style));
    const list = this.#place.lists.at(-1);
    if (list !== undefined) list.isFilled = true;
  }

  #blockOf(outline: number | null, style: string): Block {
    const { isTitle, isCode, isQuote } = this.#styles.paragraph(style);
    const role = this.#shapes.at(-1)?.role ?? "";
    if (role === "title" && !this.#isInNotes) {
      this.#hasTitle = true;
      return { heading: 2 };
    }
    if (outline !== null) return { heading: Math.min(Math.max(outline, 1), 6) };
    if (isTitle) return { heading: 1 };
    const { lists } = this.#place;
    const list = lists.at(-1);
    if (list === undefined) return { isCode, isQuote };
    const level = lists.length - 1;
    const isOrdered = this.#styles.isOrdered(list.style, lists.length);
    return { list: { level, isOrdered, isContinued: list.isFilled || list.isHeader } };
  }

  #startSpan(style: string): void {
    const around = this.#place.spans.at(-1) ?? PLAIN;
    const own = this.#styles.span(style);
    this.#place.spans.push({
      isBold: own.isBold ?? around.isBold,
      isItalic: own.isItalic ?? around.isItalic,
      isHidden: own.isHidden || around.isHidden,
    });
  }

  #addText(text: string): void {
    const style = this.#place.spans.at(-1) ?? PLAIN;
    if (!style.isHidden) this.#writer.text(text, style);
  }

  #startApart(): void {
    this.#outer.push(this.#place);
    this.#place = newPlace();
  }

  #endApart(): void {
    this.#place = this.#outer.pop() ?? newPlace();
  }
}

const PLAIN: SpanStyle = { isBold: false, isItalic: false, isHidden: false };
const NEW_ITEM = { isFilled: false, isHeader: false };

function newPlace(): Place {
  return { lists: [], spans: [], isInBlock: false };
}
