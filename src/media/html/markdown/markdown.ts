/// <reference path="./turndown-plugin-gfm.d.ts" />
import { strikethrough, taskListItems } from "@joplin/turndown-plugin-gfm";
import TurndownService from "turndown";
import { ContentElement, ContentText } from "../article/content-tree.ts";
import { BLOCKS } from "../article/measure.ts";
import { largestSource } from "../links/srcset.ts";
import { joinLines, trimNewlines } from "../tree/tidy.ts";
import { codeLanguage, codeLines, fence, findBrokenCode, inlineCode } from "./code.ts";
import { dataTableOf, tableKind } from "./data-table.ts";
import { escapeMarkdown, escapeTexts, linkTarget, linkTitle } from "./markdown-escape.ts";
import { htmlTable, markdownTable } from "./markdown-table.ts";
import { CellBudget } from "./table-grid.ts";

/**
 * Writes content as Markdown: CommonMark with GitHub's tables, strikethrough and task lists. There are no two blank
 * lines in a row, only lines of code end in a space, and there is no newline at the end.
 *
 * Turndown gets nodes, never strings: it would parse those with the `document` that it finds. Its lists, tables, code
 * and escapes are replaced: it searches all items for an item's number, asks tables for `rows`, fences only `pre >
 * code`, and escapes too much.
 */

type Write = (content: string, node: ContentElement) => string;

const block = (text: string) => `\n\n${text}\n\n`;
const inline: Write = (content) => content;
const asBlock: Write = (content) => block(content);

/** The number of the next item, for each `ol` that is being written. */
const nextNumbers = new WeakMap<ContentElement, number>();

const WRITERS: Record<string, Write> = {
  a: writeLink,
  abbr: inline,
  article: asBlock,
  blockquote: (content) => {
    const quoted = trimNewlines(content)
      .replace(/^(?=.)/gm, "> ")
      .replace(/^$/gm, ">");
    return quoted === ">" ? "" : block(quoted);
  },
  br: writeBreak,
  caption: () => "",
  center: asBlock,
  code: writeCode,
  col: () => "",
  dd: (content) => block(content),
  div: asBlock,
  dt: (content) =>
    content.includes("**") || content.trim() === "" ? block(content) : block(`**${joinLines(content)}**`),
  figcaption: asBlock,
  figure: asBlock,
  footer: asBlock,
  h1: writeHeading,
  h2: writeHeading,
  h3: writeHeading,
  h4: writeHeading,
  h5: writeHeading,
  h6: writeHeading,
  header: asBlock,
  hr: () => block("---"),
  img: writeImage,
  kbd: writeCode,
  li: writeItem,
  main: asBlock,
  math: (_, node) => writeMath(node),
  ol: writeList,
  optgroup: asBlock,
  p: asBlock,
  picture: inline,
  pre: writePre,
  q: (content) => `“${content}”`,
  samp: writeCode,
  section: asBlock,
  source: () => "",
  span: inline,
  sub: (content) => (content.trim() === "" ? "" : `<sub>${content}</sub>`),
  summary: (content) => block(`**${joinLines(content)}**`),
  sup: (content) => (content.trim() === "" || content.startsWith("[") ? content : `<sup>${content}</sup>`),
  table: writeTable,
  tbody: inline,
  td: writeCell,
  tfoot: inline,
  th: writeCell,
  thead: inline,
  tr: (content, node) => (dataTableOf(node) === null ? block(content) : ""),
  tt: writeCode,
  ul: writeList,
  video: (_, node) => {
    const source = node.getAttribute("src") ?? node.firstElementChild?.getAttribute("src");
    return source ? block(`[${linkTarget(source)}](${linkTarget(source)})`) : "";
  },
};

/** The part of Turndown that is used. Its own types need the DOM library. */
interface Service {
  use(plugins: unknown[]): Service;
  turndown(root: unknown): string;
  escape(text: string): string;
  readonly rules: { blankRule: unknown; forNode(node: ContentElement & { isBlank?: boolean }): unknown };
}

