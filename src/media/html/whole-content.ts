import type { Content, ContentFormat, Metadata } from "../document.ts";
import { recognizeLanguage } from "../language.ts";
import { countWords } from "../word-count.ts";
import { copyDocument } from "./copy-document.ts";
import { parseHtml } from "./linkedom.ts";
import { writeMarkdown } from "./markdown.ts";
import { headingsOf } from "./metadata.ts";
import { writeText } from "./plain-text.ts";
import { settleContent } from "./settle-content.ts";
import { writeHtml } from "./write-html.ts";

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
  const root = copyDocument(parseHtml(`<!DOCTYPE html><html><body>${html}</body></html>`), { everything: true }).body;
  settleContent(root, base);
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
