import { type ContentElement, ContentText } from "../article/content-tree.ts";
import { BLOCKS } from "../article/measure.ts";
import { BlockText } from "./block-text.ts";
import { codeLanguage, codeLines, fence, findBrokenCode } from "./code.ts";
import { dataTableOf, tableKind } from "./data-table.ts";
import { findFootnotes, settleNotes } from "./footnotes.ts";
import { markdownImage } from "./image.ts";
import { escapeBars, escapeHeadingEnd, linkTarget, linkTitle } from "./markdown-escape.ts";
import { footnote, writeDefinitions, writeItems, writeList } from "./markdown-list.ts";
import { htmlTable, markdownTable } from "./markdown-table.ts";
import { type FormatMark, isLink, type LinkMark, type Marks, withMark } from "./marks.ts";
import { CellBudget } from "./table-grid.ts";

/**
 * Writes content as Markdown: CommonMark with GitHub's tables, strikethrough, task lists and footnotes. A parser gives
 * back the blocks of the content. There are no two blank lines in a row, only lines of code end in a space, and there
 * is no newline at the end.
 *
 * No library writes Markdown of a tree in this way. Turndown knows no more of a piece of text than its element, so what
 * stands beside it, or a block within a link or bold type, breaks the marks; mdast-util-to-markdown escapes so much
 * that people no longer read it as it is written.
 */

type Write = (node: ContentElement, blocks: BlockText, marks: Marks) => void;

/** Elements without a row here are blocks if browsers show them as such, and otherwise text. */
const WRITERS: Record<string, Write> = {
  a: writeLink,
  b: writeMarked("strong"),
  blockquote: writeQuote,
  br: (_, blocks, marks) => (blocks.hasBlocks ? blocks.inline.addBreak(marks) : blocks.inline.addSpace()),
  code: writeCode,
  del: writeMarked("del"),
  dir: (node, blocks, marks) => writeList(node, blocks, marks, writeChildren),
  dl: (node, blocks, marks) => writeDefinitions(node, blocks, marks, writeChildren),
  dt: (node, blocks, marks) => writeBlock(node, blocks, withMark(marks, { type: "strong" })),
  em: writeMarked("em"),
  h1: writeHeading,
  h2: writeHeading,
  h3: writeHeading,
  h4: writeHeading,
  h5: writeHeading,
  h6: writeHeading,
  hr: (_, blocks) => blocks.addRule(),
  i: writeMarked("em"),
  img: (node, { inline }, marks) => inline.addRaw(markdownImage(node), marks),
  input: writeBox,
  kbd: writeCode,
  math: writeMath,
  menu: (node, blocks, marks) => writeList(node, blocks, marks, writeChildren),
  ol: (node, blocks, marks) => writeList(node, blocks, marks, writeChildren),
  pre: writePre,
  q: (node, blocks, marks) => {
    blocks.inline.addText("“", marks);
    writeChildren(node, blocks, marks);
    blocks.inline.addText("”", marks);
  },
  s: writeMarked("del"),
  samp: writeCode,
  strike: writeMarked("del"),
  strong: writeMarked("strong"),
  sub: writeMarked("sub"),
  summary: (node, blocks, marks) => writeBlock(node, blocks, withMark(marks, { type: "strong" })),
  sup: (node, blocks, marks) => writeChildren(node, blocks, isOneLink(node) ? marks : withMark(marks, { type: "sup" })),
  table: writeTable,
  tt: writeCode,
  ul: (node, blocks, marks) => writeList(node, blocks, marks, writeChildren),
  video: writeVideo,
};
const writers = new Map(Object.entries(WRITERS));

/** Changes the tree: code with line breaks becomes a block, and links back from footnotes go. */
export function writeMarkdown(root: ContentElement): string {
  settleBrokenCode(root);
  const footnotes = findFootnotes(root);
  settleNotes(footnotes);
  const hasMath = root.getElementsByTagName("math").length > 0;
  const blocks = new BlockText({ footnotes, hasMath, budget: new CellBudget() });
  writeNode(root, blocks, []);
  return blocks.finishPage();
}

