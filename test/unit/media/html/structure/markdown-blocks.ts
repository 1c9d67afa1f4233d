import type { Nodes, PhrasingContent, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { parseHtml } from "../../../../../src/media/html/tree/linkedom.ts";
import { IMAGE, ITEM, linesOf, type Node, tidyLink, tidyText } from "./page-blocks.ts";

/**
 * The blocks of Markdown, as micromark reads it: CommonMark with GitHub's extensions. GitHub's mathematics is taken out
 * before, because it is no part of either.
 */
export function markdownLines(markdown: string, hasMath: boolean): string[] {
  const formulas: string[] = [];
  const replaceFormula = (all: string, ...[, , indent, block = "", line = "", inline = ""]: (string | undefined)[]) => {
    if (/^(?:`|~)/.test(all.trimStart())) return all;
    formulas.push((block || line || inline).trim());
    return `${indent ?? ""}⟦${formulas.length - 1}${block || line ? "block" : ""}⟧`;
  };
  const plain = hasMath ? markdown.replace(FORMULA, replaceFormula) : markdown;
  const { children } = fromMarkdown(plain, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return linesOf(readBlocks(children, { markdown: plain, formulas })).map((line) => formulaText(line, formulas));
}

/** Code, where dollars are dollars, or a formula: a block of lines, a line, or one within a line. */
const FORMULA =
  /^[ >]*(`{3,})[^`\n]*\n[\s\S]*?^[ >]*\1`*$|(?<!`)(`+)(?!`)[\s\S]+?(?<!`)\2(?!`)|(^[ >]*(?:[-*] |\d+[.)] )*)\$\$\n([\s\S]*?)\n[ >]*\$\$$|(?<!\\)\$\$(.+?)(?<!\\)\$\$|(?<![\\$])\$((?:\\.|[^\\$\n])+)\$/gm;

function formulaText(text: string, formulas: readonly string[]): string {
  return text.replace(/⟦(\d+)(?:block)?⟧/g, (_, at) => `⟦${formulas[Number(at)]}⟧`);
}

interface Source {
  markdown: string;
  formulas: readonly string[];
}

function readBlocks(nodes: readonly RootContent[], source: Source): Node[] {
  return nodes.flatMap((node) => readBlock(node, source));
}

function readBlock(node: RootContent, source: Source): Node[] {
  switch (node.type) {
    case "paragraph": {
      const [only] = node.children;
      const formula = only?.type === "text" && node.children.length === 1 ? /^⟦(\d+)block⟧$/.exec(only.value) : null;
      if (formula !== null) return [{ type: "math", text: source.formulas[Number(formula[1])] ?? "" }];
      return [{ type: "paragraph", ...textOf(node.children, source) }];
    }
    case "heading":
      return [{ type: "heading", detail: String(node.depth), ...textOf(node.children, source) }];
    case "code":
      return [{ type: "code", detail: node.lang ?? "", text: node.value }];
    case "thematicBreak":
      return [{ type: "rule", text: "" }];
    case "blockquote":
      return [{ type: "quote", children: readBlocks(node.children, source) }];
    case "footnoteDefinition":
      return [{ type: "note", label: node.label ?? "", children: readBlocks(node.children, source) }];
    case "list":
      return [
        {
          type: "list",
          children: node.children.map(({ checked, children }, at) => {
            const blocks = readBlocks(children, source);
            const [first] = blocks;
            if (typeof checked === "boolean" && first !== undefined && "text" in first)
              first.text = `[${checked ? "x" : " "}] ${first.text}`;
            return { type: "item", number: node.ordered ? (node.start ?? 1) + at : null, children: blocks };
          }),
        },
      ];
    case "table": {
      const rows = node.children.map(({ children }) => children.map((cell) => textOf(cell.children, source)));
      const hasHeader = rows[0]?.some(({ text }) => text !== "") ?? false;
      return [
        {
          type: "table",
          detail: hasHeader ? "with header" : "",
          text: rows.map((cells) => tidyText(cells.map(({ text }) => text).join(" | "))).join(" / "),
          links: rows.flat().flatMap(({ links }) => links),
        },
      ];
    }
    case "html":
      return [
        {
          type: "html",
          text: tagless(node.value),
        },
      ];
    default:
      return [{ type: "paragraph", text: `unexpected ${node.type}` }];
  }
}

function textOf(nodes: readonly PhrasingContent[], { markdown }: Source): { text: string; links: string[] } {
  const links: string[] = [];
  const read = (node: Nodes): string => {
    if (node.type === "text" || node.type === "inlineCode") return node.value;
    if (node.type === "break") return " ";
    if (node.type === "image") return IMAGE;
    if (node.type === "footnoteReference") return `[^${node.label}]`;
    if (node.type === "html")
      return node.value.startsWith("<li") ? ` ${ITEM} ` : /^<\/(?:li|ul|ol)/.test(node.value) ? " " : "";
    // A URL in a text is a link for GitHub alone: without brackets.
    const isLiteral = node.type === "link" && markdown[node.position?.start.offset ?? -1] !== "[";
    if (node.type === "link" && !isLiteral) links.push(tidyLink(node.url));
    return "children" in node ? node.children.map(read).join("") : "";
  };
  const text = nodes.map(read).join("");
  return { text: tidyText(text), links };
}

function tagless(html: string): string {
  const { body } = parseHtml(`<html><body>${html}</body></html>`) as unknown as { body: { textContent: string } };
  return body.textContent.replace(/\s/g, "");
}
