import type { ContentElement, ContentNode } from "../../../../../src/media/html/article/content-tree.ts";
import { BLOCKS } from "../../../../../src/media/html/article/measure.ts";
import { codeLanguage, codeLines, findBrokenCode } from "../../../../../src/media/html/markdown/code.ts";
import { dataTableOf, tableKind } from "../../../../../src/media/html/markdown/data-table.ts";
import { type Footnotes, findFootnotes } from "../../../../../src/media/html/markdown/footnotes.ts";
import { CellBudget, readGrid } from "../../../../../src/media/html/markdown/table-grid.ts";
import { IMAGE, ITEM, isFilled, type Leaf, linesOf, type Node, tidyLink, tidyText } from "./page-blocks.ts";

/**
 * The blocks of a page's content, read from its tree as a browser shows it, by nothing that writes Markdown. What
 * Markdown cannot say is read as what docs/reading.md says that Markdown has instead: a list of definitions is a list.
 */
export function treeLines(root: ContentElement): string[] {
  const reader = new TreeReader(root);
  const nodes = reader.blocksOf([root]).filter(isFilled);
  while (nodes[0]?.type === "rule") nodes.shift();
  while (nodes.at(-1)?.type === "rule") nodes.pop();
  return linesOf(nodes);
}

const LISTS = new Set(["ul", "ol", "menu", "dir"]);
const HEADINGS = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);

/** A run of text, which ends at a block. */
class Run {
  text = "";
  links: string[] = [];
  breaks = 0;
}

class TreeReader {
  readonly #notes: Footnotes;
  readonly #brokenCode: ReadonlySet<ContentElement>;