function writeChildren({ childNodes }: Pick<ContentElement, "childNodes">, blocks: BlockText, marks: Marks): void {
  for (let at = 0; at < childNodes.length; at++) {
    const node = childNodes[at];
    if (node === undefined) continue;
    if (node.nodeType === 3) blocks.inline.addText(node.data, marks);
    else if (node.localName === "li") at = writeStrayItems(childNodes, at, blocks, marks);
    else writeNode(node, blocks, marks);
  }
}

function writeNode(node: ContentElement, blocks: BlockText, marks: Marks): void {
  const label = blocks.hasBlocks ? blocks.page.footnotes.notes.get(node) : undefined;
  const write = writers.get(node.localName);
  if (label !== undefined) writeNote(node, label, blocks, marks);
  else if (write !== undefined) write(node, blocks, marks);
  else if (BLOCKS.has(node.localName)) writeBlock(node, blocks, marks);
  else writeChildren(node, blocks, marks);
}

function writeBlock(node: ContentElement, blocks: BlockText, marks: Marks): void {
  blocks.endBlock();
  writeChildren(node, blocks, marks);
  blocks.endBlock();
}

function writeMarked(type: FormatMark["type"]): Write {
  return (node, blocks, marks) => writeChildren(node, blocks, withMark(marks, { type }));
}

/** Writes the items from `start` that have no list around them. Returns the index of the last one. */
function writeStrayItems(nodes: ContentElement["childNodes"], start: number, blocks: BlockText, marks: Marks): number {
  const items: { nodes: ContentElement["childNodes"]; number: number; element: ContentElement }[] = [];
  let last = start;
  for (let at = start; at < nodes.length; at++) {
    const node = nodes[at];
    if (node?.nodeType === 1 && node.localName === "li") {
      items.push({ nodes: node.childNodes, number: 1, element: node });
      last = at;
    } else if (node?.nodeType !== 3 || node.data.trim() !== "") break;
  }
  writeItems(items, false, blocks, marks, writeChildren);
  return last;
}

function writeNote(node: ContentElement, label: string, blocks: BlockText, marks: Marks): void {
  const note = new BlockText(blocks.page);
  writeChildren(node, note, marks);
  const text = note.finish();
  blocks.addBlock(text === "" ? "" : footnote(label, text));
}

function writeHeading(node: ContentElement, blocks: BlockText, marks: Marks): void {
  if (!blocks.hasBlocks) {
    writeBlock(node, blocks, marks);
    return;
  }
  const heading = new BlockText(blocks.page, { shape: "heading" });
  // A heading is bold by itself.
  writeChildren(
    node,
    heading,
    marks.filter(({ type }) => type !== "strong"),
  );
  const text = escapeHeadingEnd(heading.takeLine());
  blocks.addBlock(text === "" ? "" : `${"#".repeat(Number(node.localName[1]))} ${text}`);
}

function writeQuote(node: ContentElement, blocks: BlockText, marks: Marks): void {
  if (!blocks.hasBlocks) {
    writeBlock(node, blocks, marks);
    return;
  }
  const quote = new BlockText(blocks.page);
  writeChildren(node, quote, marks);
  const text = quote.finish();
  blocks.addBlock(text === "" ? "" : text.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">"));
}

/** A link around blocks is a link in each of them. */
function writeLink(node: ContentElement, blocks: BlockText, marks: Marks): void {
  const label = blocks.page.footnotes.references.get(node);
  const href = node.getAttribute("href");
  if (label !== undefined) blocks.inline.addRaw(`[^${label}]`, marks);
  else writeChildren(node, blocks, href ? withMark(marks, linkMark(href, node)) : marks);
}

function linkMark(href: string, link: ContentElement): LinkMark {
  return { type: "link", target: `(${linkTarget(href)}${linkTitle(link.getAttribute("title"))})` };
}

/** Whether all text of an element is in one link, such as that to a footnote. */
function isOneLink({ textContent, firstElementChild: first }: ContentElement): boolean {
  return first?.localName === "a" && first.hasAttribute("href") && first.textContent.trim() === textContent.trim();
}

