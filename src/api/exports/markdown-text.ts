/** Writes titles and descriptions of other people's pages into Markdown: as the text that they are, on one line. */

/** A tag, a comment. */
const TAG = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]{0,40})(\s[^<>]*)?\/?>/gi;
/** Elements without an end tag (https://html.spec.whatwg.org/multipage/syntax.html#void-elements). */
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input", "link", "meta", "source", "wbr"]);
/** Elements that divide words. */
const DIVIDES: ReadonlySet<string> = new Set(["br", "hr", "div", "p", "li", "td", "tr", "h1", "h2", "h3"]);
/** Characters of a text that are looked at. */
const MAX_LENGTH = 2_000;

/**
 * The text on one line, without the tags of HTML that some sites write into their titles. A tag alone stays, because
 * it is what the title is about: "<b>: The Bring Attention To element".
 */
export function toPlainLine(text: string): string {
  const written = text.slice(0, MAX_LENGTH).toWellFormed();
  const tags = [...written.matchAll(TAG)];
  const markup = markupOf(tags);
  let plain = "";
  let at = 0;
  for (const tag of tags) {
    if (!markup.has(tag)) continue;
    plain += written.slice(at, tag.index) + (DIVIDES.has((tag[2] ?? "").toLowerCase()) ? " " : "");
    at = tag.index + tag[0].length;
  }
  return (plain + written.slice(at)).replace(/[\s\p{Cc}]+/gu, " ").trim();
}

/** Those that have a partner, need none, have attributes, or are comments. */
function markupOf(tags: readonly RegExpExecArray[]): ReadonlySet<RegExpExecArray> {
  const markup = new Set<RegExpExecArray>();
  const open: RegExpExecArray[] = [];
  for (const tag of tags) {
    const [, slash, name = "", attributes = ""] = tag;
    const lower = name.toLowerCase();
    if (name === "" || VOID.has(lower) || attributes.includes("=")) markup.add(tag);
    if (name === "" || VOID.has(lower)) continue;
    if (slash === "") open.push(tag);
    else {
      const partner = open.findLastIndex(([, , other = ""]) => other.toLowerCase() === lower);
      const [begin] = partner === -1 ? [] : open.splice(partner);
      if (begin !== undefined) markup.add(begin).add(tag);
    }
  }
  return markup;
}

/** Escapes what Markdown would read as more than text (https://spec.commonmark.org/0.31.2/#inlines). */
export function escapeInline(line: string): string {
  return line
    .replace(/[[\]\\`*]|~~|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, escapeEach)
    .replace(/&(?=#?[a-z0-9]{1,40};)/gi, "&amp;")
    .replaceAll("<", "&lt;");
}

/** The same at the beginning of a line that begins with text, such as a quote. */
export function escapeBlock(line: string): string {
  return escapeInline(line).replace(/^(?:[#>+=|-]|\d{1,9}(?=[.)]))/, (begin) =>
    /\d/.test(begin) ? `${begin}\\` : `\\${begin}`,
  );
}

/** The same in a heading, whose last marks would be its end. */
export function escapeHeading(line: string): string {
  return escapeInline(line).replace(/(?<=^|\s)#+$/, "\\$&");
}

function escapeEach(found: string): string {
  return found.replace(/./gu, "\\$&");
}