  constructor(root: ContentElement) {
    this.#notes = findFootnotes(root);
    this.#brokenCode = new Set(
      [...findBrokenCode(root)].filter(
        (code) =>
          codeLines(code).length > 1 && dataTableOf(code) === null && !isWithin(code, new Set([...HEADINGS, "a"])),
      ),
    );
  }

  /** `isItem`: whether the first of the nodes begin an item. */
  blocksOf(nodes: readonly ContentNode[], outer: string | null = null, isItem = false): Node[] {
    const found: Node[] = [];
    let run = new Run();
    const endRun = () => {
      const text = tidyText(run.text);
      if (text !== "") found.push({ type: "paragraph", text, links: run.links });
      run = new Run();
    };
    const walk = (some: readonly ContentNode[], link: string | null) => {
      for (let at = 0; at < some.length; at++) {
        const node = some[at];
        if (node === undefined) continue;
        if (node.nodeType === 3) {
          if (run.breaks > 1 && node.data.trim() !== "") endRun();
          this.#addText(run, node.data, link);
          continue;
        }
        const { localName } = node;
        if (this.#notes.returns.has(node)) continue;
        const label = this.#notes.notes.get(node);
        if (label !== undefined && localName !== "li" && localName !== "dt") {
          endRun();
          found.push({ type: "note", label, children: this.#noteBlocks(node.childNodes, link) });
        } else if (localName === "li") {
          endRun();
          const items: ContentElement[] = [];
          let last = at;
          for (let next = at; next < some.length; next++) {
            const item = some[next];
            if (item?.nodeType === 1 && item.localName === "li") {
              items.push(item);
              last = next;
            } else if (item?.nodeType !== 3 || item.data.trim() !== "") break;
          }
          found.push(...this.#listOf(items, 1, false, link));
          at = last;
        } else if (LISTS.has(localName)) {
          endRun();
          found.push(
            ...this.#listOf(node.childNodes, numberOf(node.getAttribute("start")) ?? 1, localName === "ol", link),
          );
        } else if (
          localName === "dl" &&
          holdsTerms(node) &&
          !node.getElementsByTagName("*").some((one) => HEADINGS.has(one.localName))
        ) {
          endRun();
          found.push(...this.#definitionsOf(node, link));
        } else if (HEADINGS.has(localName)) {
          endRun();
          const { text, links } = this.#lineOf(node, link);
          found.push({ type: "heading", detail: localName.slice(1), text, links: text === "" ? [] : links });
        } else if (localName === "pre" || this.#brokenCode.has(node)) {
          endRun();
          const text = localName === "pre" ? node.textContent : codeLines(node).join("\n");
          const code = text.replace(/\r\n?/g, "\n").replace(/^\n+/, "").trimEnd();
          found.push({
            type: "code",
            detail: localName === "pre" ? codeLanguage(node) : codeLanguage(node),
            text: code,
          });
        } else if (localName === "blockquote") {
          endRun();
          found.push({ type: "quote", children: this.blocksOf(node.childNodes, link) });
        } else if (localName === "table" && tableKind(node) !== "layout") {
          endRun();
          found.push(...this.#tableOf(node, link));
        } else if (localName === "hr") {
          endRun();
          found.push({ type: "rule", text: "" });
        } else if (localName === "br") {
          if (link === null) run.breaks += 1;
          run.text += " ";
        } else if (localName === "math" && node.textContent.startsWith("$$") && link === null) {
          endRun();
          found.push({ type: "math", text: `⟦${node.textContent.trim().slice(2, -2)}⟧` });
        } else if (localName === "video") {
          const source = node.getAttribute("src") ?? node.firstElementChild?.getAttribute("src");
          if (!source) continue;
          endRun();
          found.push({ type: "paragraph", text: tidyText(source), links: [tidyLink(source)] });
        } else if (localName === "input") {
          if (isItem && found.length === 0 && run.text.trim() === "") run.text += node.checked ? "[x] " : "[ ] ";
        } else if (BLOCKS.has(localName)) {
          endRun();
          walk(node.childNodes, link);
          endRun();
        } else {
          if (run.breaks > 1 && (localName === "q" || this.#isPiece(node))) endRun();
          if (this.#addInline(run, node, link)) continue;
          walk(node.childNodes, linkOf(node) ?? link);
          if (localName === "q") {
            if (run.breaks > 1) endRun();
            this.#addText(run, "”", link);
          }
        }
      }
    };
    walk(nodes, outer);
    endRun();
    return found;
  }

  /** Adds an element that is a piece of text in itself. Returns false for one whose children follow. */
  #addInline(run: Run, node: ContentElement, link: string | null): boolean {
    const { localName } = node;
    const label = this.#notes.references.get(node);
    if (label !== undefined) run.text += `[^${label}]`;
    else if (localName === "img") {
      if (!hasSource(node)) return true;
      run.text += IMAGE;
      if (link !== null) addLink(run, link);
    } else if (localName === "math") {
      run.text += `⟦${node.textContent.trim().replace(/^\$+|\$+$/g, "")}⟧`;
      if (link !== null) addLink(run, link);
    } else {
      if (localName === "q") this.#addText(run, "“", linkOf(node) ?? link);
      return false;
    }
    run.breaks = 0;
    return true;
  }

  #addText(run: Run, data: string, link: string | null): void {
    run.text += data;
    if (data.trim() !== "") run.breaks = 0;
    if (link !== null && data.trim() !== "") addLink(run, link);
  }

  /** Whether an element is shown without text of its own. */
  #isPiece(node: ContentElement): boolean {
    return (
      (node.localName === "img" && hasSource(node)) || node.localName === "math" || this.#notes.references.has(node)
    );
  }

  /** All text of an element in one line. */
  #lineOf(element: ContentElement, outer: string | null = null): { text: string; links: string[] } {
    const run = new Run();
    const walk = (parent: ContentElement, link: string | null) => {
      for (const node of parent.childNodes) {
        if (node.nodeType === 3) this.#addText(run, node.data, link);
        else if (this.#notes.returns.has(node)) continue;
        else {
          const isBlock = BLOCKS.has(node.localName) || node.localName === "br";
          if (isBlock) run.text += " ";
          if (node.localName === "li" && dataTableOf(node) !== null && this.#lineOf(node).text !== "")
            run.text += ` ${ITEM} `;
          if (!this.#addInline(run, node, link)) {
            walk(node, linkOf(node) ?? link);
            if (node.localName === "q") this.#addText(run, "”", link);
          }
          if (isBlock) run.text += " ";
        }
      }
    };
    walk(element, outer);
    return { text: tidyText(run.text), links: run.links };
  }

  #noteBlocks(nodes: readonly ContentNode[], link: string | null): Node[] {
    const blocks = this.blocksOf(nodes, link);
    // What only marks the note, such as "[1]" or "^", goes.
    const [first] = blocks;
    if (first?.type === "paragraph")
      first.text = first.text.replace(
        /^[\s[\]()^↑↩.:,;]*(?:(?:\d+|[a-z*]+)(?:[\])]|[.:)] ))?[\s[\]()^↑↩,;]*(?=$|\s|[\p{L}\p{N}⟦“"'.])/u,
        "",
      );
    return blocks;
  }

  #listOf(nodes: readonly ContentNode[], start: number, isOrdered: boolean, link: string | null): Node[] {
    const found: Node[] = [];
    let items: Extract<Node, { type: "item" }>[] = [];
    let number = start;
    let stray: ContentNode[] = [];
    const endStray = () => {
      if (stray.some((node) => node.nodeType === 1 || node.data.trim() !== "")) {
        items.push({ type: "item", number: isOrdered ? number : null, children: this.blocksOf(stray, link) });
        number += 1;
      }
      stray = [];
    };
    const read = (some: readonly ContentNode[]) => {
      for (const node of some) {
        const isList = node.nodeType === 1 && LISTS.has(node.localName);
        if (node.nodeType === 3 || !(node.localName === "li" || isList || holds(node, "li"))) {
          stray.push(node);
          continue;
        }
        endStray();
        const last = items.at(-1);
        if (node.nodeType === 1 && LISTS.has(node.localName) && last !== undefined)
          last.children.push(...this.blocksOf([node], link));
        else if (node.nodeType === 1 && node.localName !== "li" && !LISTS.has(node.localName) && holds(node, "li"))
          read(node.childNodes);
        else {
          const isLi = node.nodeType === 1 && node.localName === "li";
          number = (isLi ? numberOf(node.getAttribute("value")) : null) ?? number;
          const label = node.nodeType === 1 ? this.#notes.notes.get(node) : undefined;
          if (label !== undefined) {
            found.push({ type: "list", children: items });
            items = [];
            found.push({ type: "note", label, children: this.#noteBlocks(isLi ? node.childNodes : [node], link) });
          } else {
            const children = this.blocksOf(isLi ? node.childNodes : [node], link, isLi);
            items.push({ type: "item", number: isOrdered ? number : null, children });
          }
          number += 1;
        }
      }
    };
    read(nodes);
    endStray();
    found.push({ type: "list", children: items });
    return found;
  }

  #definitionsOf(list: ContentElement, link: string | null): Node[] {
    const found: Node[] = [];
    let items: Extract<Node, { type: "item" }>[] = [];
    let isTerm = false;
    const add = (children: Node[], continues: boolean) => {
      const last = items.at(-1);
      if (continues && last !== undefined) last.children.push(...children);
      else items.push({ type: "item", number: null, children });
    };
    let label: string | undefined;
    const read = (parent: ContentElement) => {
      for (const node of parent.childNodes) {
        if (node.nodeType === 3 && node.data.trim() === "") continue;
        if (node.nodeType === 1 && node.localName === "dt") {
          label = this.#notes.notes.get(node);
          if (label === undefined) add(this.blocksOf(node.childNodes, link), isTerm);
          isTerm = true;
        } else if (node.nodeType === 1 && node.localName === "div" && holdsTerms(node)) read(node);
        else {
          if (label !== undefined) {
            found.push(
              { type: "list", children: items },
              { type: "note", label, children: this.#noteBlocks([node], link) },
            );
            items = [];
            label = undefined;
          } else add(this.blocksOf([node], link), true);
          isTerm = false;
        }
      }
    };
    read(list);
    found.push({ type: "list", children: items });
    return found;
  }

  #tableOf(table: ContentElement, link: string | null): Leaf[] {
    if (tableKind(table) === "blocks") return [{ type: "html", text: table.textContent.replace(/\s/g, "") }];
    const captions = table.children
      .filter(({ localName }) => localName === "caption")
      .map((one) => ({ type: "paragraph" as const, ...this.#lineOf(one, link) }));
    const links: string[] = [];
    const { columns, rows } = readGrid(table, (cell) => JSON.stringify(this.#lineOf(cell, link)), new CellBudget());
    const texts = rows.map(({ cells }) =>
      Array.from({ length: columns }, (_, at) => {
        if (!cells[at]) return "";
        const cell = JSON.parse(cells[at]) as { text: string; links: string[] };
        links.push(...cell.links);
        return cell.text;
      }),
    );
    const [first] = rows;
    const isHeader =
      first !== undefined &&
      (first.row.parentNode?.localName === "thead" ||
        first.row.children
          .filter(({ localName }) => /^t[dh]$/.test(localName))
          .every(({ localName }) => localName === "th"));
    const all = isHeader ? texts : [Array.from({ length: columns }, () => ""), ...texts];
    const hasHeader = all[0]?.some((text) => text !== "") ?? false;
    return [
      ...captions,
      {
        type: "table",
        detail: hasHeader ? "with header" : "",
        text: all.map((cells) => tidyText(cells.join(" | "))).join(" / "),
        links,
      },
    ];
  }
}

function linkOf(node: ContentElement): string | null {
  return node.localName === "a" ? node.getAttribute("href") || null : null;
}

/** A link is named once for the pieces that follow one another in it. */
function addLink(run: Run, link: string): void {
  const url = tidyLink(link);
  if (run.links.at(-1) !== url) run.links.push(url);
}

function hasSource(image: ContentElement): boolean {
  if (image.src !== "" || image.srcset !== "") return true;
  return (
    image.parentNode?.localName === "picture" &&
    image.parentNode.children.some(({ localName, srcset }) => localName === "source" && srcset !== "")
  );
}

function numberOf(written: string | null): number | null {
  const number = Number.parseInt(written ?? "", 10);
  return number >= 0 && number < 1e9 ? number : null;
}

function isWithin(node: ContentElement, names: ReadonlySet<string>): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode)
    if (names.has(above.localName)) return true;
  return false;
}

/** Whether an item stands in an element, and not in a list in it. */
function holds(element: ContentElement, name: string): boolean {
  return element.children.some(
    (child) => child.localName === name || (!LISTS.has(child.localName) && holds(child, name)),
  );
}

function holdsTerms(list: ContentElement): boolean {
  return list.children.some(
    (child) => /^d[td]$/.test(child.localName) || (child.localName === "div" && holdsTerms(child)),
  );
}
