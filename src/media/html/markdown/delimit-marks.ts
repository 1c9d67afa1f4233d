import { isSameMark, type Mark, type Piece } from "./marks.ts";

/**
 * Chooses how marks are written. CommonMark takes stars and underscores for emphasis only beside certain characters;
 * beside others a mark is written as HTML. https://spec.commonmark.org/0.31.2/#emphasis-and-strong-emphasis
 */

export interface MarkEvent {
  mark: Mark;
  isOpen: boolean;
  delimiter: string;
}

/** The pieces with the delimiters of their marks between them. */
export function delimitMarks(pieces: readonly Piece[]): (Piece | MarkEvent)[] {
  if (pieces.every(({ marks }) => marks.length === 0)) return [...pieces];
  const events: (Piece | MarkEvent)[] = [];
  /** Where the open marks begin, in `events`. */
  const open: { mark: Mark; at: number }[] = [];
  const spans: { start: number; end: number }[] = [];
  const closeTo = (count: number) => {
    for (let span = open.length > count ? open.pop() : undefined; span !== undefined; ) {
      spans.push({ start: span.at, end: events.length });
      events.push({ mark: span.mark, isOpen: false, delimiter: "" });
      span = open.length > count ? open.pop() : undefined;
    }
  };
  for (const piece of pieces) {
    let shared = 0;
    while (shared < open.length && isSameMark(open[shared]?.mark, piece.marks[shared])) shared += 1;
    closeTo(shared);
    for (const mark of piece.marks.slice(shared)) {
      open.push({ mark, at: events.length });
      events.push({ mark, isOpen: true, delimiter: "" });
    }
    events.push(piece);
  }
  closeTo(0);
  for (const { start, end } of spans) {
    const [before, first, last, after] = [events[start - 1], events[start + 1], events[end - 1], events[end + 1]];
    const opening = events[start] as MarkEvent;
    const closing = events[end] as MarkEvent;
    [opening.delimiter, closing.delimiter] = delimitersOf(opening.mark, { before, first, last, after });
  }
  return events;
}

/** What stands before a mark, first and last in it, and after it. */
type Around = Record<"before" | "first" | "last" | "after", Piece | MarkEvent | undefined>;

function delimitersOf(mark: Mark, around: Around): [opening: string, closing: string] {
  const { type } = mark;
  if (type === "link") return ["[", `]${mark.target}`];
  if (type === "strong" && mayFlank(around)) return ["**", "**"];
  if (type === "del" && mayFlank(around) && !hasTilde(around)) return ["~~", "~~"];
  if (type === "em") {
    const mayUnderline = isApart(around.before, "end") && isApart(around.after, "start") && !hasAddress(around);
    if (mayFlank(around) && mayUnderline) return ["_", "_"];
    if (mayFlank(around) && !Object.values(around).some(isStrong)) return ["*", "*"];
  }
  return [`<${type}>`, `</${type}>`];
}

/** Whether stars on both sides are delimiters: "left-flanking" and "right-flanking". */
function mayFlank({ before, first, last, after }: Around): boolean {
  const start = hasUrl(first, "start") ? "punctuation" : classAt(first, "start");
  const end = hasUrl(last, "end") ? "punctuation" : classAt(last, "end");
  return (
    (start === "letter" || (start === "punctuation" && isApart(before, "end"))) &&
    (end === "letter" || (end === "punctuation" && isApart(after, "start")))
  );
}

/** Whether a tilde stands beside the mark, and would be a part of it. */
function hasTilde({ before, first, last, after }: Around): boolean {
  return [textAt(before, "end"), textAt(first, "start"), textAt(last, "end"), textAt(after, "start")].includes("~");
}

/** Whether a mail address begins the text: GitHub takes an underscore before it for a part of it. */
function hasAddress({ first }: Around): boolean {
  return first !== undefined && "kind" in first && first.kind === "text" && /^[\w.+-]+@/.test(first.text);
}

function isStrong(event: Piece | MarkEvent | undefined): boolean {
  return event !== undefined && "delimiter" in event && event.mark.type === "strong";
}

type CharacterClass = "space" | "punctuation" | "letter";

/** Whether the character beside a mark is a space or punctuation. A symbol is, but not for every parser. */
function isApart(event: Piece | MarkEvent | undefined, side: "start" | "end"): boolean {
  if (hasUrl(event, side)) return false;
  const at = classAt(event, side);
  return at === "space" || (at === "punctuation" && !/(?![\0-\x7f])\p{S}/u.test(textAt(event, side)));
}

function classAt(event: Piece | MarkEvent | undefined, side: "start" | "end"): CharacterClass {
  if (event === undefined) return "space";
  if ("delimiter" in event) return "punctuation";
  if (event.kind !== "text") return event.kind === "break" ? "space" : "punctuation";
  const character = characterAt(event.text, side);
  if (/\s/.test(character)) return "space";
  return /[\p{P}\p{S}]/u.test(character) ? "punctuation" : "letter";
}

/** Whether a URL is beside the mark: it may be written between angle brackets, or not. */
function hasUrl(event: Piece | MarkEvent | undefined, side: "start" | "end"): boolean {
  if (event === undefined || !("kind" in event) || event.kind !== "text") return false;
  const { text } = event;
  return side === "start" ? /^https?:/i.test(text) : text.includes("://", text.lastIndexOf(" ") + 1);
}

/** The character of a text; an empty string where there is none. */
function textAt(event: Piece | MarkEvent | undefined, side: "start" | "end"): string {
  return event !== undefined && "kind" in event && event.kind === "text" ? characterAt(event.text, side) : "";
}

function characterAt(text: string, side: "start" | "end"): string {
  if (side === "start") return String.fromCodePoint(text.codePointAt(0) ?? 32);
  return /[\s\S]$/u.exec(text.slice(-2))?.[0] ?? " ";
}
