import { queryEncoderOf } from "../../characters/query-encoding.ts";
import type { Content, Document, DocumentRequest, Source } from "../../document.ts";
import { type Canonicalize, DroppedLinks } from "../../links/links.ts";
import { type AddRequisite, collectRequisites } from "../../links/requisites.ts";
import { emptyMetadata, plainContent } from "../../text/plain-content.ts";
import { makeContent } from "../article/content.ts";
import { addMedia } from "../facts/embedded-media.ts";
import { decidePageRobots } from "../facts/page-robots.ts";
import { selectElements } from "../fields/match-selector.ts";
import { addHeaderRequisites, addRequisites } from "../links/requisites.ts";
import { addId, documentPartOf, FoundInPage, type Page, readElement, settlePage } from "../page.ts";
import type { TreeLimit } from "./linkedom.ts";
import { scanElements } from "./scan-elements.ts";

/** Reads the head and the links of a page that is too large for a tree. */

const NO_CONTENT = "it is too large for a tree of its elements, so its links and metadata were read, but not its text";

interface ScannedText {
  /** The page's encoding. Defaults to UTF-8. */
  encoding?: string;
  /** The limit before which there is a tree, whose text is read. Without it no text is read. */
  limit?: TreeLimit | null;
}

/** Links have no text and count as navigation, because the elements around them are not known. */
export function scanPage(
  html: string,
  { url, headers = [] }: Source,
  request: DocumentRequest,
  canonicalize: Canonicalize,
  { encoding = "utf-8", limit = null }: ScannedText = {},
): Omit<Document, "encoding"> {
  const found = new FoundInPage(request);
  scanElements(html, (element) => {
    addId(found, element.getAttribute("id"));
    return readElement(found, element);
  });
  const page = settlePage(found, url, canonicalize, { ...request, headers, encoding });
  const { base, dropped, invalidCount, invalid } = page;
  const content = contentOf(page, request, limit);
  const droppedRequisites = new DroppedLinks();
  const gather = (add: AddRequisite) => {
    scanElements(html, (element) => {
      addRequisites(element, add);
      return "read";
    });
    addHeaderRequisites(headers, url, add);
  };
  const gatherMedia = (add: AddRequisite) => {
    scanElements(html, (element) => {
      addMedia(element, add);
      return "read";
    });
  };
  const collect = (adding: typeof gather) =>
    collectRequisites(url, base, canonicalize, droppedRequisites, adding, queryEncoderOf(encoding));
  return {
    type: "text/html",
    ...documentPartOf(page),
    requisites: request.requisites ? collect(gather) : [],
    ...(request.media ? { media: collect(gatherMedia) } : {}),
    content,
    looksMissing: content?.metadata.kind === "error",
    shell: null,
    shellDoubt: null,
    textLength: null,
    leftOut: {
      truncated: null,
      links: dropped,
      requisites: droppedRequisites,
      problem: limit === null ? NO_CONTENT : `${limit.message}: its links were read, and its text up to that point`,
      invalid: { count: invalidCount, examples: invalid },
    },
  };
}

function contentOf(page: Page, request: DocumentRequest, limit: TreeLimit | null): Content | null {
  const { formats, obeyNoindex, ignoredElements, mostCharacters } = request;
  const { title, description, language, canonical, robots } = page;
  if (formats === null) return null;
  if (limit === null) {
    const sources = title === null ? {} : { title: "title" };
    return plainContent("", formats, { ...emptyMetadata(), title, description, language, canonical, sources });
  }
  const isForbidden = obeyNoindex && decidePageRobots(robots, []).noindex !== null;
  return isForbidden
    ? null
    : makeContent(limit.document, page, formats, {
        ignored: selectElements(limit.document, ignoredElements ?? []),
        mostCharacters,
      });
}
