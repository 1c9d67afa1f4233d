import { inPieces } from "../../../core/in-pieces.ts";
import { inlineCode } from "./code.ts";
import { delimitMarks, type MarkEvent } from "./delimit-marks.ts";
import { escapeMarkdown, escapeMarkdownStart } from "./markdown-escape.ts";
import { haveSameMarks, isLink, type Marks, type Piece, sharedMarks } from "./marks.ts";

/**
 * Collects the text of a paragraph, a heading or a cell, piece by piece, and writes it as one text with its marks.
 * Marks are written only when all of the text is known: the same marks of two neighbours are one, white space stands
 * outside of them, and the characters on both sides decide how a mark is written.
 */

export class InlineText {
  #pieces: Piece[] = [];
  /** Where a space goes if another piece follows. */
  #isSpaced = false;

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  addText(written: string, marks: Marks): void {
    const text = collapse(written);
    const core =
      text.trim() === "" ? "" : text.slice(text.startsWith(" ") ? 1 : 0, text.endsWith(" ") ? -1 : undefined);
    if (core === "") {
      this.#isSpaced ||= text !== "";
      return;
    }
    this.#isSpaced ||= text.startsWith(" ");
    this.#add({ kind: "text", text: core, marks });
    this.#isSpaced = text.endsWith(" ");
  }

  addCode(text: string, marks: Marks): void {
    if (text !== "") this.#add({ kind: "code", text, marks });
  }

  addRaw(text: string, marks: Marks): void {
    if (text !== "") this.#add({ kind: "raw", text, marks });
  }

  addSpace(): void {
    this.#isSpaced = true;
  }

  addBreak(marks: Marks): void {
    // The text of a link stays in one line: not every parser reads more.
    if (marks.some(isLink)) this.#isSpaced = true;
    else {
      this.#isSpaced = false;
      this.#pieces.push({ kind: "break", text: "", marks });
    }
  }

  /** Writes what was collected, a string for each paragraph: two breaks in a row begin another one. Starts anew. */
  take(options: WriteOptions): string[] {
    const paragraphs: Piece[][] = [[]];
    let breaks = 0;
    for (const piece of this.#pieces) {
      if (piece.kind === "break") {
        breaks += 1;
        continue;
      }
      const paragraph = paragraphs.at(-1) ?? [];
      if (breaks > 1 && paragraph.length > 0) paragraphs.push([piece]);
      else {
        const last = paragraph.at(-1);
        if (breaks === 1 && last !== undefined)
          paragraph.push({ kind: "break", text: "", marks: sharedMarks(last.marks, piece.marks) });
        paragraph.push(piece);
      }
      breaks = 0;
    }
    this.#pieces = [];
    this.#isSpaced = false;
    return paragraphs.filter(({ length }) => length > 0).map((pieces) => writePieces(pieces, options));
  }

  #add(piece: Piece): void {
    const last = this.#pieces.at(-1);
    if (last !== undefined && last.kind !== "break") {
      if (this.#isSpaced) {
        const space: Piece = { kind: "text", text: " ", marks: sharedMarks(last.marks, piece.marks) };
        this.#isSpaced = false;
        this.#add(space);
        this.#add(piece);
        return;
      }
      // Two spans of code side by side would have one fence between them.
      if (last.kind === piece.kind && last.kind !== "raw" && haveSameMarks(last.marks, piece.marks)) {
        last.text += piece.text;
        return;
      }
    }
    this.#isSpaced = false;
    this.#pieces.push(piece);
  }
}

/** White space of HTML: https://infra.spec.whatwg.org/#ascii-whitespace */
function collapse(text: string): string {
  return inPieces(text, (piece) => (/[\t\n\f\r]| {2}/.test(piece) ? piece.replace(/[ \t\n\f\r]+/g, " ") : piece));
}

export interface WriteOptions {
  /** Whether dollars stand for mathematics. */
  hasMath: boolean;
  /** `paragraphs`: it begins a line. `cell`: it has no bars. */
  shape: "paragraphs" | "heading" | "cell";
}

function writePieces(pieces: readonly Piece[], { hasMath, shape }: WriteOptions): string {
  const events = delimitMarks(pieces);
  let written = "";
  let isStart = shape === "paragraphs";
  for (const [at, event] of events.entries()) {
    if ("delimiter" in event) written += event.delimiter;
    else if (event.kind === "break") written += "\\\n";
    else if (event.kind === "code") written += isWritable(event, shape) ? inlineCode(event.text) : htmlCode(event.text);
    else if (event.kind === "raw") written += event.text;
    else {
      const next = events[at + 1];
      const place = { isInLink: event.marks.some(isLink), isFollowed: continues(events, at + 1) };
      const escaped = isStart ? escapeMarkdownStart(event.text, place) : escapeMarkdown(event.text, place);
      // What stands before and after the text makes marks of these.
      const isPreceded = (at > 0 || shape === "cell") && !isStart && escaped.startsWith("~");
      const isImage = next !== undefined && beginsBracket(next) && escaped.endsWith("!");
      const text = `${isPreceded ? "\\" : ""}${isImage ? `${escaped.slice(0, -1)}\\!` : escaped}`;
      written += hasMath ? inPieces(text, (piece) => piece.replaceAll("$", "\\$")) : text;
    }
    isStart = "kind" in event && event.kind === "break";
  }
  return written;
}

/** Whether something other than white space or a tag follows, behind stars and the like that close marks. */
function continues(events: readonly (Piece | MarkEvent)[], start: number): boolean {
  let at = start;
  for (let event = events[at]; event !== undefined && "delimiter" in event; event = events[++at])
    if (event.isOpen || !/^[*_~]+$/.test(event.delimiter)) return !event.delimiter.startsWith("<");
  const event = events[at];
  if (event === undefined || !("kind" in event)) return false;
  return !(event.kind === "text" ? event.text.startsWith(" ") : event.kind === "raw" && event.text.startsWith("<"));
}

function beginsBracket(event: Piece | MarkEvent): boolean {
  return "delimiter" in event ? event.delimiter.startsWith("[") : event.kind === "raw" && event.text.startsWith("[");
}

/** In a cell, a backslash before a bar cannot be code. A bracket and a colon in a link would define another link. */
function isWritable({ text, marks }: Piece, shape: WriteOptions["shape"]): boolean {
  return !(shape === "cell" && text.includes("\\|")) && !(text.includes("]:") && marks.some(isLink));
}

function htmlCode(code: string): string {
  const escaped = escapeMarkdown(code, { isInLink: true }).replaceAll("|", "&#124;");
  return `<code>${escaped.replace(/:(?=\/\/)|(?<=www)\./gi, "\\$&")}</code>`;
}
