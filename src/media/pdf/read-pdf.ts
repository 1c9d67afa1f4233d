import { memoizeCanonicalize } from "../../url/canonical-memo.ts";
import { type Document, emptyDocument, type Metadata, type Reader } from "../document.ts";
import { makeWholeContent } from "../html/article/whole-content.ts";
import { documentPartOf, FoundInPage, settlePage } from "../html/page.ts";
import { tidy } from "../html/tree/tidy.ts";
import { MAX_ANCHOR_TEXT } from "../links/links.ts";
import { withPdf } from "./pdf-engine.ts";
import { guessTitle, readMetadata } from "./pdf-metadata.ts";
import { type PdfText, readText } from "./pdf-text.ts";

/** Shared by the invocations of an isolate. */
const canonicalizeLink = memoizeCanonicalize(5_000);
/** A document with a greater share of pages without text is called a scan. */
const SCANNED = 0.25;

/**
 * Reads PDF files. Links to other documents are followed; those to a place in the document itself are text. Throws
 * DocumentProblem for what needs a password, is damaged or inflates to more than is read.
 */
export const readPdf: Reader<Promise<Document>> = async (bytes, { url, headers = [] }, request) => {
  const { text, stated } = await withPdf(bytes, async (pdf, budget) => {
    const stated = await readMetadata(pdf);
    return { text: await readText(pdf, budget, stated.title), stated };
  });
  const title = stated.title ?? guessTitle(text.firstPage, text.outline);
  const found = new FoundInPage(request);
  for (const { href, text: anchor } of text.links)
    found.links.push({
      href,
      kind: "a",
      nofollow: false,
      rel: "",
      text: tidy(anchor, MAX_ANCHOR_TEXT),
      place: "content",
    });
  const page = settlePage(found, url, canonicalizeLink, { ...request, headers });
  const metadata: Metadata = { ...stated, title, headings: [], wordCount: 0, pageCount: text.pageCount, kind: "other" };
  const { formats } = request;
  const document = emptyDocument("application/pdf");
  return {
    ...document,
    ...documentPartOf(page),
    title,
    description: stated.description,
    language: stated.language,
    // A fragment may also be a view, such as `#zoom=50`, so no place is known to be missing.
    ids: null,
    content: formats === null ? null : makeWholeContent(text.html, url, metadata, formats),
    ...(request.pageText ? { pageText: text.pageText } : {}),
    leftOut: {
      ...document.leftOut,
      truncated: text.cuts.length === 0 ? null : text.cuts.join("; "),
      links: page.dropped,
      problem: problemOf(text),
      invalid: { count: page.invalidCount, examples: page.invalid },
    },
  };
};

function problemOf({ pageCount, damagedPages, emptyPages, readPages }: PdfText): string | null {
  const problems: string[] = [];
  if (damagedPages > 0) problems.push(`${damagedPages} of its ${pageCount} pages are damaged`);
  const isScan = emptyPages > 0 && emptyPages > SCANNED * readPages;
  if (isScan) problems.push(`${emptyPages} of its ${readPages} pages have no text, as scanned pages have`);
  return problems.length === 0 ? null : problems.join("; ");
}
