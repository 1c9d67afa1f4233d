/** Puts together the lines of a text that comes in pieces. A piece may end between CR and LF: that is an empty line. */
export class LineReader {
  readonly #maxLine: number;
  readonly #skipsIndent: boolean;
  readonly #onLine: (line: string) => void;
  /** The line that may continue in the next piece; if it is too long, its beginning. */
  #line = "";

  /**
   * `maxLine`: UTF-16 code units that are read of a line. `skipsIndent`: white space before a line's text is left out,
   * and does not count.
   */
  constructor({ maxLine, skipsIndent }: { maxLine: number; skipsIndent: boolean }, onLine: (line: string) => void) {
    this.#maxLine = maxLine;
    this.#skipsIndent = skipsIndent;
    this.#onLine = onLine;
  }

  write(text: string): void {
    const [first = "", ...lines] = text.split(/[\r\n]/);
    this.#add(first);
    for (const line of lines) {
      this.end();
      this.#add(line);
    }
  }

  /** Ends the line that is open. */
  end(): void {
    if (this.#line !== "") this.#onLine(this.#line);
    this.#line = "";
  }

  #add(text: string): void {
    const more = this.#skipsIndent && this.#line === "" ? text.trimStart() : text;
    this.#line += more.slice(0, this.#maxLine - this.#line.length);
  }
}
