import fc from "fast-check";
import { expect, test } from "vitest";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
import { readEpub } from "../../../../src/media/epub/read-epub.ts";
import { readOffice } from "../../../../src/media/office/read-office.ts";
import { HARMLESS_DOCUMENTS, HOSTILE_DOCUMENTS } from "../../../documents/hostile-documents.ts";
import { makeDocx, makeEpub, makeOdf, makePptx, makeXlsx } from "../../../documents/made-documents.ts";
import { markdownOf, readMade } from "../../../documents/read-made.ts";

const faultOf = (error: unknown) => {
  if (error instanceof DocumentProblem) return error.fault;
  throw error;
};

test.each(HOSTILE_DOCUMENTS)("$extension: $name is $fault", async ({ bytes, extension, fault }) => {
  const read = extension === "epub" ? readEpub : readOffice;
  expect(await readMade(read, bytes).then(() => "read", faultOf)).toBe(fault);
});

test.each(HARMLESS_DOCUMENTS)("$name", async ({ bytes, markdown }) => {
  expect(await markdownOf(readOffice, bytes)).toBe(markdown);
});

test("a million cells are cut, and that is said", async () => {
  const row = `<row>${"<c><v>1</v></c>".repeat(100)}</row>`;
  const bytes = makeXlsx({ One: `<sheetData>${row.repeat(10_000)}</sheetData>` });
  const { leftOut } = await readMade(readOffice, bytes, null, { formats: [] });
  expect(leftOut.truncated).toMatch(/^cut after [\d,]+ elements$/);
});

const SAMPLES = [
  makeDocx("<w:p><w:r><w:t>Text</w:t></w:r></w:p>"),
  makeXlsx({ One: "<sheetData><row><c><v>1</v></c></row></sheetData>" }),
  makePptx(["<p:sp><p:txBody><a:p><a:r><a:t>a</a:t></a:r></a:p></p:txBody></p:sp>"]),
  makeOdf("text", "<text:p>Text</text:p>"),
  new TextEncoder().encode(
    "{\\rtf1{\\fonttbl{\\f0 A;}}{\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt y}}{\\footnote z}\\cell\\row\\par}",
  ),
  makeEpub({ "one.xhtml": "<html><body><p>Text</p></body></html>" }),
];

test("whatever is changed in a document, it is read or refused", async () => {
  const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SAMPLES), changes, async (sample, changed) => {
      const bytes = Uint8Array.from(sample);
      for (const [at, byte] of changed) bytes[Math.floor(at * bytes.length)] = byte;
      for (const read of [readOffice, readEpub])
        await readMade(read, bytes, null, { formats: ["text"] }).catch(faultOf);
    }),
    { numRuns: 150 },
  );
});
