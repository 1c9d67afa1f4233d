/** Finds the URLs in CSS and their positions, to fetch or to replace them. */

interface CssUrl {
  /** With escapes decoded. */
  url: string;
  /** The position of all of `url(...)`, or of the string with its quotes. */
  start: number;
  end: number;
}

const STRING = /"(?:[^"\\\n\r\f]|\\[\s\S])*"?|'(?:[^'\\\n\r\f]|\\[\s\S])*'?/.source;
/** Tokens that can hold a URL, and tokens to skip so that nothing inside them counts as a URL. */
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
 * Yields in order the URLs of `url()`, and the strings of `@import` and `image-set()`, which are URLs too. The name of
 * an `@namespace` does not count. https://www.w3.org/TR/css-syntax-3/#consume-url-token
 */
export function* findCssUrls(css: string): Generator<CssUrl> {
  /** The at-rule of the current prelude. */
  let rule = "";
  /** Open parentheses since an `image-set(`, which counts too: its own strings are at depth 1. */
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
      // Media and conditions follow.
      if (rule === "@import") rule = "";
    }
  }
}

function isClosed(string: string): boolean {
  return string.length > 1 && string.endsWith(string.charAt(0));
}

/** https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point; an escaped line feed in a string is dropped. */
function undoEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(ESCAPE, (_, hex?: string, char?: string) => {
    if (hex === undefined) return char === undefined || /[\n\r\f]/.test(char) ? "" : char;
    const code = Number.parseInt(hex, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  });
}