/** Links in code divide it. Other marks in it have no place. */
function writeCode(node: ContentElement, blocks: BlockText, marks: Marks): void {
  const { inline } = blocks;
  let code = "";
  let codeMarks = marks;
  const endCode = () => {
    const text = code.replace(/\s+/g, " ");
    code = "";
    if (text.startsWith(" ")) inline.addSpace();
    inline.addCode(text.trim(), codeMarks);
    if (text.endsWith(" ")) inline.addSpace();
  };
  const read = (parent: ContentElement) => {
    for (const child of parent.childNodes) {
      if (child.nodeType === 3) code += child.data;
      else if (child.localName === "br") {
        endCode();
        inline.addSpace();
      } else if (child.localName === "img" || child.localName === "math") {
        endCode();
        writeNode(child, blocks, codeMarks);
      } else if (child.localName === "a" && child.hasAttribute("href") && child.textContent.trim() !== "") {
        endCode();
        const outer = codeMarks;
        codeMarks = withMark(outer, linkMark(child.getAttribute("href") ?? "", child));
        read(child);
        endCode();
        codeMarks = outer;
      } else read(child);
    }
  };
  read(node);
  endCode();
}

function writePre(node: ContentElement, blocks: BlockText, marks: Marks): void {
  const text = node.textContent;
  if (blocks.hasBlocks) {
    blocks.addBlock(text.trim() === "" ? "" : fence(text, codeLanguage(node)));
    return;
  }
  for (const line of codeLines(node)) {
    blocks.inline.addSpace();
    blocks.inline.addCode(line.replace(/\s+/g, " ").trim(), marks);
  }
  blocks.inline.addSpace();
}

/** Makes code with line breaks a block, except in a data table, a heading or a link, which are lines. */
function settleBrokenCode(root: ContentElement): void {
  for (const code of findBrokenCode(root)) {
    const lines = codeLines(code);
    if (lines.length < 2 || dataTableOf(code) !== null || isInLine(code)) continue;
    while (code.firstChild !== null) code.firstChild.remove();
    code.append(new ContentText(lines.join("\n")));
    code.localName = "pre";
    code.tagName = "PRE";
  }
}

const LINES = new Set("a h1 h2 h3 h4 h5 h6".split(" "));

function isInLine(node: ContentElement): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode)
    if (LINES.has(above.localName)) return true;
  return false;
}

function writeMath({ textContent }: ContentElement, blocks: BlockText, marks: Marks): void {
  const tex = textContent.trim();
  if (!tex.startsWith("$$") || !blocks.hasBlocks || marks.some(isLink)) {
    blocks.inline.addRaw(tex, marks);
    return;
  }
  const inner = tex.slice(2, -2);
  // Without mathematics, a parser would take a line that begins like this for another block.
  blocks.addBlock(/^(?:[-+*=>#|]|\d+[.)])/.test(inner) ? tex : `$$\n${inner}\n$$`);
}

/** A box to tick, where an item begins. */
function writeBox(node: ContentElement, blocks: BlockText): void {
  if (node.getAttribute("type")?.toLowerCase() !== "checkbox" || !blocks.mayHaveBox || !blocks.isEmpty) return;
  blocks.inline.addRaw(node.checked ? "[x]" : "[ ]", []);
  blocks.inline.addSpace();
}

function writeVideo(node: ContentElement, blocks: BlockText, marks: Marks): void {
  const source = node.getAttribute("src") ?? node.firstElementChild?.getAttribute("src");
  if (!source) return;
  blocks.endBlock();
  blocks.inline.addText(source, withMark(marks, { type: "link", target: `(${linkTarget(source)})` }));
  blocks.endBlock();
}

function writeTable(node: ContentElement, blocks: BlockText, marks: Marks): void {
  const kind = blocks.hasBlocks ? tableKind(node) : "layout";
  if (kind === "layout") writeBlock(node, blocks, marks);
  else if (kind === "blocks") blocks.addBlock(htmlTable(node));
  else {
    blocks.endBlock();
    for (const child of node.children) if (child.localName === "caption") writeBlock(child, blocks, marks);
    blocks.addBlock(markdownTable(node, (cell) => cellText(cell, blocks, marks), blocks.page.budget));
  }
}

function cellText(cell: ContentElement, { page }: BlockText, marks: Marks): string {
  const text = new BlockText(page, { shape: "cell" });
  writeChildren(cell, text, marks);
  return escapeBars(text.takeLine());
}
