/** The kinds of documents, besides HTML and plain text, that a crawl reads as pages. */
export const DOCUMENT_KINDS = ["pdf", "office", "epub", "csv", "feed", "json", "xml"] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];
