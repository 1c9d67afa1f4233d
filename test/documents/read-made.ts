import type { Document, DocumentRequest, Reader } from "../../src/media/document.ts";

const REQUEST: DocumentRequest = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["html", "markdown", "text"],
  obeyNoindex: true,
};

/** Reads bytes that a test has made, as an answer of https://example.com/docs/file. */
export async function readMade(
  read: Reader,
  bytes: Uint8Array,
  contentType: string | null = null,
  request: Partial<DocumentRequest> = {},
): Promise<Document> {
  return read(bytes, { url: "https://example.com/docs/file", contentType }, { ...REQUEST, ...request });
}

export async function markdownOf(read: Reader, bytes: Uint8Array, contentType: string | null = null): Promise<string> {
  return (await readMade(read, bytes, contentType)).content?.markdown ?? "";
}
