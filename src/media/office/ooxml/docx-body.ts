import type { Block, DocumentWriter } from "../../html/tree/document-writer.ts";
import { hyperlinkOf, joinPlace } from "../hyperlink.ts";
import type { XmlReader } from "../read-xml.ts";
import { type ListMarks, outlineLevel, type ParagraphStyle } from "./docx-styles.ts";
import type { Relation } from "./ooxml-package.ts";

/** What the parts of a Word document share. */
interface DocxContext {
  writer: DocumentWriter;
  styleOf: (id: string) => ParagraphStyle;
  markOf: ListMarks;
  /** The marks of the notes that the body refers to, by `footnote-1` or `endnote-1`. */
  notes: Map<string, string>;
}

interface Paragraph {
  isStarted: boolean;
  style: string;
  outline: number | null;
  numId: string | null;
  level: number | null;
}

interface Field {
  instruction: string;
  isLink: boolean;
}

/** Deleted text, and the drawings of older programs beside newer ones. */
const SKIPPED = new Set("mc:fallback w:del w:movefrom w:ppr-change w:pprchange w:rprchange w:tblprchange".split(" "));
const NOTE = /^w:(foot|end)note$/;
const REFERENCE = /^w:(foot|end)notereference$/;
const MAX_INSTRUCTION = 10_000;

/** Reads `document.xml`, `footnotes.xml` or `endnotes.xml`: ECMA-376 part 1, 17.2 and 17.11. */
export class DocxBody implements XmlReader {
  readonly #context: DocxContext;
  readonly #writer: DocumentWriter;
  readonly #relations: ReadonlyMap<string, Relation>;
  /** The paragraph of each text box around, the innermost last. */
  readonly #paragraphs: Paragraph[] = [newParagraph()];
  readonly #fields: Field[] = [];
  /** The number of open elements from the one that is skipped. */
  #skipped = 0;
  #isInParagraphProperties = false;
  #isBold = false;
  #isItalic = false;
  #isHidden = false;
  #isText = false;
  #isInstruction = false;
  #isHeaderRow = false;
  /** The columns of a cell that has begun and has no content yet; null if there is none. */
  #cellSpan: number | null = null;
  #alternative = "";
  #note: string | null = null;

  constructor(context: DocxContext, relations: ReadonlyMap<string, Relation>) {
    this.#context = context;
    this.#writer = context.writer;
    this.#relations = relations;
  }

  get isDone(): boolean {
    return this.#writer.isFull;
  }

