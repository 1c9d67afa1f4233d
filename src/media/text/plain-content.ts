import { inPieces } from "../../core/in-pieces.ts";
import type { Content, ContentFormat, Metadata } from "../document.ts";
import { escapeMarkdownStart } from "../html/markdown/markdown-escape.ts";
import { escapeHtml } from "../html/tree/write-html.ts";

/**
 * Content of which only the text is known. `toMarkdown`: writes it as Markdown, as paragraphs unless said otherwise.
 */
export function plainContent(
  text: string,
  formats: readonly ContentFormat[],
  metadata: Metadata,
  toMarkdown = () => textToMarkdown(text),
): Content {
  return {
    metadata,
    ...(formats.includes("html") ? { html: `<pre>${text.startsWith("\n") ? "\n" : ""}${escapeHtml(text)}</pre>` } : {}),
    ...(formats.includes("markdown") ? { markdown: toMarkdown() } : {}),
    ...(formats.includes("text") ? { text } : {}),
  };
}

export function textToMarkdown(text: string): string {
  return inPieces(text, (piece) =>
    piece
      .split("\n")
      .map((line) => escapeMarkdownStart(line))
      .join("\n\n"),
  );
}

/** The metadata of a document that says nothing of itself. */
export function emptyMetadata(): Metadata {
  return {
    title: null,
    description: null,
    language: null,
    canonical: null,
    author: null,
    keywords: [],
    publishedAt: null,
    modifiedAt: null,
    sources: {},
    siteName: null,
    image: null,
    favicon: null,
    feeds: [],
    alternates: [],
    robots: [],
    openGraph: {},
    jsonLd: [],
    headings: [],
    wordCount: 0,
    kind: "other",
  };
}
