/** The marks of a piece of text: emphasis, strikethrough, links. There is one object for each element. */

export interface FormatMark {
  readonly type: "strong" | "em" | "del" | "sub" | "sup";
}

export interface LinkMark {
  readonly type: "link";
  /** What follows the text: `(URL "title")`. */
  readonly target: string;
}

export type Mark = FormatMark | LinkMark;

/** From the outermost to the innermost. */
export type Marks = readonly Mark[];

/** `raw` is Markdown already. */
export interface Piece {
  kind: "text" | "code" | "raw" | "break";
  text: string;
  marks: Marks;
}

export function isLink({ type }: Mark): boolean {
  return type === "link";
}

/** The marks with one more. Bold type within bold type says no more, and a link ends the link around it. */
export function withMark(marks: Marks, mark: Mark): Marks {
  if (!marks.some(({ type }) => type === mark.type)) return [...marks, mark];
  return isLink(mark) ? [...marks.filter((other) => !isLink(other)), mark] : marks;
}

/** Whether text with these marks can be between the same delimiters, if nothing stands between them. */
export function isSameMark(mark: Mark | undefined, other: Mark | undefined): boolean {
  return mark === other || (mark !== undefined && mark.type === other?.type && !isLink(mark));
}

export function haveSameMarks(marks: Marks, others: Marks): boolean {
  return (
    marks === others || (marks.length === others.length && marks.every((mark, at) => isSameMark(mark, others[at])))
  );
}

/** The marks of the elements that hold both. */
export function sharedMarks(marks: Marks, others: Marks): Marks {
  let shared = 0;
  while (shared < marks.length && shared < others.length && marks[shared] === others[shared]) shared += 1;
  return shared === marks.length ? marks : marks.slice(0, shared);
}
