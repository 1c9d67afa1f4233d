import { keepShapesOf } from "../../../core/shapes.ts";
import { memoizeCanonicalize } from "../../../url/canonical-memo.ts";
import { decodeHtml } from "../../characters/charset.ts";
import { queryEncoderOf } from "../../characters/query-encoding.ts";
import type { Content, Document, DocumentRequest, Reader, Source } from "../../document.ts";
import { DroppedLinks } from "../../links/links.ts";
import { collectRequisites } from "../../links/requisites.ts";
import { makeContent, makePageText } from "../article/content.ts";
import { makeSelectedContent } from "../article/selected-content.ts";
import { addMedia } from "../facts/embedded-media.ts";
import { isErrorName } from "../facts/page-kind.ts";
import { readPageParts } from "../facts/page-parts.ts";
import { decidePageRobots } from "../facts/page-robots.ts";
import { SAMPLE_PAGE, SAMPLE_URL } from "../facts/sample-page.ts";
import { FieldPage } from "../fields/field-page.ts";
import { selectElements } from "../fields/match-selector.ts";
import { proposeFields } from "../fields/propose-fields.ts";
import { readFields, unreadFields } from "../fields/read-fields.ts";
import type { PageFacts } from "../fields/read-value.ts";
import { pageRequisites } from "../links/requisites.ts";
import { documentPartOf, extractPage, type Page } from "../page.ts";
import { judgeShell } from "../rendering/shell.ts";
import { type HtmlDocument, keepParserShapes, parseHtml, TooManyNodes, TreeLimit } from "./linkedom.ts";
import { scanPage } from "./scan-page.ts";

/** Shared by the invocations of an isolate: a few megabytes at most. */
const canonicalizeLink = memoizeCanonicalize(20_000);
let isSampleRead = false;

/** Reads HTML and XHTML. */
export const readHtml: Reader<Document> = (bytes, source, request) => {
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
      requisites: true,
      formats: ["html", "markdown", "text"],
      obeyNoindex: true,
    });
  });
}

/** A tree with more of them, and the links that are read from it, might not fit into an isolate's 128 MB. */
const MAX_TREE_LINKS = 100_000;
/** A tree of as many nodes as there may be leaves room for fewer links, which are read from the text beside it. */
const MAX_LINKS_BESIDE_TREE = 20_000;

function read(bytes: Uint8Array, source: Source, request: DocumentRequest): Document {
  const { text, encoding } = decodeHtml(bytes, source.contentType);
  const document = parseUnlessTooLarge(text);
  if (document === null || document instanceof TreeLimit)
    return {
      ...scanPage(text, source, request, canonicalizeLink, { encoding, limit: document }),
      encoding,
      ...(request.fields === undefined ? {} : { fields: unreadFields(request.fields) }),
    };
  const { headers = [] } = source;
  const page = extractPage(document, source.url, canonicalizeLink, { ...request, headers, encoding });
  const { robots, base, dropped, invalidCount, invalid } = page;
  const mayMakeContent = !(request.obeyNoindex && decidePageRobots(robots, []).noindex !== null);
  const droppedRequisites = new DroppedLinks();
  const { formats, mostCharacters } = request;
  const ignored = selectElements(document, request.ignoredElements ?? []);
  const facts = { url: source.url, base, language: page.language };
  // Before the content is made: that takes the tree apart.
  const parts =
    request.parts && mayMakeContent ? { parts: readPageParts(document, base, canonicalizeLink, ignored) } : {};
  const fields = request.fields === undefined ? {} : readByRules(document, request, facts);
  const marked = request.mark === undefined ? {} : { marked: hasMark(document, request.mark) };
  const content =
    formats === null || !mayMakeContent
      ? null
      : request.selection === undefined
        ? makeContent(document, page, formats, { ignored, mostCharacters })
        : makeSelectedContent(document, page, formats, request.selection);
  return {
    type: "text/html",
    encoding,
    ...documentPartOf(page),
    requisites: request.requisites
      ? pageRequisites(document, source.url, base, canonicalizeLink, droppedRequisites, { headers, encoding })
      : [],
    ...(request.media ? { media: embeddedMedia(document, page, source.url, encoding, droppedRequisites) } : {}),
    ...fields,
    ...marked,
    ...parts,
    content,
    ...(request.pageText && mayMakeContent ? { pageText: makePageText(document, ignored) } : {}),
    looksMissing: saysMissing(document, page, content),
    ...judgeShell(document, page),
    textLength: page.textLength,
    leftOut: {
      truncated: null,
      links: dropped,
      requisites: droppedRequisites,
      ...(page.postForms.count === 0 ? {} : { postForms: page.postForms }),
      problem: null,
      invalid: { count: invalidCount, examples: invalid },
    },
  };
}

function readByRules(
  document: HtmlDocument,
  { fields = {}, proposeFields: isProposing = false }: DocumentRequest,
  facts: PageFacts,
): Pick<Document, "fields" | "proposals"> {
  const read = readFields(document, fields, facts);
  return isProposing ? { fields: read, proposals: proposeFields(new FieldPage(document, facts)) } : { fields: read };
}

/** Words are looked for in the text of the whole page, in any case and with any white space. */
function hasMark(document: HtmlDocument, mark: NonNullable<DocumentRequest["mark"]>): boolean {
  if (mark.kind === "selector") return selectElements(document, [mark.selector]).size > 0;
  const fold = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
  return fold(makePageText(document, new Set())).includes(fold(mark.text));
}

function embeddedMedia(
  document: HtmlDocument,
  { base }: Page,
  pageUrl: string,
  encoding: string,
  dropped: DroppedLinks,
): string[] {
  const encodeQuery = queryEncoderOf(encoding);
  return collectRequisites(
    pageUrl,
    base,
    canonicalizeLink,
    dropped,
    (add) => {
      for (const element of document.all) addMedia(element, add);
    },
    encodeQuery,
  );
}

/** Where no content is requested, it is made of pages with the title or heading of an error page, and not kept. */
function saysMissing(document: HtmlDocument, page: Page, content: Content | null): boolean {
  if (content === null && ![page.title, ...page.headings].some(isErrorName)) return false;
  return (content ?? makeContent(document, page, [])).metadata.kind === "error";
}

/** Null for a page that is too large for a tree and has many links; for others, the limit that they go beyond. */
function parseUnlessTooLarge(text: string): HtmlDocument | TreeLimit | null {
  if (hasMoreLinks(text, MAX_TREE_LINKS)) return null;
  try {
    return parseHtml(text);
  } catch (error) {
    if (error instanceof TooManyNodes && hasMoreLinks(text, MAX_LINKS_BESIDE_TREE)) return null;
    if (error instanceof TreeLimit) return error;
    throw error;
  }
}

/** Whether the page writes more than `most` `a` elements. */
function hasMoreLinks(text: string, most: number): boolean {
  const tag = /<a[\t\n\f\r /]/gi;
  // The shortest link is `<a x>`.
  if (text.length < 5 * most) return false;
  let count = 0;
  while (count <= most && tag.test(text)) count += 1;
  return count > most;
}
