import { keepShape } from "../../core/shapes.ts";
import { textLength } from "./boilerplate.ts";
import type { ContentElement } from "./content-tree.ts";
import type { CopiedPage } from "./copy-document.ts";
import { copyDocument } from "./copy-document.ts";
import { findMainContent } from "./main-content.ts";
import { writeMarkdown } from "./markdown.ts";
import { escapeMarkdownStart } from "./markdown-escape.ts";
import type { PageMetadata } from "./metadata.ts";
import { headingsOf, readMetadata } from "./metadata.ts";
import type { Page } from "./page.ts";
import type { HtmlDocument } from "./parse-html.ts";
import { writeText } from "./plain-text.ts";
import { settleContent } from "./settle-content.ts";
import { countWords } from "./word-count.ts";
import { escapeHtml, writeHtml } from "./write-html.ts";

/** The content of a page without what surrounds it, and what the page says of itself. */

/** What content can be made into. */
export type ContentFormat = "html" | "markdown" | "text";

export type PageKind = "article" | "listing" | "other";

export interface Metadata extends PageMetadata {
  /** Of the content, in order. */
  headings: { level: number; text: string }[];
  /** Of the content's text; a Chinese or Japanese character counts as a word. */
  wordCount: number;
  kind: PageKind;
}

/** Plain data, for it is kept as JSON. A format that was not asked for is left out. */
export interface Content {
  metadata: Metadata;
  /** What `main` or `article` holds, with absolute URLs and nothing that runs. */
  html?: string;
  /** CommonMark with GitHub's tables and strikethrough, links absolute. */
  markdown?: string;
  /** A line per block. */
  text?: string;
}

/** More than this Turndown is not given, which reads some texts again for each element that they stand in. */
const MAX_MARKDOWN_ELEMENTS = 50_000;
const MAX_MARKDOWN_WEIGHT = 10_000_000;

/**
 * Makes the formats asked for, and the metadata. It takes the document apart: nothing else can be read from it afterwards.
 * Throws nothing: what cannot be made sense of comes as plain text.
 */
export function makeContent(document: HtmlDocument, page: Page, formats: readonly ContentFormat[]): Content {
  const copied = keepShape(copyDocument(document));
  try {
    return fromCopy(document, textLength(copied.body) > 0 ? copied : copyDocument(document, true), page, formats);
  } catch {
    // Whatever it was: it costs this page its shape, and no more.
    const text = writeText(copyDocument(document).body);
    return plainContent(text, formats, {
      ...saidByPage(page),
      headings: [],
      wordCount: countWords(text),
      kind: "other",
    });
  }
}

function fromCopy(document: HtmlDocument, copied: CopiedPage, page: Page, formats: readonly ContentFormat[]): Content {
  const { metadata, claims } = readMetadata(copied, page);
  let { root, kind } = findMainContent(copied, { ...claims, documentTitle: page.title });
  settleContent(root, page.base);
  let text = writeText(root);
  if (text === "") {
    // Whatever was taken out was all that there is.
    root = copyDocument(document, true).body;
    settleContent(root, page.base);
    text = writeText(root);
  }
  const content: Content = { metadata: { ...metadata, headings: headingsOf(root), wordCount: countWords(text), kind } };
  if (formats.includes("html")) content.html = writeHtml(root);
  // Last, for it takes the tree apart.
  if (formats.includes("markdown")) content.markdown = toMarkdown(root, copied, text);
  if (formats.includes("text")) content.text = text;
  keepShape(root);
  return content;
}

function toMarkdown(root: ContentElement, { elementCount, weight }: CopiedPage, text: string): string {
  if (elementCount > MAX_MARKDOWN_ELEMENTS || weight > MAX_MARKDOWN_WEIGHT) return textToMarkdown(text);
  try {
    return writeMarkdown(root);
  } catch {
    // Then it is paragraphs without links.
    return textToMarkdown(text);
  }
}

function textToMarkdown(text: string): string {
  return text.split("\n").map(escapeMarkdownStart).join("\n\n");
}

/** As `makeContent`, for a text that is no HTML. `type` is `text/plain` or `text/markdown`. */
export function makeTextContent(text: string, type: string, page: Page, formats: readonly ContentFormat[]): Content {
  const isMarkdown = /^\s*text\/(?:x-)?markdown/i.test(type);
  const headings = isMarkdown ? markdownHeadings(text) : [];
  const said = saidByPage(page);
  const title = said.title ?? headings.find(({ level }) => level === 1)?.text ?? null;
  const content = plainContent(text, formats, { ...said, title, headings, wordCount: countWords(text), kind: "other" });
  return formats.includes("markdown") ? { ...content, markdown: text } : content;
}

/** Outside code alone. */
function markdownHeadings(text: string): Metadata["headings"] {
  const headings: Metadata["headings"] = [];
  let isCode = false;
  for (const [line, marks = "", heading] of text.matchAll(
    /^(?: {0,3}(?:```|~~~)| {0,3}(#{1,6})[ \t]+([^\n]{1,500}))/gm,
  )) {
    if (heading === undefined) isCode = !isCode && line !== "";
    else if (!isCode && headings.length < 200)
      headings.push({ level: marks.length, text: heading.replace(/\s+#*\s*$/, "") });
  }
  return headings;
}

function saidByPage({ title, description, language, canonical }: Page): PageMetadata {
  const nothing = { author: null, publishedAt: null, modifiedAt: null, siteName: null, image: null };
  return { title, description, language, canonical, ...nothing, openGraph: {}, jsonLd: [] };
}

function plainContent(text: string, formats: readonly ContentFormat[], metadata: Metadata): Content {
  return {
    metadata,
    ...(formats.includes("html") ? { html: `<pre>${text.startsWith("\n") ? "\n" : ""}${escapeHtml(text)}</pre>` } : {}),
    ...(formats.includes("markdown") ? { markdown: textToMarkdown(text) } : {}),
    ...(formats.includes("text") ? { text } : {}),
  };
}
