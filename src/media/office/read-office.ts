// The readers here read the XML of the parts themselves, as it is inflated, with fflate and htmlparser2's tokenizer
// (which linkedom brings). officeparser builds a tree of each part: a manual of 97 kB takes 1.0 s of CPU time and 106
// MB of heap with it, and 0.1 s here. mammoth reads Word alone, and builds trees too.
import { essenceOf } from "../../core/media-type.ts";
import type { Document, Reader } from "../document.ts";
import { DocumentProblem } from "../document-problem.ts";
import { makeWrittenDocument, type WrittenDocument } from "../html/tree/written-document.ts";
import { ZipFile } from "../kind/zip.ts";
import { OOXML } from "../kind/zip-type.ts";
import { readOdf } from "./odf/read-odf.ts";
import { mainPart, readRelations } from "./ooxml/ooxml-package.ts";
import { readDocx } from "./ooxml/read-docx.ts";
import { readPptx } from "./ooxml/read-pptx.ts";
import { readXlsx } from "./ooxml/read-xlsx.ts";
import { readRtf } from "./rtf/read-rtf.ts";

const MACROS = /^application\/vnd\.ms-(?:word|excel|powerpoint)\..*macroenabled/;
const ODF = "application/vnd.oasis.opendocument";

/**
 * Reads documents of Word, Excel and PowerPoint since 2007, their templates, shows and those with macros; of the
 * OpenDocument format; and RTF. The kind goes by the bytes, whatever the answer calls them. Macros are not run, and
 * nothing that a document names is fetched. Throws DocumentProblem.
 */
export const readOffice: Reader<Promise<Document>> = async (bytes, source, request) =>
  makeWrittenDocument(readWritten(bytes, essenceOf(source.contentType)), source, request);

function readWritten(bytes: Uint8Array, named: string): WrittenDocument {
  const start = String.fromCharCode(...bytes.subarray(0, 64)).replace(/^(?:\xef\xbb\xbf)?\s*/, "");
  if (start.startsWith("{\\rt")) return readRtf(bytes);
  if (start.startsWith("\xd0\xcf\x11\xe0")) throw compoundProblem(bytes);
  if (!start.startsWith("PK")) throw new DocumentProblem("damaged", "it does not begin as an office document");
  const zip = new ZipFile(bytes);
  if (zip.has("content.xml") || zip.has("mimetype")) return readOdf(zip, odfType(zip, named));
  const main = mainPart(zip, readRelations(zip, ""));
  const type = (kind: string) => (named.startsWith(OOXML) || MACROS.test(named) ? named : `${OOXML}.${kind}`);
  if (/^word\//i.test(main)) return readDocx(zip, type("wordprocessingml.document"));
  if (/^xl\/.*\.xml$/i.test(main)) return readXlsx(zip, type("spreadsheetml.sheet"));
  if (/^ppt\//i.test(main)) return readPptx(zip, type("presentationml.presentation"));
  throw new DocumentProblem("damaged", `its main part ${main} is of no kind that is read`);
}

/** What the document says first; some programs leave it out. */
function odfType(zip: ZipFile, named: string): string {
  let said = "";
  for (const chunk of zip.chunks("mimetype")) if (said.length < 200) said += new TextDecoder().decode(chunk);
  const type = said.trim().slice(0, 200);
  if (type.startsWith(ODF)) return type;
  return named.startsWith(ODF) ? named : `${ODF}.text`;
}

/** An OLE file: a document with a password, or one of the formats before 2007. [MS-OFFCRYPTO] 2.3.4. */
function compoundProblem(bytes: Uint8Array): DocumentProblem {
  const isEncrypted = includes(bytes, "EncryptedPackage");
  return isEncrypted
    ? new DocumentProblem("password", "it has a password")
    : new DocumentProblem("damaged", "it has the binary format of Office 97 to 2003, which is not read");
}

/** Whether the bytes hold a name in UTF-16. */
function includes(bytes: Uint8Array, name: string): boolean {
  const first = name.charCodeAt(0);
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    let length = 0;
    while (length < name.length && bytes[at + 2 * length] === name.charCodeAt(length)) length += 1;
    if (length === name.length) return true;
  }
  return false;
}