const service = new TurndownService({ emDelimiter: "_", strongDelimiter: "**" }) as unknown as Service;
service.use([strikethrough, taskListItems]);
// Texts are escaped already: only they know whether they begin a line.
service.escape = (text) => text;
const rules = new Map(Object.entries(WRITERS).map(([name, replacement]) => [name, { replacement }]));
const { forNode } = service.rules;
// Turndown tries each rule in turn. Most rules depend on the name alone.
service.rules.forNode = function (node) {
  if (node.isBlank) return this.blankRule;
  if (node === whole) return TAKE_WHOLE;
  return rules.get(node.localName) ?? forNode.call(this, node);
};

/** The root that is being written, and its Markdown: Turndown trims its own result in quadratic time. */
let whole: ContentElement | null = null;
let wholeMarkdown = "";
const TAKE_WHOLE = {
  replacement: (content: string) => {
    wholeMarkdown = content;
    return "";
  },
};

/** Changes the tree: white space in it is collapsed, and `root` leaves its parent. */
export function writeMarkdown(root: ContentElement): string {
  settleBrokenCode(root);
  escapeTexts(root);
  let markdown = runTurndown(root)
    .replace(/^\s*\n/, "")
    .trim()
    .replace(/^(?:---(?:\n+|$))+/, "");
  while (markdown.endsWith("\n---")) markdown = trimNewlines(markdown.slice(0, -3));
  return markdown;
}

function runTurndown(root: ContentElement): string {
  const frame = new ContentElement("div");
  // The class around the content may name the language of its code.
  frame.attributes = root.parentNode?.attributes ?? [];
  frame.appendChild(root);
  budget = new CellBudget();
  whole = root;
  try {
    service.turndown(frame);
    return wholeMarkdown;
  } finally {
    // Nothing of the page stays in memory.
    whole = null;
    wholeMarkdown = "";
  }
}

const PRE = new Set(["pre"]);
const LINK = new Set(["a"]);
const INLINE_ONLY = new Set("a h1 h2 h3 h4 h5 h6".split(" "));

function isIn(node: ContentElement, names: ReadonlySet<string>): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode)
    if (names.has(above.localName)) return true;
  return false;
}

function writeHeading(content: string, node: ContentElement): string {
  const text = joinLines(content);
  if (text === "") return "";
  return isIn(node, LINK) ? ` ${text} ` : block(`${"#".repeat(Number(node.localName[1]))} ${text}`);
}

function writeLink(content: string, node: ContentElement): string {
  const href = node.getAttribute("href");
  if (href === null || href === "") return content;
  const text = joinLines(content);
  if (text === "") return "";
  const link = `[${text}](${linkTarget(href)}${linkTitle(node.getAttribute("title"))})`;
  // A link around blocks is a block.
  return content.startsWith("\n\n") || content.endsWith("\n\n") ? block(link) : link;
}

function writeImage(_: string, node: ContentElement): string {
  const source = imageSource(node);
  if (!source) return "";
  const alt = escapeMarkdown(joinLines(node.getAttribute("alt") ?? ""));
  return `![${alt}](${linkTarget(source)}${linkTitle(node.getAttribute("title"))})`;
}

/** Returns the largest source that the image or its `picture` names. */
function imageSource(image: ContentElement): string | null {
  const source = image.getAttribute("src");
  const largest = largestSource(image.getAttribute("srcset") ?? "");
  if (source !== null || largest !== null) return largest ?? source;
  if (image.parentNode?.localName !== "picture") return null;
  for (const { localName, srcset } of image.parentNode.children)
    if (localName === "source" && srcset !== "") return largestSource(srcset);
  return null;
}

/** Two breaks begin a paragraph; a break at the end of a block is dropped. */
function writeBreak(_: string, node: ContentElement): string {
  if (isBreak(neighbour(node, "previousSibling"))) return "";
  const next = neighbour(node, "nextSibling");
  if (isBreak(next)) return "\n\n";
  if (next === null || (next.nodeType === 1 && BLOCKS.has(next.localName))) return "\n";
  if (dataTableOf(node) !== null) return " ";
  return neighbour(node, "previousSibling") === null ? "" : "\\\n";
}

