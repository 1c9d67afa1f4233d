import type { DocumentKind } from "../../media/kind/document-kinds.ts";

/** What the console calls the kinds of documents. */
export const DOCUMENT_NAMES: Record<DocumentKind, string> = {
  pdf: "PDF",
  office: "Office document",
  epub: "EPUB book",
  csv: "CSV table",
  feed: "Feed",
  json: "JSON",
  xml: "XML",
};
