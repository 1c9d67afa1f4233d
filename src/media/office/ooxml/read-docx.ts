import { DocumentWriter } from "../../html/tree/document-writer.ts";
import type { WrittenDocument } from "../../html/tree/written-document.ts";
import type { ZipFile } from "../../kind/zip.ts";
import { readXml } from "../read-xml.ts";
import { DocxBody } from "./docx-body.ts";
import { readListMarks, readParagraphStyles } from "./docx-styles.ts";
import { findPart, mainPart, readProperties, readRelations } from "./ooxml-package.ts";

/** Reads a Word document: body, then the notes that it refers to. Headers, footers and comments are left out. */
export function readDocx(zip: ZipFile, type: string): WrittenDocument {
  const packaged = readRelations(zip, "");
  const { metadata, numbers } = readProperties(zip, packaged);
  const main = mainPart(zip, packaged);
  const relations = readRelations(zip, main);
  const styles = findPart(zip, relations, "styles");
  const writer = new DocumentWriter();
  const context = {
    writer,
    styleOf: readParagraphStyles(styles === null ? [] : zip.chunks(styles)),
    markOf: readListMarks(zip, findPart(zip, relations, "numbering")),
    notes: new Map<string, string>(),
  };
  readXml(zip.chunks(main), new DocxBody(context, relations));
  for (const kind of ["footnotes", "endnotes"]) {
    const part = findPart(zip, relations, kind);
    if (part !== null && context.notes.size > 0)
      readXml(zip.chunks(part), new DocxBody(context, readRelations(zip, part)));
  }
  const pageCount = numbers.get("pages");
  return {
    type,
    encoding: "",
    html: writer.finish(),
    metadata: { ...metadata, ...(pageCount === undefined ? {} : { pageCount }) },
    truncated: writer.truncated,
  };
}
