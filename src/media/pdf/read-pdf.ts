import { extractText, getDocumentProxy } from "unpdf";
import { type Document, emptyDocument, type Reader } from "../document.ts";
import { DocumentProblem } from "../document-problem.ts";
import { makeWholeContent } from "../html/whole-content.ts";
import { escapeHtml } from "../html/write-html.ts";
import { emptyMetadata } from "../plain-content.ts";

/** Reads a PDF: its text, page by page, and its title. */
export const readPdf: Reader<Promise<Document>> = async (bytes, { url }, { formats }) => {
  try {
    // pdf.js takes the buffer for itself.
    const pdf = await getDocumentProxy(bytes.slice());
    const { info } = (await pdf.getMetadata()) as { info: { Title?: string } };
    const { text } = await extractText(pdf, { mergePages: false });
    const title = info.Title ?? null;
    const html = text.map((page) => `<p>${escapeHtml(page)}</p>`).join("");
    const metadata = { ...emptyMetadata(), title, pageCount: pdf.numPages };
    const content = formats === null ? null : makeWholeContent(html, url, metadata, formats);
    return { ...emptyDocument("application/pdf"), title, content };
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    throw new DocumentProblem(name === "PasswordException" ? "password" : "damaged", String(error));
  }
};
