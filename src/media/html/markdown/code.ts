import { inPieces } from "../../../core/in-pieces.ts";
import type { ContentElement } from "../article/content-tree.ts";
import { elementsIn, nextNode } from "../article/content-tree.ts";

/** Writes code in Markdown, and finds its programming language. */

const LANGUAGE =
  /(?:^|[\s;])(?:language-|lang-|highlight-(?:source|text)-|brush:\s*|highlight-|sourceCode\s+|code-|hljs\s+)([a-z][\w+#.-]{0,29})/i;
/** Words that match the patterns above and are no languages. */
const NO_LANGUAGE =
  /^(?:none|plain|plaintext|text|txt|nohighlight|default|notranslate|block|wrapper|source|highlight|line|lines|toolbar|box)$/i;
/** Elements around `pre` that are searched: highlighters name the language on a box around it. */
const WRAPPERS = 2;

/** Returns an empty string if no language is named. */
export function codeLanguage(pre: ContentElement): string {
  const named = [pre.firstElementChild, pre];
  for (let above = pre.parentNode, left = WRAPPERS; above !== null && left > 0; above = above.parentNode, left--)
    if (above.children.length <= 2) named.push(above);
  for (const element of named) {
    const stated = element?.getAttribute("data-lang") ?? element?.getAttribute("data-language");
    const language = stated ?? LANGUAGE.exec(element?.className ?? "")?.[1];
    if (language && /^[\w+#.-]{1,30}$/.test(language) && !NO_LANGUAGE.test(language)) return language.toLowerCase();
  }
  return "";
}

/** The fence is longer than any fence in the code. */
export function fence(code: string, language: string): string {
  const marks = "`".repeat(Math.max(3, longestRun(code) + 1));
  const lines = withLineFeeds(code).replace(/^\n+/, "").trimEnd();
  return `${marks}${language}\n${lines}\n${marks}`;
}

/** The text with LF for each CR and CRLF. */
export function withLineFeeds(text: string): string {
  return text.includes("\r") ? inPieces(text, (piece) => piece.replace(/\r\n?/g, "\n")) : text;
}

const CODE = new Set(["code", "kbd", "samp", "tt"]);

/** Returns the code outside `pre` that has line breaks. The breaks in `pre` are characters already. */
export function findBrokenCode(root: ContentElement): Set<ContentElement> {
  const found = new Set<ContentElement>();
  for (const element of elementsIn(root)) {
    if (element.localName !== "br") continue;
    let above = element.parentNode;
    while (above !== null && above !== root && !CODE.has(above.localName)) above = above.parentNode;
    if (above !== null && above !== root) found.add(above);
  }
  return found;
}

/** Returns the lines of code that has line breaks. */
export function codeLines(code: ContentElement): string[] {
  let text = "";
  for (let node = nextNode(code, code); node !== null; node = nextNode(node, code))
    text += node.nodeType === 3 ? node.data : node.localName === "br" ? "\n" : "";
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.filter((line) => line !== "");
}

/** `code`: one line, without white space at its ends. */
export function inlineCode(code: string): string {
  const marks = "`".repeat(longestRun(code) + 1);
  const space = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return `${marks}${space}${code}${space}${marks}`;
}

/** The length of the longest run of backticks. */
function longestRun(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
