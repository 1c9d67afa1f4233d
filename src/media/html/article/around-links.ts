import type { RawLink } from "../../links/links.ts";
import { tidy } from "../tree/tidy.ts";

/**
 * The text around each link, for crawls with a subject: up to 100 characters before and after it, within its paragraph,
 * list item or table row, the line that introduces its list, and the heading above it. It says what the link leads to
 * where its own text is "here" or "more". Of a link that is alone in its block and in no list, the block after it is
 * its description, if that has no link: as in summaries of references, and in teasers.
 */

const MAX_SIDE = 100;
/** UTF-16 code units of white space between a link and the block after it. */
const MAX_BETWEEN = 100;
/** A page's text is kept until its end, so that the text after a link is known. */
const MAX_TEXT = 2_000_000;

/** Elements at whose beginning and end a context ends. The description of a term belongs to the term. */
const BLOCKS = new Set(
  (
    "address article aside blockquote caption details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section summary table tbody tr ul"
  ).split(" "),
);

const LISTS = new Set(["ul", "ol", "dl", "menu"]);
/** UTF-16 code units of a heading, or of the line that introduces a list. */
const MAX_LABEL = 80;
const HEADING = /^h[1-6]$/;

interface Place {
  link: RawLink;
  /** The heading above it, and the line before its list. */
  labels: string[];
  isInList: boolean;
  from: number;
  to: number;
}

export class AroundLinks {
  readonly #texts: string[] = [];
  readonly #places: Place[] = [];
  #length = 0;
  #open: Place | null = null;
  /** The line that introduces each open list, the outermost first. */
  readonly #lists: string[] = [];
  #heading = "";
  #headingFrom = 0;
  /** Whether a description has just begun, whose first paragraph belongs to its term. */
  #beginsDescription = false;

  openElement(name: string): void {
    if (LISTS.has(name)) this.#lists.push(this.#lastLine());
    if (this.#beginsDescription && (name === "p" || name === "div")) return;
    this.#beginsDescription = name === "dd";
    if (BLOCKS.has(name) || name === "dt") this.#add("\n");
    if (HEADING.test(name)) this.#headingFrom = this.#texts.length;
  }

  closeElement(name: string): void {
    if (HEADING.test(name)) this.#heading = label(this.#texts.slice(this.#headingFrom).join(""));
    if (LISTS.has(name)) this.#lists.pop();
    this.#beginsDescription = false;
    if (BLOCKS.has(name) || name === "dd") this.#add("\n");
  }

  /** A line break in a text is a space: only blocks end a context. */
  addText(text: string): void {
    if (this.#beginsDescription && text.trim() !== "") this.#beginsDescription = false;
    this.#add(text.includes("\n") ? text.replaceAll("\n", " ") : text);
  }

  beginLink(link: RawLink): void {
    this.#open = {
      ...{ link, labels: this.#labels(), isInList: this.#lists.length > 0 },
      ...{ from: this.#length, to: this.#length },
    };
  }

  endLink(): void {
    if (this.#open === null) return;
    this.#places.push({ ...this.#open, to: this.#length });
    this.#open = null;
  }

  /** Gives each link the text around it. */
  settle(): void {
    const text = this.#texts.join("");
    for (const [at, place] of this.#places.entries()) {
      const { link, labels, from, to } = place;
      const before = text.slice(Math.max(0, from - MAX_SIDE), from);
      const after = text.slice(to, to + MAX_SIDE);
      const ends = after.indexOf("\n");
      const own = [before.slice(before.lastIndexOf("\n") + 1), ends === -1 ? after : after.slice(0, ends)];
      const isAlone = own.every((part) => part.trim() === "");
      if (isAlone && !place.isInList) own.push(blockAfter(text, to, this.#places[at + 1]?.from ?? text.length));
      const around = own.map((part) => tidy(part.trim(), MAX_SIDE)).filter((part) => part !== "");
      around.push(...labels.filter((each) => each !== "" && !around.includes(each)));
      if (around.length > 0) link.around = around.join(" ");
    }
  }

  #labels(): string[] {
    return [...new Set([this.#heading, this.#lists.at(-1) ?? ""])];
  }

  /** The last line with any text; short texts are read alone. */
  #lastLine(): string {
    let line = "";
    for (let at = this.#texts.length - 1; at >= 0 && line.length < MAX_LABEL; at--) {
      const text = this.#texts[at] as string;
      if (text === "\n" && line.trim() !== "") break;
      line = text + line;
    }
    return label(line);
  }

  #add(text: string): void {
    if (this.#length >= MAX_TEXT) return;
    this.#texts.push(text);
    this.#length += text.length;
  }
}

/** What is read of the first line with text after a link. Empty if the next link begins in it. */
function blockAfter(text: string, to: number, next: number): string {
  const rest = text.slice(to, to + MAX_BETWEEN + MAX_SIDE);
  const from = rest.search(/\S/);
  const ends = from === -1 ? -1 : rest.indexOf("\n", from);
  const end = ends === -1 ? rest.length : ends;
  return from === -1 || next < to + end ? "" : rest.slice(from, end);
}

function label(text: string): string {
  return tidy(text.trim(), MAX_LABEL).trimEnd();
}
