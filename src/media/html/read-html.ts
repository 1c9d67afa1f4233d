import { keepShapesOf } from "../../core/shapes.ts";
import { memoizeCanonicalize } from "../../url/canonical-memo.ts";
import { decodeHtml } from "../charset.ts";
import type { Document, DocumentRequest, Reader, Source } from "../document.ts";
import { makeContent } from "./content.ts";
import { keepParserShapes, parseHtml } from "./linkedom.ts";
import { extractPage } from "./page.ts";
import { decidePageRobots } from "./page-robots.ts";
import { pageRequisites } from "./requisites.ts";
import { SAMPLE_PAGE, SAMPLE_URL } from "./sample-page.ts";

/** Shared by the invocations of an isolate: a few megabytes at most. */
const canonicalizeLink = memoizeCanonicalize(20_000);
let isSampleRead = false;

/** Reads HTML and XHTML. */
export const readHtml: Reader = (bytes, source, request) => {
  if (!isSampleRead) readSample();
  return read(bytes, source, request);
};

/**
 * Reads a sample once and keeps the shapes of its objects: without them a page takes up to three times as long, see
 * core/shapes.ts.
 */
function readSample(): void {
  isSampleRead = true;
  const source = { url: SAMPLE_URL, contentType: "text/html; charset=utf-8" };
  keepShapesOf(() => {
    keepParserShapes(() => parseHtml(SAMPLE_PAGE));
    read(new TextEncoder().encode(SAMPLE_PAGE), source, {
      agent: "orbweaver",
      scriptLinks: true,
      // Details would give links a second shape, which slows down the crawls that need URLs alone.
      linkDetails: false,
      requisites: true,
      formats: ["html", "markdown", "text"],
      obeyNoindex: true,
    });
  });
}

function read(bytes: Uint8Array, { url, contentType }: Source, request: DocumentRequest): Document {
  const { text, encoding } = decodeHtml(bytes, contentType);
  const document = parseHtml(text);
  const page = extractPage(document, url, canonicalizeLink, request);
  const { title, language, robots, links, base, truncated, invalidCount, invalid } = page;
  const mayMakeContent = !(request.obeyNoindex && decidePageRobots(robots, []).noindex !== null);
  return {
    type: "text/html",
    encoding,
    title,
    language,
    robots,
    links,
    requisites: request.requisites ? pageRequisites(document, url, base, canonicalizeLink) : [],
    content: request.formats !== null && mayMakeContent ? makeContent(document, page, request.formats) : null,
    leftOut: {
      truncated: truncated ? `more than ${links.length.toLocaleString("en-US")} links` : null,
      problem: null,
      invalid: { count: invalidCount, examples: invalid },
    },
  };
}
