/** The URLs in CSS, each with where it stands: for whoever fetches them, and for whoever puts others in their place. */

export interface CssUrl {
  /** As a browser reads it: escapes are undone. */
  url: string;
  /** The whole of `url(...)`, or the string with its quotes. */
  start: number;
  end: number;
}

const STRING = /"(?:[^"\\\n\r\f]|\\[\s\S])*"?|'(?:[^'\\\n\r\f]|\\[\s\S])*'?/.source;
/** What can hold a URL, and what has to be passed over whole so that nothing inside it is taken for one. */
const TOKEN = new RegExp(
  [
    String.raw`\/\*[\s\S]*?(?:\*\/|$)`,
    `(?<string>${STRING})`,
    String.raw`(?<![\w-])url\([\t\n\f\r ]*(?:(?<quoted>"(?:[^"\\\n\r\f]|\\[\s\S])*"|'(?:[^'\\\n\r\f]|\\[\s\S])*')|(?<bare>(?:[^"'()\\\s]|\\[\s\S]|(?<=\\[0-9a-f]{1,6})[\t\n\f\r ])*))[\t\n\f\r ]*\)`,
    String.raw`(?<at>@[\w-]+)`,
    String.raw`(?<set>(?:-webkit-)?image-set\()`,
    "(?<mark>[();{}])",
  ].join("|"),
  "gi",
);
const ESCAPE = /\\(?:([0-9a-f]{1,6})[\t\n\f\r ]?|(\r\n|[\s\S])|$)/gi;

/**
 * In order: what `url()` names anywhere, and the strings of `@import` and `image-set()`, which are URLs without it. The name of an
 * `@namespace` is none. https://www.w3.org/TR/css-syntax-3/#consume-url-token
 */
export function* findCssUrls(css: string): Generator<CssUrl> {
  /** The at-rule whose prelude this is. */
  let rule = "";
  /** Parentheses that are open since an `image-set(`, itself among them: its own strings are at the first. */
  let depth = 0;
  for (const { 0: text, index: start, groups = {} } of css.matchAll(TOKEN)) {
    const { string, quoted, bare, at, set, mark } = groups;
    const end = start + text.length;
    if (at !== undefined) rule = at.toLowerCase();
    else if (set !== undefined) depth = 1;
    else if (mark === "(" && depth > 0) depth += 1;
    else if (mark === ")" && depth > 0) depth -= 1;
    else if (mark === ";" || mark === "{" || mark === "}") {
      rule = "";
      depth = 0;
    } else if (quoted !== undefined || bare !== undefined) {
      if (rule !== "@namespace") yield { url: undoEscapes(quoted?.slice(1, -1) ?? bare ?? ""), start, end };
      if (rule === "@import") rule = "";
    } else if (string !== undefined && (rule === "@import" || depth === 1)) {
      yield { url: undoEscapes(string.slice(1, isClosed(string) ? -1 : undefined)), start, end };
      // What follows is media and conditions.
      if (rule === "@import") rule = "";
    }
  }
}

function isClosed(string: string): boolean {
  return string.length > 1 && string.endsWith(string.charAt(0));
}

/** https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point; an escaped line feed is left out of a string. */
function undoEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_, hex?: string, char?: string) => {
    if (hex === undefined) return char === undefined || /[\n\r\f]/.test(char) ? "" : char;
    const code = Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}
