import { essenceOf } from "../../core/media-type.ts";
import { canonicalize } from "../../url/canonicalize.ts";
import { decodeHtml } from "../characters/charset.ts";
import {
  type Content,
  type ContentFormat,
  type Document,
  emptyDocument,
  type Metadata,
  type Reader,
} from "../document.ts";
import { documentPartOf, FoundInPage, settlePage } from "../html/page.ts";
import { tidy } from "../html/tree/tidy.ts";
import { formatsToMake } from "../kind/formats-to-make.ts";
import { recognizeLanguage } from "../language.ts";
import { MAX_ANCHOR_TEXT } from "../links/links.ts";
import { linksOfMarkdown } from "../links/markdown-links.ts";
import { emptyMetadata, plainContent } from "./plain-content.ts";
import { countWords } from "./word-count.ts";

/**
 * Reads plain text and Markdown. A browser shows them as text, whatever they hold, so their links are not followed,
 * unless the crawl asks for Markdown in place of pages. Those in the headers of the answer are.
 */
export const readText: Reader<Document> = (bytes, { url, contentType, headers = [] }, request) => {
  const { formats, mostCharacters } = request;
  const type = essenceOf(contentType) || "text/plain";
  const { text, encoding } = decodeHtml(bytes, contentType);
  const content =
    formats === null ? null : makeTextContent(text, type, formatsToMake({ formats, mostCharacters }, text.length));
  const found = new FoundInPage(request);
  const isMarkdown = type !== "text/plain";
  if (isMarkdown) found.title = markdownTitle(text);
  if (isMarkdown && request.markdownLinks === true) addLinks(found, text);
  const page = settlePage(found, url, canonicalize, { headers });
  return { ...emptyDocument(type), ...documentPartOf(page), ids: null, encoding, content };
};

function addLinks(found: FoundInPage, text: string): void {
  for (const { target, text: name } of linksOfMarkdown(text))
    found.addLink({
      href: target,
      kind: "a",
      nofollow: false,
      rel: "",
      text: tidy(name, MAX_ANCHOR_TEXT),
      place: "content",
    });
}

function markdownTitle(text: string): string | null {
  return markdownHeadings(text).find(({ level }) => level === 1)?.text ?? null;
}

/** `type`: `text/plain`, or a type of Markdown. */
export function makeTextContent(text: string, type: string, formats: readonly ContentFormat[]): Content {
  const headings = type !== "text/plain" ? markdownHeadings(text) : [];
  const title = headings.find(({ level }) => level === 1)?.text ?? null;
  const facts = { language: recognizeLanguage(text), headings, wordCount: countWords(text) };
  const metadata: Metadata = { ...emptyMetadata(), title, ...facts };
  return plainContent(text, formats, metadata, () => text);
}

/** Headings outside code. */
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
