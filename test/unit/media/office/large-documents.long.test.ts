import { expect, test } from "vitest";
import { makeDocx, makeEpub, makeXlsx } from "../../../documents/made-documents.ts";
import { readInIsolate } from "../../../documents/read-in-isolate.ts";

/**
 * Documents as large as the limits allow fit into an isolate's memory, and are cut where the limits say. Each takes
 * seconds, so `LARGE_DOCUMENTS=1` reads those too that are like another one.
 */

const CASES = process.env.LARGE_DOCUMENTS ? Number.POSITIVE_INFINITY : 2;

const RUN =
  "<w:r><w:rPr><w:b/></w:rPr><w:t>Слова и ещё слова &amp; знаки</w:t></w:r><w:r><w:t> и так далее.</w:t></w:r>";
const sharedTexts = () =>
  `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">${Array.from({ length: 300_000 }, (_, i) => `<si><t>Ячейка ${i}</t></si>`).join("")}</sst>`;
const rows = (count: number) =>
  `<sheetData>${Array.from({ length: count }, (_, i) => `<row>${[0, 1, 2, 3, 4].map((j) => `<c t="s"><v>${5 * i + j}</v></c>`).join("")}</row>`).join("")}</sheetData>`;
const CHAPTER = `<html><body><h1>Глава</h1>${'<p>Слова <i>и ещё</i> слова, <a href="https://l.test/">ссылка</a>.</p>'.repeat(2_000)}</body></html>`;
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const LARGE = [
  {
    name: "a text",
    reader: "office",
    make: () => makeDocx(`<w:p>${RUN.repeat(10)}</w:p>`.repeat(16_000)),
    truncated: "cut after 400,000 nodes",
  },
  {
    name: "a workbook",
    reader: "office",
    make: () => makeXlsx({ One: rows(30_000) }, { "xl/sharedStrings.xml": sharedTexts() }),
    truncated: "cut after 100,000 elements",
  },
  {
    name: "a text without formats",
    reader: "office",
    make: () => makeDocx(`<w:p><w:r><w:t>${"слово ".repeat(200)}</w:t></w:r></w:p>`.repeat(6_000)),
    truncated: "cut after 4,000,000 characters",
  },
  {
    name: "a book",
    reader: "epub",
    make: () => makeEpub(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}.xhtml`, CHAPTER]))),
    truncated: "cut after 100,000 elements",
  },
  {
    name: "a table of values",
    reader: "csv",
    make: () => new TextEncoder().encode("один,два,три,четыре\n".repeat(250_000)),
    truncated: "cut after 100,000 elements",
  },
  {
    name: "a text with pictures in hexadecimal",
    reader: "office",
    make: () => latin1(`{\\rtf1 Text\\par{\\pict ${"0123456789abcdef".repeat(1_500_000)}}End\\par}`),
    truncated: null,
  },
] as const;

test.each(LARGE.slice(0, CASES))("$name", { timeout: 60_000 }, async ({ name, reader, make, truncated }) => {
  const bytes = make();
  const read = await readInIsolate(reader, bytes);
  if (process.env.LARGE_DOCUMENTS) console.log(name, bytes.length, read);
  expect(read.truncated).toBe(truncated);
  // A Worker has 30 s; this machine may be busy.
  expect(read.cpuMs).toBeLessThan(20_000);
});
