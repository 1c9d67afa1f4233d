// htmlparser2 is what linkedom brings already: it forgives, and it streams. Of it the tokenizer alone: its Parser keeps a stack that makes
// deep or never closed elements quadratic, and holds a token in memory until it ends, were it a comment of 50 MB.
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** The tags and texts of XML as they stream by: nothing is balanced or expanded, and what is kept of any token is bounded. */
export interface XmlHandler {
  /** Names are in lower case, with their prefix. An element without content, `<a/>`, is opened and closed. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  /** Part of a text or a CDATA section, entities decoded. */
  text(part: string): void;
  /** What stands between `<!DOCTYPE` and the first `>`. */
  doctype(declaration: string): void;
}

const DOCTYPE = /^doctype\s+/i;
const ignore = (): undefined => undefined;

export class XmlTokens {
  readonly #handler: XmlHandler;
  readonly #attributeNames: ReadonlySet<string>;
  readonly #maxLength: number;
  readonly #tokenizer: Tokenizer;
  /** The piece being read, and what stood before it as far as a token may need it. */
  #window = "";
  #windowAt = 0;
  #name = "";
  #attribute = "";
  #value = "";
  readonly #attributes = new Map<string, string>();
  /** Inside the brackets of a DOCTYPE, where entities may hold tags. */
  #inSubset = false;

  /**
   * Attributes other than `attributeNames` (lower case) are dropped; the first of a name counts. Of an attribute's value `maxLength + 1`
   * characters are kept. Any other token that goes on for more than that before the piece in which it ends may lose its beginning.
   */
  constructor(handler: XmlHandler, attributeNames: ReadonlySet<string>, maxLength: number) {
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

  /** To be called by the handler, which then gets nothing more. */
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
    // Wherever a piece ends, what follows is the same.
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

  /** Positions count from the start of the file; what has left the window is left out. */
  #slice(start: number, end: number): string {
    return this.#window.slice(Math.max(start - this.#windowAt, 0), Math.max(end - this.#windowAt, 0));
  }
}
