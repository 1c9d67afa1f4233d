/** As many as a content tree takes (copy-document.ts). */
const MAX_ELEMENTS = 100_000;
/** Elements, attributes, texts and character references. A tree of 500,000 takes 70 MB of an isolate's 128. */
const MAX_NODES = 400_000;
/** Some two thousand printed pages. Text, Markdown, HTML and trees together hold each character five times. */
const MAX_CHARACTERS = 4_000_000;

/** Counts what a reader writes as HTML, so that trees of it and what is made of them fit into an isolate. */
export class WrittenSize {
  /** The limit that was reached; null if there is room. */
  truncated: string | null = null;
  #elements = 0;
  #nodes = 0;
  #characters = 0;

  get isFull(): boolean {
    return this.truncated !== null;
  }

  /** How many more elements there is room for. */
  get elementsLeft(): number {
    return Math.max(0, MAX_ELEMENTS - this.#elements);
  }

  /** `attributes`: as written. */
  addElement(attributes: string): void {
    this.#elements += 1;
    this.#nodes += attributes === "" ? 1 : 2;
    this.#characters += attributes.length;
    this.#check();
  }

  /** `escaped`: as it stands in HTML. The parser makes a text of each reference, and one of what follows it. */
  addText(escaped: string): void {
    this.#characters += escaped.length;
    this.#nodes += 1;
    for (let at = escaped.indexOf("&"); at !== -1; at = escaped.indexOf("&", at + 1)) this.#nodes += 2;
    this.#check();
  }

  #check(): void {
    if (this.#elements > MAX_ELEMENTS) this.#cut(MAX_ELEMENTS, "elements");
    else if (this.#nodes > MAX_NODES) this.#cut(MAX_NODES, "nodes");
    else if (this.#characters > MAX_CHARACTERS) this.#cut(MAX_CHARACTERS, "characters");
  }

  #cut(limit: number, what: string): void {
    this.truncated ??= `cut after ${limit.toLocaleString("en")} ${what}`;
  }
}
