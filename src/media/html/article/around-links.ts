import type { RawLink } from "../../links/links.ts";
import { tidy } from "../tree/tidy.ts";

/**
 * The text around each link, for crawls with a subject: up to 100 characters before and after it, within its paragraph,
 * list item or table row. It says what the link leads to where its own text is "here" or "more".
 */

const MAX_SIDE = 100;
/** A page's text is kept until its end, so that the text after a link is known. */
const MAX_TEXT = 2_000_000;

/** Elements at whose beginning and end a context ends. The description of a term belongs to the term. */
const BLOCKS = new Set(
  (
    "address article aside blockquote caption details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li " +
    "main nav ol p pre section summary table tbody tr ul"
  ).split(" "),
);

interface Place {
  link: RawLink;
  from: number;
  to: number;
}

export class AroundLinks {
  readonly #texts: string[] = [];
  readonly #places: Place[] = [];
  #length = 0;
  #open: Place | null = null;

  openElement(name: string): void {
    if (BLOCKS.has(name) || name === "dt") this.#add("\n");
  }

  closeElement(name: string): void {
    if (BLOCKS.has(name) || name === "dd") this.#add("\n");
  }

  /** A line break in a text is a space: only blocks end a context. */
  addText(text: string): void {
    this.#add(text.includes("\n") ? text.replaceAll("\n", " ") : text);
  }

  beginLink(link: RawLink): void {
    this.#open = { link, from: this.#length, to: this.#length };
  }

  endLink(): void {
    if (this.#open === null) return;
    this.#places.push({ ...this.#open, to: this.#length });
    this.#open = null;
  }

  /** Gives each link the text around it. */
  settle(): void {
    const text = this.#texts.join("");
    for (const { link, from, to } of this.#places) {
      const before = text.slice(Math.max(0, from - MAX_SIDE), from);
      const after = text.slice(to, to + MAX_SIDE);
      const ends = after.indexOf("\n");
      const own = [before.slice(before.lastIndexOf("\n") + 1), ends === -1 ? after : after.slice(0, ends)];
      const around = own.map((part) => tidy(part.trim(), MAX_SIDE)).filter((part) => part !== "");
      if (around.length > 0) link.around = around.join(" ");
    }
  }

  #add(text: string): void {
    if (this.#length >= MAX_TEXT) return;
    this.#texts.push(text);
    this.#length += text.length;
  }
}
