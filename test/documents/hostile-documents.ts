import { makeDocx, makeEpub, makeOdf, makePptx, makeXlsx, makeZip, relations } from "./made-documents.ts";

/** Documents that are damaged, protected or made to hurt, with the fault that each has. */

export interface HostileDocument {
  name: string;
  extension: string;
  bytes: Uint8Array;
  fault: "password" | "damaged" | "too-complex";
}

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const whole = makeDocx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>");

/** An OLE file with a stream of this name in its directory. */
function compound(name: string): Uint8Array {
  const bytes = new Uint8Array(4_096);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  for (const [i, character] of [...name].entries()) bytes[1_024 + 2 * i] = character.charCodeAt(0);
  return bytes;
}

/** A Word document whose main part is inflated to so many megabytes of empty paragraphs. */
export function bomb(megabytes: number): Uint8Array {
  const part = new Uint8Array(megabytes * 1_000_000).fill(0x20);
  part.set(latin1(`<w:document xmlns:w="${W}"><w:body>`));
  return makeDocx("", { "word/document.xml": part });
}

const ENCRYPTION = `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/><enc:CipherData><enc:CipherReference URI="OEBPS/one.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>`;
const MANIFEST = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`;

export const HOSTILE_DOCUMENTS: readonly HostileDocument[] = [
  { name: "a bomb", extension: "docx", bytes: bomb(36), fault: "too-complex" },
  {
    name: "a bomb of shared texts, none of which ends",
    extension: "xlsx",
    bytes: makeXlsx({ One: "" }, { "xl/sharedStrings.xml": new Uint8Array(36_000_000).fill(0x20) }),
    fault: "too-complex",
  },
  {
    name: "elements nested too deep",
    extension: "docx",
    bytes: makeDocx("<w:sdt>".repeat(100_000)),
    fault: "too-complex",
  },
  {
    name: "tables nested too deep",
    extension: "odt",
    bytes: makeOdf("text", "<table:table><table:table-row><table:table-cell>".repeat(50_000)),
    fault: "too-complex",
  },
  {
    name: "groups nested too deep",
    extension: "rtf",
    bytes: latin1(`{\\rtf1 ${"{\\b ".repeat(100_000)}`),
    fault: "too-complex",
  },
  {
    name: "too many parts",
    extension: "docx",
    bytes: makeZip(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`word/${i}.xml`, ""]))),
    fault: "too-complex",
  },
  { name: "a password", extension: "docx", bytes: compound("EncryptedPackage"), fault: "password" },
  {
    name: "a password",
    extension: "odt",
    bytes: makeOdf("text", "", "", { "META-INF/manifest.xml": MANIFEST }),
    fault: "password",
  },
  {
    name: "DRM",
    extension: "epub",
    bytes: makeEpub({ "one.xhtml": "\u0001\u0002" }, { "META-INF/encryption.xml": ENCRYPTION }),
    fault: "password",
  },
  { name: "the format before 2007", extension: "doc", bytes: compound("WordDocument"), fault: "damaged" },
  { name: "a file that is cut off", extension: "docx", bytes: whole.subarray(0, whole.length / 2), fault: "damaged" },
  {
    name: "a file with a gap",
    extension: "docx",
    bytes: whole.map((byte, i) => (i > 80 && i < whole.length / 2 ? 0 : byte)),
    fault: "damaged",
  },
  { name: "no document", extension: "docx", bytes: makeZip({ "readme.txt": "Hello" }), fault: "damaged" },
  { name: "no bytes", extension: "xlsx", bytes: new Uint8Array(0), fault: "damaged" },
  { name: "a picture", extension: "pptx", bytes: latin1("\x89PNG\r\n\x1a\n"), fault: "damaged" },
  {
    name: "no content",
    extension: "odt",
    bytes: makeZip({ mimetype: "application/vnd.oasis.opendocument.text" }),
    fault: "damaged",
  },
  {
    name: "a main part outside of the file",
    extension: "docx",
    bytes: makeDocx("", {
      "_rels/.rels": relations(["r1", "officeDocument", "http://evil.test/word/document.xml", true]),
    }),
    fault: "damaged",
  },
  {
    name: "a main part that is missing",
    extension: "docx",
    bytes: makeDocx("", { "_rels/.rels": relations(["r1", "officeDocument", "../../../../etc/passwd"]) }),
    fault: "damaged",
  },
  { name: "no package", extension: "epub", bytes: makeZip({ mimetype: "application/epub+zip" }), fault: "damaged" },
  { name: "a book without items", extension: "epub", bytes: makeEpub({}), fault: "damaged" },
  {
    name: "a text that breaks off before it begins",
    extension: "rtf",
    bytes: latin1("{\\rtf1{\\fonttbl"),
    fault: "damaged",
  },
];

const LAUGHS = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY x SYSTEM "file:///etc/passwd">]>`;

/** Documents that are read, though they are made to hurt: what each says, and nothing else. */
export const HARMLESS_DOCUMENTS: readonly { name: string; bytes: Uint8Array; markdown: string }[] = [
  {
    name: "entities are not expanded",
    bytes: makeDocx("", {
      "word/document.xml": `${LAUGHS}<w:document xmlns:w="${W}"><w:body><w:p><w:r><w:t>a&c;&x;b</w:t></w:r></w:p></w:body></w:document>`,
    }),
    markdown: "a\\&c;\\&x;b",
  },
  {
    name: "macros, templates and pictures on the web are not touched",
    bytes: makeDocx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>", {
      "word/vbaProject.bin": new Uint8Array(1_000),
      "word/_rels/document.xml.rels": relations(
        ["r1", "attachedTemplate", "http://evil.test/x.dotm", true],
        ["r2", "image", "http://evil.test/x.png", true],
        ["r3", "styles", "http://evil.test/styles.xml", true],
      ),
    }),
    markdown: "Text",
  },
  {
    name: "HTML in a text is text",
    bytes: makePptx([
      "<p:sp><p:txBody><a:p><a:r><a:t>&lt;script&gt;alert(1)&lt;/script&gt;</a:t></a:r></a:p></p:txBody></p:sp>",
    ]),
    markdown: "\\<script>alert(1)\\</script>",
  },
  {
    name: "links that run code lead nowhere",
    bytes: makeOdf("text", '<text:p><text:a xlink:href="javascript:alert(1)">a</text:a></text:p>'),
    markdown: "a",
  },
  {
    name: "an XML part that breaks off",
    bytes: makeDocx("", { "word/document.xml": `<w:document xmlns:w="${W}"><w:body><w:p><w:r><w:t>Text` }),
    markdown: "Text",
  },
  {
    name: "a cell at the end of a row, and repeated a million times",
    bytes: makeOdf(
      "spreadsheet",
      '<table:table table:name="S"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell table:number-columns-repeated="99999999"/><table:table-cell><text:p>far</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="99999999"><table:table-cell/></table:table-row></table:table>',
    ),
    markdown: "## S\n\na",
  },
];
