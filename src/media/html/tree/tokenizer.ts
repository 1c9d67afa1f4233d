/**
 * Corrects the tokenizer of htmlparser2, which linkedom uses too, in two states where it would hide the rest of a page
 * that browsers show. It has no API for this, so its methods are replaced; the text of a page is corrected by
 * `tokenizable`, before it comes here.
 */

/** The tokenizer's internals, as far as they are used below. Positions count from the start of the page. */
export interface TokenizerParts {
  /** The current piece of the page, and the position of its first character. */
  readonly buffer: string;
  readonly offset: number;
  readonly index: number;
  /** The end tag of an element whose content is text, without its `>`: `</title`. */
  readonly currentSequence: Uint8Array;
  readonly sequenceIndex: number;
  /** Whether the content of the current element is text. */
  isSpecial: boolean;
  stateBeforeDeclaration(code: number): void;
  stateSpecialStartSequence(code: number): void;
}

const SPACE = 0x20;
const BRACKET = 0x5b;
const METHODS = ["stateBeforeDeclaration", "stateSpecialStartSequence"] as const;

/**
 * Changes one tokenizer, or the prototype of all. `isForeign`: whether its position is in SVG or MathML. Throws if it
 * is not built as expected.
 *
 * - Outside SVG and MathML, `<![CDATA[` begins a comment that ends at the next `>`, not at `]]>`.
 *   https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state
 * - In SVG and MathML the content of `title`, `style`, `script`, `textarea` and `xmp` is no text, so it ends with its
 *   `svg` or `math` at the latest. If such an element has its end tag before that, its content is taken for text
 *   anyway, because nothing is hidden then. https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inforeign
 */
export function fitTokenizer<T extends TokenizerParts>(target: T, isForeign: (tokenizer: T) => boolean): T {
  for (const name of METHODS)
    if (typeof target[name] !== "function") throw new Error(`htmlparser2 has changed: its tokenizer has no ${name}`);
  const { stateBeforeDeclaration, stateSpecialStartSequence } = target;
  target.stateBeforeDeclaration = function (this: T, code) {
    // Any other character begins what ends at the next `>`.
    stateBeforeDeclaration.call(this, code === BRACKET && !isForeign(this) ? SPACE : code);
  };
  target.stateSpecialStartSequence = function (this: T, code) {
    const isNameRead = this.sequenceIndex === this.currentSequence.length;
    if (isNameRead && isForeign(this) && isUnclosed(this)) this.isSpecial = false;
    stateSpecialStartSequence.call(this, code);
  };
  return target;
}

/** Whether the SVG or MathML ends before the element that begins here. */
function isUnclosed(tokenizer: TokenizerParts): boolean {
  const { buffer, index, offset, currentSequence } = tokenizer;
  let ends = endTags.get(tokenizer);
  if (ends?.text !== buffer) {
    ends = new EndTags(buffer);
    endTags.set(tokenizer, ends);
  }
  const at = index - offset;
  const end = ends.after(String.fromCharCode(...currentSequence.subarray(2)), at);
  return end === Number.POSITIVE_INFINITY || end > Math.min(ends.after("svg", at), ends.after("math", at));
}

const endTags = new WeakMap<TokenizerParts, EndTags>();

/** Finds end tags in a text, each one once: the positions that are asked for only grow. */
class EndTags {
  readonly text: string;
  readonly #found = new Map<string, { from: number; at: number }>();

  constructor(text: string) {
    this.text = text;
  }

  /** The position of the next end tag of this name; infinite if there is none. */
  after(name: string, from: number): number {
    const known = this.#found.get(name);
    if (known !== undefined && known.from <= from && from <= known.at) return known.at;
    const tag = new RegExp(`</${name}[\\t\\n\\f\\r />]`, "gi");
    tag.lastIndex = from;
    const at = tag.exec(this.text)?.index ?? Number.POSITIVE_INFINITY;
    this.#found.set(name, { from, at });
    return at;
  }
}

/** Open elements that are looked at, the innermost first. A stack may have thousands. */
const MAX_LOOKS = 500;
const FOREIGN = new Set(["svg", "math"]);
/**
 * Elements of HTML content in SVG or MathML: those in which it may stand, and the most frequent of those that end the
 * SVG. https://html.spec.whatwg.org/multipage/parsing.html#html-integration-point
 */
const HTML_INSIDE = new Set(
  (
    "foreignobject desc title annotation-xml mi mo mn ms mtext " +
    "body div p span ul ol li dl dt dd table tr td th h1 h2 h3 h4 h5 h6 pre blockquote center"
  ).split(" "),
);

/** `stack`: the names of the open elements, the innermost first. */
export function isInForeign(stack: readonly string[]): boolean {
  for (let at = 0; at < stack.length && at < MAX_LOOKS; at++) {
    const name = stack[at] ?? "";
    if (FOREIGN.has(name)) return true;
    if (HTML_INSIDE.has(name)) return false;
  }
  return false;
}

const SLASH_IN_END_TAG = /<\/([a-z][^\t\n\f\r /><]*)\//gi;

/**
 * Corrects the text of a page where htmlparser2 lacks states of the standard's tokenizer. NUL becomes U+FFFD. `--!>`
 * ends a comment, and `</script/>` a script, which would otherwise hide the rest of the page.
 * https://html.spec.whatwg.org/multipage/parsing.html#comment-end-bang-state
 * https://html.spec.whatwg.org/multipage/parsing.html#script-data-end-tag-name-state
 */
export function tokenizable(html: string): string {
  const text = html.replaceAll("\0", "\uFFFD").replaceAll("--!>", "-->").replace(SLASH_IN_END_TAG, "</$1 ");
  return endCommentsInText(text);
}

/** A comment, or an element whose content is text to browsers. We read that content, because it may hold links. */
const COMMENT_OR_TEXT = /<!--|<(iframe|noembed|noframes|noscript)[\t\n\f\r />]/gi;

/**
 * Ends each comment in such an element with the element. To browsers it is no comment, so it hides nothing behind it.
 */
function endCommentsInText(text: string): string {
  if (!text.includes("<!--")) return text;
  const ends = new EndTags(text);
  let out = "";
  let done = 0;
  COMMENT_OR_TEXT.lastIndex = 0;
  for (let found = COMMENT_OR_TEXT.exec(text); found !== null; found = COMMENT_OR_TEXT.exec(text)) {
    const [, name] = found;
    const { index } = found;
    const end = name === undefined ? endOfComment(text, index) : ends.after(name.toLowerCase(), index);
    if (end === Number.POSITIVE_INFINITY) {
      if (name === undefined) break;
      continue;
    }
    const cut = name === undefined ? -1 : unclosedComment(text.slice(index, end));
    if (cut !== -1) {
      out += text.slice(done, index + cut);
      done = end;
    }
    COMMENT_OR_TEXT.lastIndex = end;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** The position of a comment that does not end in this text; -1 if there is none. */
function unclosedComment(text: string): number {
  for (let at = text.indexOf("<!--"); at !== -1; at = text.indexOf("<!--", at)) {
    const end = endOfComment(text, at);
    if (end === Number.POSITIVE_INFINITY) return at;
    at = end;
  }
  return -1;
}

/** The position after the comment that begins at `from`; infinite if it does not end. */
function endOfComment(text: string, from: number): number {
  // The dashes that open a comment may also close it.
  const end = text.indexOf("-->", from + 2);
  return end === -1 ? Number.POSITIVE_INFINITY : end + 3;
}
