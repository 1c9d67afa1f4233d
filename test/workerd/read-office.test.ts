import { expect, test } from "vitest";
import { readCsv } from "../../src/media/csv/read-csv.ts";
import { DocumentProblem } from "../../src/media/document-problem.ts";
import { readEpub } from "../../src/media/epub/read-epub.ts";
import { readOffice } from "../../src/media/office/read-office.ts";
import { HOSTILE_DOCUMENTS } from "../documents/hostile-documents.ts";
import { makeDocx, makeEpub, makeOdf, makePptx, makeXlsx, relations } from "../documents/made-documents.ts";
import { markdownOf, readMade } from "../documents/read-made.ts";

/** The readers of documents inside workerd, where there is no `eval`, no file system and no Node. */

const encode = (text: string) => new TextEncoder().encode(text);
const LINK = `<w:p><w:hyperlink r:id="l"><w:r><w:t>Text</w:t></w:r></w:hyperlink></w:p>`;
const LINKED = { "word/_rels/document.xml.rels": relations(["l", "hyperlink", "/there", true]) };

test.each([
  ["docx", readOffice, makeDocx(LINK, LINKED), "[Text](https://example.com/there)"],
  [
    "xlsx",
    readOffice,
    makeXlsx({ One: `<sheetData><row><c t="inlineStr"><is><t>a</t></is></c><c><v>1.5</v></c></row></sheetData>` }),
    "## One\n\n| a | 1.5 |\n| --- | --- |",
  ],
  ["pptx", readOffice, makePptx(["<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp>"]), "a"],
  ["odt", readOffice, makeOdf("text", '<text:h text:outline-level="1">Head</text:h>'), "# Head"],
  ["rtf", readOffice, encode(String.raw`{\rtf1\ansi caf\'e9\par}`), "café"],
  ["epub", readEpub, makeEpub({ "one.xhtml": "<html><body><h1>One</h1></body></html>" }), "# One"],
  ["csv", readCsv, encode("a;b\n1;2"), "| a | b |\n| --- | --- |\n| 1 | 2 |"],
] as const)("%s is read in workerd", async (_, read, bytes, markdown) => {
  expect(await markdownOf(read, bytes)).toBe(markdown);
});

test("what cannot be read is refused in workerd as elsewhere", async () => {
  const faults = await Promise.all(
    HOSTILE_DOCUMENTS.map(({ bytes, extension }) =>
      readMade(extension === "epub" ? readEpub : readOffice, bytes).then(
        () => "read",
        (error) => (error instanceof DocumentProblem ? error.fault : String(error)),
      ),
    ),
  );
  expect(faults).toEqual(HOSTILE_DOCUMENTS.map(({ fault }) => fault));
});
