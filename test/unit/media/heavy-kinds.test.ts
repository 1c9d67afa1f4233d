import { describe, expect, test } from "vitest";
import { DOCUMENT_KINDS, type DocumentKind } from "../../../src/media/kind/document-kinds.ts";
import {
  beginsHeavy,
  canBePage,
  kindOf,
  namesHeavy,
  readableDocuments,
  recognizePage,
  refusedExtensions,
  signatureOf,
} from "../../../src/media/kind/kinds.ts";

const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));

/** The local header of an entry of a zip archive, and its content. */
function entry(name: string, content = ""): string {
  const length = (value: number) => String.fromCharCode(value & 0xff, value >> 8);
  return `PK\x03\x04${"\0".repeat(22)}${length(name.length)}\0\0${name}${content}`;
}

const OOXML = "application/vnd.openxmlformats-officedocument";
const ODF = "application/vnd.oasis.opendocument";

test.each([
  ["a PDF", "%PDF-1.7\n", "application/pdf"],
  ["RTF", "{\\rtf1\\ansi", "application/rtf"],
  [
    "docx",
    entry("[Content_Types].xml", "x") + entry("_rels/.rels") + entry("word/document.xml"),
    `${OOXML}.wordprocessingml.document`,
  ],
  ["xlsx", entry("[Content_Types].xml") + entry("xl/workbook.xml"), `${OOXML}.spreadsheetml.sheet`],
  [
    "pptx, its types last",
    entry("docProps/app.xml") + entry("ppt/presentation.xml"),
    `${OOXML}.presentationml.presentation`,
  ],
  ["odt", entry("mimetype", `${ODF}.text`) + entry("content.xml"), `${ODF}.text`],
  ["an odp template", entry("mimetype", `${ODF}.presentation-template`), `${ODF}.presentation-template`],
  ["EPUB", entry("mimetype", "application/epub+zip") + entry("META-INF/container.xml"), "application/epub+zip"],
  ["an archive with a folder word/", entry("a.txt") + entry("word/document.xml"), "application/zip"],
  ["a package of another program", entry("[Content_Types].xml") + entry("visio/document.xml"), "application/zip"],
  ["a drawing", entry("mimetype", `${ODF}.graphics`), "application/zip"],
  ["an archive that is cut", "PK\x03\x04", "application/zip"],
  ["Word before 2007", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", null],
])("the first bytes of %s", (_, bytes, type) => {
  expect(signatureOf(latin1(bytes))).toBe(type);
  const isHeavy = type !== null && type !== "application/zip";
  expect(beginsHeavy(latin1(bytes), DOCUMENT_KINDS)).toBe(isHeavy);
  expect(beginsHeavy(latin1(bytes), [])).toBe(false);
});

const DOCX = `${OOXML}.wordprocessingml.document`;
const OLE = `\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${"\0".repeat(20)}`;
test.each<[type: string | null, body: string, documents: DocumentKind[], expected: string]>([
  ["application/pdf", "%PDF-1.7", ["pdf"], "application/pdf"],
  ["text/html", "%PDF-1.7", ["pdf"], "application/pdf"],
  ["text/html", "%PDF-1.7", [], "application/pdf that is called text/html"],
  ["application/pdf", "%PDF-1.7", ["office"], "application/pdf"],
  ["application/pdf", "junk before the header", ["pdf"], "application/pdf"],
  // A password puts a document into an OLE container: its reader says so.
  [DOCX, OLE, ["office"], DOCX],
  [DOCX, "PK\x03\x04", ["office"], DOCX],
  [
    "application/vnd.ms-word.document.macroEnabled.12",
    entry("word/document.xml"),
    ["office"],
    "application/vnd.ms-word.document.macroenabled.12",
  ],
  ["application/pdf", entry("word/document.xml"), ["pdf", "office"], DOCX],
  ["application/pdf", "GIF89a", ["pdf"], "image/gif that is called application/pdf"],
  ["application/msword", OLE, ["office"], "binary data that is called application/msword"],
])("%s with %j of a crawl that reads %j is %s", (type, body, documents, expected) => {
  const found = recognizePage(latin1(body), type, documents);
  expect("problem" in found ? found.problem : found.type).toBe(expected);
});

describe("a crawl that reads some kinds", () => {
  test("refuses links to the others by their extensions", () => {
    const refused = refusedExtensions({ documents: ["pdf"], media: false });
    expect(["pdf", "docx", "odt", "epub", "doc", "png"].filter((one) => refused.has(one))).toEqual([
      "docx",
      "odt",
      "epub",
      "doc",
      "png",
    ]);
    expect(refusedExtensions({ documents: [], media: false }).has("pdf")).toBe(true);
  });

  test("sends documents of these kinds to the reader, and looks into what may be one", () => {
    const types = ["application/pdf", DOCX, "application/octet-stream", "application/zip", "text/html"];
    expect(types.map((type) => namesHeavy(type, ["pdf"]))).toEqual(["yes", "no", "maybe", "maybe", "no"]);
    expect(types.map((type) => namesHeavy(type, []))).toEqual(["no", "no", "no", "no", "no"]);
    expect(types.map((type) => canBePage(type, ["pdf"]))).toEqual([true, false, false, false, true]);
  });

  test("reads none of the heavy ones in an installation without a reader", () => {
    expect(readableDocuments(true)).toEqual(DOCUMENT_KINDS);
    expect(readableDocuments(false)).toEqual(
      DOCUMENT_KINDS.filter((kind) => !["pdf", "office", "epub"].includes(kind)),
    );
  });
});

test("this Worker has no reader for a heavy document", async () => {
  await expect(kindOf("application/pdf").loadReader()).rejects.toThrow(
    "the reader Worker reads documents of this kind",
  );
});
