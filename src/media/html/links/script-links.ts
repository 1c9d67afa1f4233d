import { MAX_URL_LENGTH } from "../../../url/canonicalize.ts";
import type { HtmlElement } from "../tree/linkedom.ts";
import { stringLiterals } from "./string-literals.ts";

/**
 * Finds URLs that a page holds outside its links: in the strings of its scripts, in JSON, in `data-*` attributes.
 * Nothing is evaluated, so they are guesses. URLs that do not look like pages are left out.
 */

/** UTF-16 units of all scripts and JSON of a page. */
const MAX_TEXT = 1_000_000;
const MAX_LINKS = 1_000;
/** Each character may be written as `\u002F`, the longest escape. */
const MAX_WRITTEN = 6 * MAX_URL_LENGTH;

/** https://mimesniff.spec.whatwg.org/#javascript-mime-type, no type, and the two kinds of JSON that pages carry. */
const READ_TYPES = new Set([
  "",
  "module",
  ..."ecmascript javascript x-ecmascript x-javascript json ld+json".split(" ").map((name) => `application/${name}`),
  ..."ecmascript javascript jscript livescript x-ecmascript x-javascript".split(" ").map((name) => `text/${name}`),
  ...["1.0", "1.1", "1.2", "1.3", "1.4", "1.5"].map((version) => `text/javascript${version}`),
]);
/** Keys of JSON-LD whose values name vocabularies, not pages. https://www.w3.org/TR/json-ld11/#keywords */
const VOCABULARY_KEYS = new Set(["@context", "@type", "@vocab"]);

const ABSOLUTE = /^https?:\/\/[^/?#]/i;
/** A dot or a port distinguishes a host from other text that begins with two slashes, such as XPath. */
const PROTOCOL_RELATIVE = /^\/\/[^/?#]*[.:]/;
const ROOT_RELATIVE = /^\/[\w~%@?.\u0080-\uffff-]/;
/**
 * Markup, globs, regular expressions and placeholders (`{id}`, `[id]`, `/:id`, `%s`). Each alternative ends within
 * three characters or is anchored, so none is slow.
 */
const NO_PAGE = /[\s<>{}*$|\\^`"]|^[^?#]*[[\]]|\/:|%(?![\da-f]{2})|\.\+|\(\?/i;
const ESCAPE = /\\(?:u([\da-f]{4})|x([\da-f]{2})|([/"'&=?#.:-]))/gi;

/** Reads up to a million characters of script per page, and finds up to a thousand distinct URLs. */
export class ScriptLinks {
  readonly #hrefs = new Set<string>();
  #textLeft = MAX_TEXT;

  /** In the order in which they were found. */
  get hrefs(): ReadonlySet<string> {
    return this.#hrefs;
  }

  readElement(element: HtmlElement): void {
    if (element.localName === "script" && element.getAttribute("src") === null) {
      const type = element.getAttribute("type")?.split(";", 1)[0] ?? "";
      if (READ_TYPES.has(type.trim().toLowerCase())) this.readScript(element.textContent);
    }
    for (const { name, value } of element.attributes) if (name.startsWith("data-")) this.readData(value);
  }

  /** Reads JavaScript or JSON, because both write strings alike. */
  readScript(script: string): void {
    const text = script.slice(0, this.#textLeft);
    this.#textLeft -= text.length;
    let before = "";
    for (const written of stringLiterals(text)) {
      if (this.#hrefs.size >= MAX_LINKS) return;
      if (!VOCABULARY_KEYS.has(before)) this.#add(written);
      before = written;
    }
  }

  /** Reads the value of a `data-*` attribute: a URL, or JSON. */
  readData(value: string): void {
    const trimmed = value.trim();
    if (trimmed[0] === "{" || trimmed[0] === "[") this.readScript(trimmed);
    else if (this.#hrefs.size < MAX_LINKS) this.#add(trimmed);
  }

  #add(written: string): void {
    if (!/^[/\\h]/i.test(written) || written.length > MAX_WRITTEN) return;
    const href = written.includes("\\") ? written.replace(ESCAPE, decodeEscape) : written;
    if (isPageUrl(href)) this.#hrefs.add(href);
  }
}

/** Whether it is a URL with a host or a path from the root, and may be a page. */
function isPageUrl(text: string): boolean {
  if (text.length > MAX_URL_LENGTH || NO_PAGE.test(text)) return false;
  if (ROOT_RELATIVE.test(text)) return true;
  // A wrong guess must not count as an invalid link of the page.
  return (ABSOLUTE.test(text) || PROTOCOL_RELATIVE.test(text)) && URL.canParse(text, "https://base.invalid/");
}

function decodeEscape(_: string, unicode?: string, hex?: string, same?: string): string {
  return same ?? String.fromCharCode(Number.parseInt(unicode ?? hex ?? "", 16));
}
