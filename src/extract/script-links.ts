import type { RawLink } from "./links.ts";
import type { HtmlElement } from "./parse-html.ts";

/**
 * URLs of pages that stand in scripts, JSON and data attributes, where no link names them. Nothing is run and no grammar is known: a
 * string is what stands between two quotes of a kind on one line, and it counts where it is plain to see that it is a URL.
 */

/** Of one page: scripts of many megabytes cost no more than this. */
const MAX_CHARACTERS = 1_000_000;
const MAX_LINKS = 1_000;
const MAX_URL = 2_048;
/** A URL of which every character is an escape. */
const MAX_LITERAL = MAX_URL * 6;

/** JavaScript's MIME types, and the JSON that pages carry. https://mimesniff.spec.whatwg.org/#javascript-mime-type */
const READ_TYPES = /^(?:|module|(?:text|application)\/(?:(?:x-)?(?:java|ecma)script|(?:ld\+)?json))$/;

/** Collects the links of one page, element by element. */
export class ScriptLinks {
  readonly #links: RawLink[];
  #room = MAX_CHARACTERS;

  constructor(links: RawLink[]) {
    this.#links = links;
  }

  read(element: HtmlElement): void {
    if (element.localName === "script") this.#readScript(element);
    if (!element.getAttributeNames().some(isData)) return;
    for (const { name, value } of element.attributes) if (isData(name)) this.#take(attributeLinks(value));
  }

  #readScript(element: HtmlElement): void {
    const [type = ""] = (element.getAttribute("type") ?? "").split(";", 1);
    if (element.getAttribute("src") !== null || !READ_TYPES.test(type.trim().toLowerCase())) return;
    const text = element.textContent.slice(0, this.#room);
    this.#room -= text.length;
    this.#take(scriptLinks(text));
  }

  #take(hrefs: Iterable<string>): void {
    for (const href of hrefs) {
      if (this.#links.length >= MAX_LINKS) return;
      this.#links.push({ href, kind: "script", nofollow: false });
    }
  }
}

function isData(name: string): boolean {
  return name.startsWith("data-");
}

/** What the string literals of a script, or of JSON, name as pages; as written, their escapes undone. */
export function* scriptLinks(script: string): Generator<string> {
  // A string that does not end (an apostrophe in a comment) is searched for once a line for each kind of quote, so the whole is linear.
  const unendedUntil: Record<string, number> = {};
  const quotes = /["'`]/g;
  for (let found = quotes.exec(script); found !== null; found = quotes.exec(script)) {
    const [quote] = found;
    if (found.index < (unendedUntil[quote] ?? 0)) continue;
    const { end, ended } = endOfString(script, found.index);
    if (!ended) {
      unendedUntil[quote] = end;
      continue;
    }
    quotes.lastIndex = end + 1;
    const literal = script.slice(found.index + 1, end);
    if (!STARTS_LIKE_URL.test(literal)) continue;
    const text = undoEscapes(literal);
    if (isPageUrl(text)) yield text;
  }
}

/** What the value of a `data-*` attribute names: a URL, or JSON that holds some. */
export function* attributeLinks(value: string): Generator<string> {
  const text = value.trim();
  if (text.startsWith("{") || text.startsWith("[")) yield* scriptLinks(text);
  else if (isPageUrl(text)) yield text;
}

/** A look at the first characters, before anything is undone. */
const STARTS_LIKE_URL = /^(?:\\?\/|\\u002f|https?:)/i;
/** Absolute, or from the root. */
const IS_URL = /^(?:https?:)?\/\/[^/]|^\/[^/]/i;
/** What patterns, templates and markup are made of: `/:id`, `/{id}`, `/%s`, `/[a-z]`, `/a|b`, `</p>`. */
const IS_NONE = /[\s<>{}[\]|\\^`"*$]|\/:[a-z]|\(\?|%(?![\da-f]{2})/i;

function isPageUrl(text: string): boolean {
  return text.length <= MAX_URL && IS_URL.test(text) && !IS_NONE.test(text);
}

/** Where the string that begins at `start` ends; it does not where its line does, or where it is longer than any URL. */
function endOfString(script: string, start: number): { end: number; ended: boolean } {
  const quote = script.charCodeAt(start);
  const last = Math.min(script.length, start + MAX_LITERAL);
  let at = start + 1;
  for (; at < last; at++) {
    const code = script.charCodeAt(at);
    if (code === quote) return { end: at, ended: true };
    if (code === 0x0a || code === 0x0d) break;
    if (code === 0x5c /* \ */) at += 1;
  }
  return { end: at, ended: false };
}

/** Escapes of JavaScript and JSON strings. */
function undoEscapes(literal: string): string {
  if (!literal.includes("\\")) return literal;
  return literal.replace(/\\(?:u([\da-f]{4})|u\{([\da-f]{1,5})\}|x([\da-f]{2})|(.))/gi, (_, u4, u, x, char: string) =>
    char === undefined ? String.fromCodePoint(Number.parseInt(u4 ?? u ?? x, 16)) : char,
  );
}
