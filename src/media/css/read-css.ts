import { canonicalize } from "../../url/canonicalize.ts";
import { type Document, emptyDocument, type Reader } from "../document.ts";
import { DroppedLinks } from "../links/links.ts";
import { collectRequisites } from "../links/requisites.ts";
import { decodeCss } from "./css-charset.ts";
import { findCssUrls } from "./css-urls.ts";

/** Reads a style sheet: the URLs that it imports and shows. */
export const readCss: Reader<Document> = (bytes, { url, contentType }, request) => {
  const document = emptyDocument("text/css");
  if (!request.requisites) return document;
  const css = decodeCss(bytes, contentType ?? "");
  const droppedRequisites = new DroppedLinks();
  const requisites = collectRequisites(url, url, canonicalize, droppedRequisites, (add) => {
    for (const found of findCssUrls(css)) add(found.url);
  });
  return { ...document, requisites, leftOut: { ...document.leftOut, requisites: droppedRequisites } };
};
