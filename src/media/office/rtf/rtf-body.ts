import type { DocumentWriter } from "../../html/tree/document-writer.ts";
import { hyperlinkOf } from "../hyperlink.ts";
import { CHARACTERS, INFO_GROUPS, READ_GROUPS, SKIPPED_GROUPS } from "./rtf-destinations.ts";
import { decodeBytes, encodingOfCodePage } from "./rtf-encodings.ts";
import { type RtfParagraph, RtfTables, TABLE_GROUPS } from "./rtf-tables.ts";
import type { RtfHandler } from "./rtf-tokens.ts";

/** What a group inherits from the one around it. */
interface Group {
  /** Where its text goes: `body`, `skipped`, or the name of a group that is read. */
  destination: string;
  isBold: boolean;
  isItalic: boolean;
  isHidden: boolean;
  font: number;
  /** How many characters follow `\u` for older programs. */
  fallbacks: number;
  /** What happens when this group ends. */
  onEnd: (() => void) | null;
}

/** Tables of a body, a text box or a note. */
interface Flow {
  isTable: boolean;
  isRow: boolean;
  isCell: boolean;
  paragraph: RtfParagraph;
  isStarted: boolean;
}

const MAX_COLLECTED = 10_000;
/** Reads the groups, controls and texts of an RTF file, in their order. RTF 1.9.1. */
export class RtfBody implements RtfHandler {
  /** What `\info` says, by its control words. */
  readonly info = new Map<string, string>();
  pageCount: number | null = null;
  readonly #writer: DocumentWriter;
  readonly #groups: Group[] = [newGroup()];
  readonly #flows: Flow[] = [newFlow()];
  #encoding = "windows-1252";
  readonly #tables = new RtfTables();
  /** Bytes of text that are not decoded yet: a character may have two. */
  #bytes: number[] = [];
  /** Characters to leave out, because `\u` said them. */
  #skips = 0;
  #highSurrogate = "";
  #isIgnorable = false;
  #collected = "";
  #fields: { instruction: string; isLink: boolean }[] = [];
  #notes = 0;

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  get isDone(): boolean {
    return this.#writer.isFull;
  }

