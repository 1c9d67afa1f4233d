import type { Block, DocumentWriter } from "../../html/tree/document-writer.ts";
import type { XmlReader } from "../read-xml.ts";
import type { Relation } from "./ooxml-package.ts";

/** Placeholders whose text repeats on every slide. */
const REPEATED = new Set(["sldnum", "dt", "ftr", "hdr"]);
const TITLES = new Set(["title", "ctrtitle"]);
/** An `obj` is what a placeholder without a type is. */
const BODIES = new Set(["body", "obj"]);
const ON = /^(?:1|true)$/;

/**
 * Reads the shapes of a slide, or of its notes: ECMA-376 part 1, 19.3 and 21.1.2. The text of a title is a heading, the
 * paragraphs of a body are items of a list, and other shapes have plain paragraphs.
 */
export class PptxSlide implements XmlReader {
  readonly #writer: DocumentWriter;
  readonly #relations: ReadonlyMap<string, Relation>;
  readonly #isNotes: boolean;
  #hasTitle = false;
  /** The placeholder of the shape that is read; null for a shape of its own. */
  #placeholder: string | null = null;
  #level = 0;
  /** Whether the paragraph says that it has a mark, or has none; null if its layout says. */
  #isMarked: boolean | null = null;
  #isOrdered = false;
  #isText = false;
  #isRun = false;
  #skipped = 0;
  #isBold = false;
  #isItalic = false;
  #shapeHref = "";
  #isLinked = false;
  #isStarted = false;
  #isInTable = false;
  #rows = 0;

  constructor(writer: DocumentWriter, relations: ReadonlyMap<string, Relation>, isNotes: boolean) {
    this.#writer = writer;
    this.#relations = relations;
    this.#isNotes = isNotes;
  }

  get isDone(): boolean {
    return this.#writer.isFull;
  }

  /** Slides without a title are set apart. */
  finish(): void {
    if (!this.#hasTitle && !this.#isNotes) this.#writer.rule();
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#skipped > 0 || name === "mc:fallback") {
      this.#skipped += 1;
      return;
    }
    switch (name) {
      case "p:sp":
      case "p:graphicframe":
      case "p:pic":
        this.#placeholder = null;
        this.#shapeHref = "";
        break;
      case "p:ph":
        this.#placeholder = (attributes.get("type") ?? "obj").toLowerCase();
        break;
      case "a:p":
        this.#level = 0;
        this.#isMarked = null;
        this.#isOrdered = false;
        this.#isStarted = false;
        break;
      case "a:ppr":
        this.#level = Number(attributes.get("lvl")) || 0;
        break;
      case "a:bunone":
        this.#isMarked = false;
        break;
      case "a:buautonum":
        this.#isOrdered = true;
        this.#isMarked = true;
        break;
      case "a:buchar":
      case "a:bublip":
        this.#isMarked = true;
        break;
      case "a:rpr":
        this.#isBold = ON.test(attributes.get("b") ?? "");
        this.#isItalic = ON.test(attributes.get("i") ?? "");
        break;
      case "a:hlinkclick":
        this.#readLink(attributes.get("r:id") ?? "");
        break;
      case "a:r":
      case "a:fld":
        this.#isBold = this.#isItalic = false;
        this.#isRun = true;
        break;
      case "a:t":
        this.#isText = true;
        break;
      case "a:br":
        this.#start();
        this.#writer.lineBreak();
        break;
      case "a:tbl":
        this.#isInTable = true;
        this.#rows = 0;
        this.#writer.startTable();
        break;
      case "a:tr":
        this.#rows += 1;
        this.#writer.startRow();
        break;
      case "a:tc":
        this.#writer.startCell({ span: Number(attributes.get("gridspan")) || 1, isHeader: this.#rows === 1 });
        break;
    }
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    switch (name) {
      case "a:t":
        this.#isText = false;
        break;
      case "a:r":
      case "a:fld":
        if (this.#isLinked) this.#writer.endLink();
        this.#isLinked = this.#isRun = false;
        break;
      case "a:p":
        this.#writer.endBlock();
        break;
      case "a:tc":
        this.#writer.endCell();
        break;
      case "a:tr":
        this.#writer.endRow();
        break;
      case "a:tbl":
        this.#isInTable = false;
        this.#writer.endTable();
        break;
      case "p:pic":
        this.#writeShapeLink();
        break;
    }
  }

  text(part: string): void {
    if (!this.#isText || this.#skipped > 0 || this.#isLeftOut()) return;
    this.#start();
    this.#writer.text(part, { isBold: this.#isBold, isItalic: this.#isItalic });
  }

  /** The notes of a slide show the slide itself, and the number of their page. */
  #isLeftOut(): boolean {
    const placeholder = this.#placeholder ?? "";
    return REPEATED.has(placeholder) || (this.#isNotes && !BODIES.has(placeholder));
  }

  #start(): void {
    if (this.#isStarted || this.#isLeftOut()) return;
    this.#isStarted = true;
    this.#writer.startBlock(this.#block());
    if (this.#shapeHref !== "") this.#writer.startLink(this.#shapeHref);
  }

  #block(): Block {
    const placeholder = this.#placeholder ?? "";
    if (TITLES.has(placeholder)) {
      this.#hasTitle = true;
      return { heading: 2 };
    }
    const isItem = this.#isMarked ?? (BODIES.has(placeholder) && !this.#isNotes);
    if (!isItem || this.#isInTable) return {};
    return { list: { level: this.#level, isOrdered: this.#isOrdered } };
  }

  /** A link of a run stands in its properties, before its text. A link of a shape stands before all of its text. */
  #readLink(id: string): void {
    const relation = this.#relations.get(id);
    if (relation === undefined || !relation.isExternal) return;
    if (this.#isRun) {
      this.#start();
      this.#writer.startLink(relation.target);
      this.#isLinked = true;
    } else this.#shapeHref = relation.target;
  }

  #writeShapeLink(): void {
    if (this.#shapeHref === "") return;
    this.#writer.startBlock({});
    this.#writer.startLink(this.#shapeHref);
    this.#writer.endLink();
    this.#writer.endBlock();
    this.#shapeHref = "";
  }
}