function isBreak(node: ContentElement["firstChild"]): boolean {
  return node?.nodeType === 1 && node.localName === "br";
}

function neighbour(node: ContentElement, side: "previousSibling" | "nextSibling"): ContentElement["firstChild"] {
  let found = node[side];
  while (found?.nodeType === 3 && found.data.trim() === "") found = found[side];
  return found;
}

function writeList(content: string, node: ContentElement): string {
  nextNumbers.delete(node);
  if (dataTableOf(node) !== null) return ` ${content} `;
  return node.parentNode?.localName === "li" ? `\n${trimNewlines(content)}\n` : block(trimNewlines(content));
}

function writeItem(content: string, node: ContentElement): string {
  if (dataTableOf(node) !== null) return `${joinLines(content)}${node.nextElementSibling === null ? "" : ", "}`;
  const marker = itemMarker(node);
  const item = trimNewlines(content)
    .replace(/^ +(?=\S)/, "")
    .replace(/^(\[[ x]\]) +/, "$1 ");
  if (item.trim() === "") return "";
  return `\n${marker}${item.replace(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`)}\n`;
}

function itemMarker({ parentNode, attributes }: ContentElement): string {
  if (parentNode?.localName !== "ol") return "- ";
  const value =
    attributes.find(({ name }) => name === "value")?.value ??
    nextNumbers.get(parentNode) ??
    parentNode.getAttribute("start") ??
    1;
  const number = Number.parseInt(String(value), 10);
  const shown = number >= 0 && number < 1e9 ? number : 1;
  nextNumbers.set(parentNode, shown + 1);
  return `${shown}. `;
}

function writePre(_: string, node: ContentElement): string {
  const text = node.textContent;
  return text.trim() === "" ? "" : block(fence(text, codeLanguage(node)));
}

/** Makes code with line breaks a block, except in a data table, a heading or a link, which are lines. */
function settleBrokenCode(root: ContentElement): void {
  for (const code of findBrokenCode(root)) {
    const lines = codeLines(code);
    if (lines.length < 2 || dataTableOf(code) !== null || isIn(code, INLINE_ONLY)) continue;
    while (code.firstChild !== null) code.firstChild.remove();
    code.append(new ContentText(lines.join("\n")));
    code.localName = "pre";
    code.tagName = "PRE";
  }
}

function writeCode(content: string, node: ContentElement): string {
  if (isIn(node, PRE)) return content;
  return node.querySelectorAll("br").length === 0
    ? inlineCode(node.textContent)
    : codeLines(node).map(inlineCode).join(" ");
}

function writeMath({ textContent, parentNode }: ContentElement): string {
  const tex = textContent.trim();
  const isBlock = tex.startsWith("$$") && parentNode !== null && dataTableOf(parentNode) === null;
  return isBlock ? block(`$$\n${tex.slice(2, -2)}\n$$`) : tex;
}

/** The Markdown of the cells of the data tables that are being written. */
const cellTexts = new WeakMap<ContentElement, string>();
/** What the tables of the page that is being written may still repeat. */
let budget = new CellBudget();

function writeTable(content: string, node: ContentElement): string {
  // The table around it is written as HTML with all that is in it.
  if (isInBlocks(node)) return "";
  const kind = tableKind(node);
  if (kind === "layout") return block(content);
  return kind === "blocks" ? htmlTable(node) : markdownTable(node, (cell) => cellTexts.get(cell) ?? "", budget);
}

function isInBlocks(node: ContentElement): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode)
    if (above.localName === "table" && tableKind(above) === "blocks") return true;
  return false;
}

function writeCell(content: string, node: ContentElement): string {
  const table = dataTableOf(node);
  if (table === null) return block(content);
  if (tableKind(table) === "lines") cellTexts.set(node, joinLines(content).replace(/(?<!\\)\|/g, "\\|"));
  return "";
}