  get #paragraph(): Paragraph {
    return this.#paragraphs.at(-1) as Paragraph;
  }

  open(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#skipped > 0 || SKIPPED.has(name) || this.#isOtherNote(name, attributes)) {
      this.#skipped += 1;
      return;
    }
    if (name.startsWith("w:")) this.#openWord(name, attributes);
    else if (name === "m:t") this.#isText = true;
    else if (name === "wp:docpr") this.#alternative = attributes.get("descr") ?? attributes.get("name") ?? "";
    else if (name === "a:hlinkclick") this.#linkPicture(attributes.get("r:id") ?? "");
  }

  #openWord(name: string, attributes: ReadonlyMap<string, string>): void {
    const value = attributes.get("w:val") ?? "";
    const isOn = !/^(?:0|false|off|none)$/.test(value);
    const paragraph = this.#paragraph;
    switch (name) {
      case "w:p":
        this.#startCell();
        this.#paragraphs[this.#paragraphs.length - 1] = newParagraph();
        break;
      case "w:ppr":
        this.#isInParagraphProperties = true;
        break;
      case "w:pstyle":
        paragraph.style = value;
        break;
      case "w:outlinelvl":
        paragraph.outline = Number(value);
        break;
      case "w:numid":
        paragraph.numId = value;
        break;
      case "w:ilvl":
        paragraph.level = Number(value) || 0;
        break;
      case "w:r":
        this.#isBold = this.#isItalic = this.#isHidden = false;
        break;
      case "w:b":
        if (!this.#isInParagraphProperties) this.#isBold = isOn;
        break;
      case "w:i":
        if (!this.#isInParagraphProperties) this.#isItalic = isOn;
        break;
      case "w:vanish":
        if (!this.#isInParagraphProperties) this.#isHidden = isOn;
        break;
      case "w:t":
        this.#isText = true;
        break;
      case "w:instrtext":
        this.#isInstruction = true;
        break;
      case "w:tab":
        // Tab stops stand in the properties of a paragraph.
        if (!this.#isInParagraphProperties) this.#addText("\t");
        break;
      case "w:br":
      case "w:cr":
        this.#start();
        this.#writer.lineBreak();
        break;
      case "w:nobreakhyphen":
        this.#addText("-");
        break;
      case "w:hyperlink":
        this.#startLink(
          joinPlace(this.#targetOf(attributes.get("r:id") ?? ""), attributes.get("w:anchor") ?? "") ?? "",
        );
        break;
      case "w:fldsimple":
        this.#startField(attributes.get("w:instr") ?? "");
        break;
      case "w:fldchar":
        this.#markField(attributes.get("w:fldchartype") ?? "");
        break;
      case "w:bookmarkstart":
        // Word writes `_GoBack` where the last change was.
        if (attributes.get("w:name") !== "_GoBack") this.#writer.anchor(attributes.get("w:name") ?? "");
        break;
      case "w:txbxcontent":
        this.#start();
        this.#writer.startFloat();
        this.#paragraphs.push(newParagraph());
        break;
      case "w:footnotereference":
      case "w:endnotereference":
        this.#addReference(name, attributes.get("w:id") ?? "");
        break;
      default:
        this.#openTable(name, attributes, value);
    }
  }

  #openTable(name: string, attributes: ReadonlyMap<string, string>, value: string): void {
    if (name === "w:tbl") {
      this.#startCell();
      this.#writer.startTable();
    } else if (name === "w:tr") {
      this.#isHeaderRow = false;
      this.#writer.startRow();
    } else if (name === "w:tblheader") this.#isHeaderRow = !/^(?:0|false|off)$/.test(value);
    else if (name === "w:tc") this.#cellSpan = 1;
    else if (name === "w:gridspan" && this.#cellSpan !== null) this.#cellSpan = Number(value) || 1;
    else if (NOTE.test(name)) {
      this.#note = noteId(name, attributes.get("w:id") ?? "");
      this.#writer.startNote();
    }
  }

  close(name: string): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    switch (name) {
      case "w:p":
        this.#start();
        this.#writer.endBlock();
        break;
      case "w:ppr":
        this.#isInParagraphProperties = false;
        break;
      case "w:t":
      case "m:t":
        this.#isText = false;
        break;
      case "w:instrtext":
        this.#isInstruction = false;
        break;
      case "w:hyperlink":
        this.#writer.endLink();
        break;
      case "w:fldsimple":
        this.#markField("end");
        break;
      case "w:txbxcontent":
        this.#paragraphs.pop();
        this.#writer.endFloat();
        break;
      case "w:tc":
        this.#startCell();
        this.#writer.endCell();
        break;
      case "w:tr":
        this.#writer.endRow();
        break;
      case "w:tbl":
        this.#writer.endTable();
        break;
      case "w:footnote":
      case "w:endnote":
        if (this.#note !== null) this.#writer.endNote(this.#note);
        this.#note = null;
    }
  }

  text(part: string): void {
    if (this.#skipped > 0) return;
    if (this.#isText) this.#addText(part);
    else if (this.#isInstruction) {
      const field = this.#fields.at(-1);
      if (field !== undefined && field.instruction.length < MAX_INSTRUCTION) field.instruction += part;
    }
  }

  #addText(text: string): void {
    if (this.#isHidden) return;
    this.#start();
    this.#writer.text(text, { isBold: this.#isBold, isItalic: this.#isItalic });
  }

  /** The properties of a paragraph are known when its first content comes. */
  #start(): void {
    const paragraph = this.#paragraph;
    if (paragraph.isStarted) return;
    paragraph.isStarted = true;
    this.#startCell();
    this.#writer.startBlock(this.#blockOf(paragraph));
  }

  #blockOf({ style, outline, numId, level }: Paragraph): Block {
    const styled = this.#context.styleOf(style);
    const heading = outlineLevel(outline) ?? styled.heading;
    if (heading !== null) return { heading };
    const list = numId === null ? styled.list : { numId, level: level ?? styled.list?.level ?? 0 };
    // Id 0 takes a paragraph out of the list of its style.
    const mark = list === null || list.numId === "0" ? "none" : this.#context.markOf(list.numId, list.level);
    if (list !== null && mark !== "none") return { list: { level: list.level, isOrdered: mark === "ordered" } };
    return { isCode: styled.isCode, isQuote: styled.isQuote };
  }

  #startCell(): void {
    if (this.#cellSpan === null) return;
    this.#writer.startCell({ span: this.#cellSpan, isHeader: this.#isHeaderRow });
    this.#cellSpan = null;
  }

  #startLink(href: string): void {
    this.#start();
    if (href !== "") this.#writer.startLink(href);
  }

  #targetOf(id: string): string {
    const relation = this.#relations.get(id);
    return relation?.isExternal === true ? relation.target : "";
  }

  #linkPicture(id: string): void {
    const target = this.#targetOf(id);
    if (target === "") return;
    this.#startLink(target);
    this.#addText(this.#alternative);
    this.#writer.endLink();
  }

  #startField(instruction: string): void {
    this.#fields.push({ instruction, isLink: false });
    this.#markField("separate");
  }

  #markField(mark: string): void {
    if (mark === "begin") {
      this.#fields.push({ instruction: "", isLink: false });
      return;
    }
    const field = this.#fields.at(-1);
    if (field === undefined) return;
    const href = mark === "separate" ? hyperlinkOf(field.instruction) : null;
    if (href !== null) {
      field.isLink = true;
      this.#startLink(href);
    } else if (mark === "end") {
      if (field.isLink) this.#writer.endLink();
      this.#fields.pop();
    }
  }

  #addReference(name: string, id: string): void {
    const { notes } = this.#context;
    const note = noteId(name, id);
    const mark = notes.get(note) ?? String(notes.size + 1);
    notes.set(note, mark);
    this.#start();
    this.#writer.noteReference(note, mark);
  }

  /** Separators, and notes that nothing refers to. */
  #isOtherNote(name: string, attributes: ReadonlyMap<string, string>): boolean {
    return NOTE.test(name) && !this.#context.notes.has(noteId(name, attributes.get("w:id") ?? ""));
  }
}

function noteId(name: string, id: string): string {
  return `${(REFERENCE.exec(name) ?? NOTE.exec(name))?.[1] ?? ""}note-${id}`;
}

function newParagraph(): Paragraph {
  return { isStarted: false, style: "", outline: null, numId: null, level: null };
}