  get #group(): Group {
    return this.#groups.at(-1) as Group;
  }

  get #flow(): Flow {
    return this.#flows.at(-1) as Flow;
  }

  startGroup(): void {
    this.#flush();
    this.#groups.push({ ...this.#group, onEnd: null });
    this.#isIgnorable = false;
    this.#skips = 0;
  }

  endGroup(): void {
    this.#flush();
    this.#skips = 0;
    const { onEnd } = this.#group;
    onEnd?.();
    if (this.#groups.length > 1) this.#groups.pop();
  }

  symbol(character: string): void {
    if (character === "*") {
      this.#isIgnorable = true;
      return;
    }
    this.#flush();
    if (character === "~") this.#addText("\u00a0");
    else if (character === "_") this.#addText("\u2011");
  }

  byte(byte: number): void {
    if (this.#skips > 0) this.#skips -= 1;
    else if (this.#group.destination !== "skipped") this.#bytes.push(byte);
  }

  control(word: string, parameter: number | null): void {
    const isIgnorable = this.#isIgnorable;
    this.#isIgnorable = false;
    if (word === "u") {
      this.#addUnit(parameter ?? 0);
      return;
    }
    // A control word counts as one character.
    if (this.#skips > 0 && CHARACTERS[word] !== undefined) {
      this.#skips -= 1;
      return;
    }
    this.#flush();
    const group = this.#group;
    if (SKIPPED_GROUPS.has(word) || (isIgnorable && !READ_GROUPS.has(word) && group.destination === "body"))
      group.destination = "skipped";
    if (group.destination === "skipped") return;
    const character = CHARACTERS[word];
    if (character !== undefined) this.#addText(character);
    else if (!this.#readFormat(word, parameter) && !this.#readParagraph(word, parameter))
      this.#readDestination(word, parameter);
  }

  finish(): void {
    this.#flush();
    while (this.#flows.length > 1) this.#flows.pop();
    this.#writer.endBlock();
    this.#endTable();
  }

  /** Text styles and encodings. Returns whether the word was one. */
  #readFormat(word: string, parameter: number | null): boolean {
    const group = this.#group;
    const isOn = parameter !== 0;
    switch (word) {
      case "b":
        group.isBold = isOn;
        return true;
      case "i":
        group.isItalic = isOn;
        return true;
      case "v":
        group.isHidden = isOn;
        return true;
      case "plain":
        Object.assign(group, { isBold: false, isItalic: false, isHidden: false });
        return true;
      case "f":
        group.font = parameter ?? 0;
        return true;
      case "uc":
        group.fallbacks = Math.min(parameter ?? 1, 10);
        return true;
      case "ansicpg":
        this.#encoding = encodingOfCodePage(parameter ?? 0) ?? this.#encoding;
        return true;
      case "mac":
        this.#encoding = "macintosh";
        return true;
      default:
        return false;
    }
  }

  /** Paragraphs, lists and tables. Returns whether the word was one. */
  #readParagraph(word: string, parameter: number | null): boolean {
    if (this.#group.destination !== "body") return false;
    const flow = this.#flow;
    switch (word) {
      case "par":
      case "sect":
        this.#endParagraph();
        return true;
      case "line":
      case "lbr":
        this.#start();
        this.#writer.lineBreak();
        return true;
      case "pard":
        flow.paragraph = newParagraph();
        return true;
      case "s":
        flow.paragraph.style = parameter ?? 0;
        return true;
      case "outlinelevel":
        flow.paragraph.outline = parameter;
        return true;
      case "ls":
        flow.paragraph.list = parameter ?? 0;
        return true;
      case "ilvl":
        flow.paragraph.level = parameter ?? 0;
        return true;
      case "intbl":
        flow.paragraph.isInTable = true;
        return true;
      case "trowd":
        // The definition of a row may stand before and after its cells.
        return true;
      case "cell":
      case "nestcell":
        flow.paragraph.isInTable = true;
        this.#endParagraph();
        this.#startCell();
        this.#writer.endCell();
        flow.isCell = false;
        return true;
      case "row":
      case "nestrow":
        this.#endRow();
        return true;
      default:
        return false;
    }
  }

  #readDestination(word: string, parameter: number | null): void {
    const group = this.#group;
    if (TABLE_GROUPS.has(group.destination)) {
      this.#tables.control(group.destination, word, parameter, group.font);
      return;
    }
    if (TABLE_GROUPS.has(word)) {
      group.destination = word;
      return;
    }
    switch (word) {
      case "info":
        group.destination = "info";
        return;
      case "fldinst":
        this.#collect(word, (text) => this.#setInstruction(text));
        return;
      case "field":
        this.#fields.push({ instruction: "", isLink: false });
        group.onEnd = () => this.#fields.pop();
        return;
      case "fldrslt":
        this.#startResult();
        return;
      case "bkmkstart":
        this.#collect(word, (text) => this.#writer.anchor(text.trim()));
        return;
      case "footnote":
        this.#startNote();
        return;
      case "shptxt":
        this.#startApart(() => this.#writer.endFloat());
        this.#writer.startFloat();
        return;
      case "shpinst":
      case "shp":
        return;
      case "upr":
        // What follows is written twice, the second time in Unicode.
        group.destination = "skipped";
        return;
      case "ud":
        return;
      default:
        if (group.destination === "info" || INFO_GROUPS.has(group.destination)) this.#readInfo(word, parameter);
    }
  }

  #readInfo(word: string, parameter: number | null): void {
    if (word === "nofpages") this.pageCount = parameter;
    else if (INFO_GROUPS.has(word)) this.#collect(word, (text) => this.info.set(word, this.info.get(word) ?? text));
    else if (/^(?:yr|mo|dy)$/.test(word)) this.#collected += `${word === "yr" ? "" : "-"}${pad(parameter ?? 0)}`;
  }

  /** Gathers the text of this group. */
  #collect(destination: string, see: (text: string) => void): void {
    const before = this.#collected;
    this.#collected = "";
    this.#group.destination = destination;
    this.#group.onEnd = () => {
      see(this.#collected);
      this.#collected = before;
    };
  }

  #addUnit(parameter: number): void {
    if (this.#skips > 0) this.#skips = 0;
    this.#flush();
    const unit = String.fromCharCode(parameter & 0xffff);
    this.#skips = this.#group.fallbacks;
    // Symbol fonts put their characters into the private area; what they look like is not known.
    if (unit >= "\ue000" && unit <= "\uf8ff") return;
    if (unit >= "\ud800" && unit <= "\udbff") this.#highSurrogate = unit;
    else {
      this.#addText(this.#highSurrogate + unit);
      this.#highSurrogate = "";
    }
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = this.#bytes;
    this.#bytes = [];
    this.#addText(decodeBytes(bytes, this.#tables.encodingOf(this.#group.font) ?? this.#encoding));
  }

  #addText(text: string): void {
    const { destination, isHidden, isBold, isItalic } = this.#group;
    if (destination === "body") {
      if (isHidden) return;
      this.#start();
      this.#writer.text(text, { isBold, isItalic });
    } else if (TABLE_GROUPS.has(destination)) this.#tables.text(destination, text);
    else if (this.#collected.length < MAX_COLLECTED) this.#collected += text;
  }

  #start(): void {
    const flow = this.#flow;
    if (flow.isStarted) return;
    flow.isStarted = true;
    if (flow.paragraph.isInTable) this.#startCell();
    else this.#endTable();
    this.#writer.startBlock(this.#tables.blockOf(flow.paragraph));
  }

  #endParagraph(): void {
    const flow = this.#flow;
    // An empty line of code.
    if (!flow.isStarted && !flow.paragraph.isInTable && !flow.isTable)
      this.#writer.startBlock(this.#tables.blockOf(flow.paragraph));
    this.#writer.endBlock();
    flow.isStarted = false;
  }

  #startCell(): void {
    const flow = this.#flow;
    if (!flow.isTable) this.#writer.startTable();
    if (!flow.isRow) this.#writer.startRow();
    if (!flow.isCell) this.#writer.startCell();
    flow.isTable = flow.isRow = flow.isCell = true;
  }

  #endRow(): void {
    const flow = this.#flow;
    this.#writer.endBlock();
    flow.isStarted = false;
    if (flow.isCell) this.#writer.endCell();
    if (flow.isRow) this.#writer.endRow();
    flow.isRow = flow.isCell = false;
  }

  #endTable(): void {
    const flow = this.#flow;
    if (!flow.isTable) return;
    this.#endRow();
    this.#writer.endTable();
    flow.isTable = false;
  }

  #setInstruction(text: string): void {
    const field = this.#fields.at(-1);
    if (field !== undefined) field.instruction += text;
  }

  #startResult(): void {
    const href = hyperlinkOf(this.#fields.at(-1)?.instruction ?? "");
    if (href === null) return;
    this.#start();
    this.#writer.startLink(href);
    this.#group.onEnd = () => this.#writer.endLink();
  }

  #startNote(): void {
    this.#notes += 1;
    const id = `note-${this.#notes}`;
    this.#start();
    this.#writer.noteReference(id, String(this.#notes));
    this.#startApart(() => this.#writer.endNote(id));
    this.#writer.startNote();
  }

  /** What this group holds is a flow of its own. */
  #startApart(end: () => void): void {
    this.#flows.push(newFlow());
    this.#group.onEnd = () => {
      this.#writer.endBlock();
      this.#endTable();
      if (this.#flows.length > 1) this.#flows.pop();
      end();
    };
  }
}

function newGroup(): Group {
  return {
    destination: "body",
    isBold: false,
    isItalic: false,
    isHidden: false,
    font: -1,
    fallbacks: 1,
    onEnd: null,
  };
}

function newFlow(): Flow {
  return { isTable: false, isRow: false, isCell: false, paragraph: newParagraph(), isStarted: false };
}

function newParagraph(): RtfParagraph {
  return { style: 0, outline: null, list: 0, level: 0, isInTable: false };
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}
