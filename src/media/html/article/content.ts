import { keepShape } from "../../../core/shapes.ts";
import type { Content, ContentFormat, PageKind, PageMetadata } from "../../document.ts";
import { formatsToMake } from "../../kind/formats-to-make.ts";
import { recognizeLanguage } from "../../language.ts";
import { emptyMetadata, plainContent, textToMarkdown } from "../../text/plain-content.ts";
import { countWords } from "../../text/word-count.ts";
import { headingsOf, readMetadata } from "../facts/metadata.ts";
import type { Claims } from "../facts/page-claims.ts";
import { decidePageKind } from "../facts/page-kind.ts";
import { writeMarkdown } from "../markdown/markdown.ts";
import { writeText } from "../markdown/plain-text.ts";
import type { Page } from "../page.ts";
import type { CopiedPage } from "../tree/copy-document.ts";
import { copyDocument } from "../tree/copy-document.ts";
import type { HtmlDocument } from "../tree/linkedom.ts";
import { writeHtml } from "../tree/write-html.ts";
import { textLength } from "./boilerplate.ts";
import type { ContentElement } from "./content-tree.ts";
import { findMainContent } from "./main-content.ts";
import { settleContent } from "./settle-content.ts";

/** Makes the content of a page, without what surrounds it, and its metadata. */

/** A page beyond these limits becomes plain paragraphs. */
const MAX_MARKDOWN_ELEMENTS = 50_000;
const MAX_MARKDOWN_WEIGHT = 10_000_000;

interface ContentOptions {
  /** Elements that do not count. */
  ignored?: ReadonlySet<unknown>;
  /** As `DocumentRequest.mostCharacters`. */
  mostCharacters?: number | undefined;
}

/**
 * Makes the metadata and the formats requested, without the elements that are `ignored`. Never throws: a page that
 * cannot be understood becomes plain text.
 */
export function makeContent(
  document: HtmlDocument,
  page: Page,
  formats: readonly ContentFormat[],
  { ignored = new Set(), mostCharacters }: ContentOptions = {},
): Content {
  const copy = (everything: boolean): CopiedPage => copyDocument(document, { everything, ignored });
  const copied = keepShape(copy(false));
  try {
    return fromCopy(textLength(copied.body) > 0 ? copied : copy(true), copy, page, { formats, mostCharacters });
  } catch {
    // The page loses its structure, and nothing more.
    const text = writeText(copy(false).body);
    return plainContent(text, formats, { ...emptyMetadata(), ...statedBy(page), wordCount: countWords(text) });
  }
}

/** Versions of a page keep no more of its text (changes/page-version.ts). */
const MAX_PAGE_TEXT = 1_000_000;

/** The text of the whole page, without the elements that are `ignored`: a line per block. */
export function makePageText(document: HtmlDocument, ignored: ReadonlySet<unknown>): string {
  return writeText(keepShape(copyDocument(document, { everything: false, ignored })).body, MAX_PAGE_TEXT);
}

/** The tree of the main content, which all formats are made of. */
export function makeContentTree(document: HtmlDocument, page: Page): ContentElement {
  const copy = (everything: boolean) => copyDocument(document, { everything });
  const copied = copy(false);
  return settleMainContent(copied, copy, page, readMetadata(copied, page).claims).root;
}

function settleMainContent(
  copied: CopiedPage,
  copy: (everything: boolean) => CopiedPage,
  page: Page,
  claims: Claims,
): { root: ContentElement; kind: PageKind; text: string } {
  const { root, kind } = findMainContent(copied, { ...claims, documentTitle: page.title });
  settleContent(root, page.base);
  const text = writeText(root);
  if (text !== "") return { root, kind, text };
  // All of the text was taken for surroundings.
  const { body } = copy(true);
  settleContent(body, page.base);
  return { root: body, kind, text: writeText(body) };
}

function fromCopy(
  copied: CopiedPage,
  copy: (everything: boolean) => CopiedPage,
  page: Page,
  wanted: { formats: readonly ContentFormat[]; mostCharacters: number | undefined },
): Content {
  const { metadataOf, language: stated, claims } = readMetadata(copied, page);
  const { root, text, ...found } = settleMainContent(copied, copy, page, claims);
  const language = stated ?? recognizeLanguage(text);
  const facts = { language, headings: headingsOf(root), wordCount: countWords(text) };
  const kind = decidePageKind(claims.kind, found.kind, text.length);
  const content: Content = { metadata: { ...metadataOf(kind), ...facts, kind } };
  const formats = formatsToMake(wanted, text.length);
  if (formats.includes("html")) content.html = writeHtml(root);
  // Last, because it changes the tree.
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
    // Plain paragraphs remain.
    return textToMarkdown(text);
  }
}

function statedBy({ title, description, language, canonical }: Page): Partial<PageMetadata> {
  return { title, description, language, canonical, sources: title === null ? {} : { title: "title" } };
}
