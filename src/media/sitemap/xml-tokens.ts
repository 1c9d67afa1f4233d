// htmlparser2 comes with linkedom, tolerates errors, and streams. Only its tokenizer is used: its Parser keeps a stack
// that makes deep or unclosed elements quadratic, and holds a token in memory until its end, even a comment of 50 MB.
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/**
 * The tags and texts of XML as they arrive. Nothing is balanced or expanded, and the part of a token that is kept is
 * bounded.
 */
export interface XmlHandler {
  /** Names are in lower case, with their prefix. An empty element, `<a/>`, is opened and closed. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  /** Part of a text or a CDATA section, entities decoded. */
  text(part: string): void;
  /** The text between `<!DOCTYPE` and the first `>`. */
  doctype(declaration: string): void;
}

const DOCTYPE = /^doctype\s+/i;
const ignore = (): undefined => undefined;

export class XmlTokens {
  readonly #handler: XmlHandler;
  readonly #attributeNames: Pick<ReadonlySet<string>, "has">;
  readonly #maxLength: number;
  readonly #tokenizer: Tokenizer;
  /** The current piece, and as much of the text before it as a token may need. */
  #window = "";
  #windowAt = 0;
  #name = "";
  #attribute = "";
  #value = "";
  readonly #attributes = new Map<string, string>();
  /** Inside the brackets of a DOCTYPE, where entities may hold tags. */
  #inSubset = false;

  /**
   * Drops attributes other than `attributeNames` (lower case); the first one of a name counts. Keeps `maxLength + 1`
   * characters of an attribute's value. Any other token may lose its beginning if it starts more than that before the
   * piece in which it ends.
   */
  constructor(handler: XmlHandler, attributeNames: Pick<ReadonlySet<string>, "has">, maxLength: number) {
    this.#handler = handler;
    this.#attributeNames = attributeNames;
    this.#maxLength = maxLength;
    this.#tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, this.#callbacks());
  }

  write(piece: string): void {
    const kept = this.#window.slice(-2 * this.#maxLength);
    this.#windowAt += this.#window.length - kept.length;
    this.#window = kept + piece;
    this.#tokenizer.write(piece);
  }

  /** The handler calls this to get nothing more. */
  stop(): void {
    this.#tokenizer.pause();
  }

  #callbacks(): TokenizerCallbacks {
    return {
      onopentagname: (start, end) => {
        this.#name = this.#slice(start, end).toLowerCase();
        this.#attributes.clear();
      },
      onattribname: (start, end) => {
        this.#attribute = this.#slice(start, end).toLowerCase();
        this.#value = "";
      },
      onattribdata: (start, end) => this.#addToValue(this.#slice(start, end)),
      onattribentity: (codePoint) => this.#addToValue(String.fromCodePoint(codePoint)),
      onattribend: () => {
        const isKept = this.#attributeNames.has(this.#attribute) && !this.#attributes.has(this.#attribute);
        if (isKept) this.#attributes.set(this.#attribute, this.#value);
      },
      onopentagend: () => this.#open(),
      onselfclosingtag: () => {
        this.#open();
        this.#close(this.#name);
      },
      onclosetag: (start, end) => this.#close(this.#slice(start, end).toLowerCase()),
      ontext: (start, end) => this.#text(this.#slice(start, end)),
      ontextentity: (codePoint) => this.#text(String.fromCodePoint(codePoint)),
      oncdata: (start, end, endOffset) => this.#text(this.#slice(start, end - endOffset)),
      ondeclaration: (start, end) => this.#declaration(this.#slice(start, end)),
      oncomment: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    };
  }

  #open(): void {
    if (!this.#inSubset) this.#handler.open(this.#name, this.#attributes);
  }

  #close(name: string): void {
    if (!this.#inSubset) this.#handler.close(name);
  }

  #text(part: string): void {
    if (!this.#inSubset) {
      this.#handler.text(part);
      return;
    }
    const end = part.indexOf("]");
    if (end === -1) return;
    this.#inSubset = false;
    // No empty text, so that the result does not depend on where pieces end.
    if (end + 1 < part.length) this.#handler.text(part.slice(end + 1));
  }

  #declaration(declaration: string): void {
    const doctype = DOCTYPE.exec(declaration);
    if (doctype === null) return;
    this.#inSubset = declaration.lastIndexOf("[") > declaration.lastIndexOf("]");
    this.#handler.doctype(declaration.slice(doctype[0].length));
  }

  #addToValue(part: string): void {
    this.#value += part.slice(0, this.#maxLength + 1 - this.#value.length);
  }

  /** Positions count from the start of the file. Text that has left the window is missing. */
  #slice(start: number, end: number): string {
    return this.#window.slice(Math.max(start - this.#windowAt, 0), Math.max(end - this.#windowAt, 0));
  }
}
