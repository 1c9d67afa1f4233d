import type { Document, DocumentRequest } from "../../../../src/media/document.ts";
import { readPdf } from "../../../../src/media/pdf/read-pdf.ts";
import { type MadePdf, makePdf } from "./make-pdf.ts";

const SOURCE = { url: "https://example.com/docs/manual.pdf", contentType: "application/pdf" };
const REQUEST: DocumentRequest = {
  agent: "orbweaver",
  scriptLinks: false,
  requisites: false,
  formats: ["html", "markdown", "text"],
  pageText: true,
  obeyNoindex: true,
};

export function read(bytes: Uint8Array, request: Partial<DocumentRequest> = {}): Promise<Document> {
  return readPdf(bytes, SOURCE, { ...REQUEST, ...request });
}

export async function markdownOf(made: MadePdf): Promise<string> {
  return (await read(makePdf(made))).content?.markdown ?? "";
}
