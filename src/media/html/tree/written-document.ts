import { canonicalize } from "../../../url/canonicalize.ts";
import { type Document, type DocumentRequest, emptyDocument, type Metadata, type Source } from "../../document.ts";
import { DocumentProblem } from "../../document-problem.ts";
import { makePageText } from "../article/content.ts";
import { makeWholeContent } from "../article/whole-content.ts";
import { documentPartOf, extractPage, type Page } from "../page.ts";
import { parseHtml, TreeLimit } from "./linkedom.ts";

/** What a reader has made of a document that is no HTML. */
export interface WrittenDocument {
  /** The media type as which it was read. */
  type: string;
  /** The WHATWG name of the text's encoding; empty for a container of parts. */
  encoding: string;
  /** The body, with every text escaped. */
  html: string;
  /** What the document says about itself. */
  metadata: Metadata;
  /** The limit that was reached; null if there was none. */
  truncated: string | null;
  /** Why parts are missing, for people; null if none are. */
  problem?: string | null;
  /** Whether it holds data, by whose names and numbers no language can be told. */
  isData?: boolean;
}

/**
 * Makes the `Document` of what a reader has written as HTML. Links, with their texts and fragments, ids and headings
 * come by the same rules as a page's, and those of the answer's headers count too. Throws DocumentProblem for more than
 * a tree may hold.
 */
export function makeWrittenDocument(written: WrittenDocument, source: Source, request: DocumentRequest): Document {
  const { type, encoding, html, metadata, truncated, problem = null, isData = false } = written;
  const { formats } = request;
  try {
    const { page, pageText } = readTree(html, source, request);
    const stated = { ...metadata, title: metadata.title ?? page.headings[0] ?? null };
    const content = formats === null ? null : makeWholeContent(html, source.url, stated, formats);
    if (isData && content !== null) content.metadata.language = metadata.language;
    const { dropped, invalidCount, invalid } = page;
    const empty = emptyDocument(type);
    return {
      ...empty,
      ...documentPartOf(page),
      encoding,
      title: stated.title,
      language: metadata.language,
      description: metadata.description,
      content,
      ...(pageText === null ? {} : { pageText }),
      leftOut: {
        ...empty.leftOut,
        truncated,
        problem,
        links: dropped,
        invalid: { count: invalidCount, examples: invalid },
      },
    };
  } catch (error) {
    if (error instanceof TreeLimit) throw new DocumentProblem("too-complex", error.message);
    throw error;
  }
}

/** A function of its own, so that its tree is gone when the content makes another: two do not fit into an isolate. */
function readTree(html: string, source: Source, request: DocumentRequest): { page: Page; pageText: string | null } {
  const { obeyNoindex: _, ...wanted } = request;
  const tree = parseHtml(`<!DOCTYPE html><html><body>${html}</body></html>`);
  const page = extractPage(tree, source.url, canonicalize, { ...wanted, headers: source.headers ?? [] });
  return { page, pageText: request.pageText === true ? makePageText(tree, new Set()) : null };
}
