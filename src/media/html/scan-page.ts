import type { Document, DocumentRequest, Source } from "../document.ts";
import { type Canonicalize, DroppedLinks } from "../links.ts";
import { emptyMetadata, plainContent } from "../plain-content.ts";
import { collectRequisites } from "../requisites.ts";
import { FoundInPage, readElement, settlePage } from "./page.ts";
import { addRequisites } from "./requisites.ts";
import { scanElements } from "./scan-elements.ts";

/** Reads the head and the links of a page that is too large for a tree. Its text is left out. */

const NO_CONTENT = "it is too large for a tree of its elements, so its links and metadata were read, but not its text";

/** Links have no text and count as navigation, because the elements around them are not known. */
export function scanPage(
  html: string,
  { url }: Source,
  request: DocumentRequest,
  canonicalize: Canonicalize,
): Omit<Document, "encoding"> {
  const found = new FoundInPage(request, request.linkDetails ? new Map() : null);
  scanElements(html, (element) => readElement(found, element));
  const page = settlePage(found, url, canonicalize, request);
  const { title, description, language, canonical, robots, links, base, dropped, invalidCount, invalid } = page;
  const droppedRequisites = new DroppedLinks();
  return {
    type: "text/html",
    title,
    language,
    robots,
    links,
    requisites: request.requisites
      ? collectRequisites(url, base, canonicalize, droppedRequisites, (add) =>
          scanElements(html, (element) => {
            addRequisites(element, add);
            return "read";
          }),
        )
      : [],
    content:
      request.formats === null
        ? null
        : plainContent("", request.formats, { ...emptyMetadata(), title, description, language, canonical }),
    leftOut: {
      truncated: null,
      links: dropped,
      requisites: droppedRequisites,
      problem: NO_CONTENT,
      invalid: { count: invalidCount, examples: invalid },
    },
  };
}
