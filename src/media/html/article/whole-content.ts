import { collapseSpace } from "../../../core/in-pieces.ts";
import type { Content, ContentFormat, Metadata } from "../../document.ts";
import { recognizeLanguage } from "../../language.ts";
import { countWords } from "../../text/word-count.ts";
import { headingsOf } from "../facts/metadata.ts";
import { writeMarkdown } from "../markdown/markdown.ts";
import { writeText } from "../markdown/plain-text.ts";
import { copyDocument } from "../tree/copy-document.ts";
import { parseHtml } from "../tree/linkedom.ts";
import { writeHtml } from "../tree/write-html.ts";
import type { ContentElement } from "./content-tree.ts";
import { settleContent } from "./settle-content.ts";

/** The tree of a body, with absolute URLs and nothing that runs. Throws TreeLimit. */
function treeOf(html: string, base: string): ContentElement {
  const document = parseHtml(`<!DOCTYPE html><html><body>${html}</body></html>`);
  const root = copyDocument(document, { everything: true }).body;
  settleContent(root, base);
  return root;
}

/**
 * HTML that a document carries in a part of it, for use in a whole: every element is closed, so that it cannot reach
 * beyond its part, and nothing runs. Throws TreeLimit.
 */
export function cleanPart(html: string, base: string): string {
  return writeHtml(treeOf(html, base));
}

/** The text of such HTML in one line. Throws TreeLimit. */
export function textOfPart(html: string): string {
  return collapseSpace(writeText(treeOf(html, "https://invalid/"))).trim();
}

/**
 * Makes the content of a document that its reader has written as HTML: all of it counts, and nothing surrounds it. So
 * every kind of document becomes Markdown and text by the same rules as a page.
 *
 * `html`: the body alone, with every text escaped. Relative URLs are resolved against `base`. `stated`: what the
 * document says about itself; language, headings and word count come from the text where it does not say. Throws
 * TreeLimit for more than a tree may hold (linkedom.ts).
 */
export function makeWholeContent(
  html: string,
  base: string,
  stated: Metadata,
  formats: readonly ContentFormat[],
): Content {
  const root = treeOf(html, base);
  const text = writeText(root);
  const language = stated.language ?? recognizeLanguage(text);
  const content: Content = {
    metadata: { ...stated, language, headings: headingsOf(root), wordCount: countWords(text) },
  };
  if (formats.includes("html")) content.html = writeHtml(root);
  // Last, because it changes the tree.
  if (formats.includes("markdown")) content.markdown = writeMarkdown(root);
  if (formats.includes("text")) content.text = text;
  return content;
}
