import { expect, test } from "vitest";
import { numberFormat } from "../../../../src/media/office/number-format.ts";
import { readOffice } from "../../../../src/media/office/read-office.ts";
import { makeOdf, makeXlsx, relations } from "../../../documents/made-documents.ts";
import { markdownOf, readMade } from "../../../documents/read-made.ts";

const S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const ROWS = `<sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Two</t></is></c></row><row r="2"/><row r="3"><c r="A3" s="1"><v>45356</v></c><c r="B3" t="b"><v>1</v></c><c r="C3"><f>HYPERLINK("https://f.test/","x")</f><v>0.5</v></c></row></sheetData>`;
const SHARED = `<sst xmlns="${S}"><si><r><t>O</t></r><r><t>ne</t></r><rPh><t>guide</t></rPh></si></sst>`;
const STYLES = `<styleSheet xmlns="${S}"><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`;

test("Excel: sheets, shared texts, dates and links", async () => {
  const bytes = makeXlsx(
    { First: `${ROWS}<hyperlinks><hyperlink ref="A1" r:id="l1"/></hyperlinks>`, "A &amp; B": "<sheetData/>" },
    {
      "xl/sharedStrings.xml": SHARED,
      "xl/styles.xml": STYLES,
      "xl/worksheets/_rels/sheet1.xml.rels": relations(["l1", "hyperlink", "https://l.test/", true]),
    },
  );
  const document = await readMade(readOffice, bytes);
  expect(document.content?.markdown).toBe(
    "## First\n\n| [One](https://l.test/) | | Two |\n| --- | --- | --- |\n| 2024-03-05 | TRUE | [0.5](https://f.test/) |\n\n## A & B",
  );
  expect(document.links.map(({ url }) => url)).toEqual(["https://l.test/", "https://f.test/"]);
  expect(document.content?.metadata).toMatchObject({ pageCount: 2, title: "The title", language: "en-GB" });
});

test("Excel: names with a prefix", async () => {
  const bytes = makeXlsx(
    { One: "" },
    {
      "xl/worksheets/sheet1.xml": `<x:worksheet xmlns:x="${S}"><x:sheetData><x:row><x:c><x:v>7</x:v></x:c><x:c><x:v>8</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
    },
  );
  expect(await markdownOf(readOffice, bytes)).toContain("| 7 | 8 |");
});

test("Excel: each sheet has its share of the room", async () => {
  const cells = "<c><v>1</v></c>".repeat(10);
  const long = `<sheetData>${`<row>${cells}</row>`.repeat(20_000)}</sheetData>`;
  const last = "<sheetData><row><c><v>42</v></c><c><v>43</v></c></row></sheetData>";
  const { content, leftOut } = await readMade(readOffice, makeXlsx({ Long: long, Last: last }), null, {
    formats: ["text"],
  });
  expect(content?.metadata.headings.map(({ text }) => text)).toEqual(["Long", "Last"]);
  expect(content?.text).toContain("42\t43");
  expect(leftOut.truncated).toMatch(/^cut after [\d,]+ rows of a sheet$/);
});

test.each([
  [0, "0.00%", 0.1234, "12.34%"],
  [0, "#,##0.00", 1234567.891, "1,234,567.89"],
  [0, "#,##0;(#,##0)", -1234, "(1,234)"],
  [0, "0.##", 1.5, "1.5"],
  [0, '"€" 0.00', 2, "€ 2.00"],
  [0, "[$$-409]#,##0", 1000, "$1,000"],
  [0, "0.00E+00", 12345, "1.23E+04"],
  [0, "dd/mm/yyyy hh:mm", 45356.75, "05/03/2024 18:00"],
  [0, "h:mm AM/PM", 0.5, "12:00 PM"],
  [0, "[h]:mm", 1.5, "36:00"],
  [0, "mmm-yy", 45356, "Mar-24"],
  [0, "mm:ss", 0.0007, "01:00"],
  [14, null, 45356, "3/5/2024"],
  [9, null, 0.5, "50%"],
  [0, "General", 0.1 + 0.2, "0.3"],
  [0, "@", 12, "12"],
  [0, '0;-0;"none"', 0, "none"],
  [0, "0,", 12345, "12"],
])("a number in format %s %s", (id, code, value, expected) => {
  expect(numberFormat(id, code, false)(value)).toBe(expected);
});

test("a date of the calendar of 1904", () => {
  expect(numberFormat(0, "yyyy-mm-dd", true)(43894)).toBe("2024-03-05");
});

test("OpenDocument: sheets, repeated cells and rows, links, comments", async () => {
  const cell = (text: string, more = "") =>
    `<table:table-cell${more}>${text === "" ? "" : `<text:p>${text}</text:p>`}</table:table-cell>`;
  const body = `<table:table table:name="Data"><table:table-row>${cell("A")}${cell("B")}${cell("C")}</table:table-row><table:table-row>${cell("x", ' table:number-columns-repeated="2"')}${cell('<text:a xlink:href="https://l.test/">there</text:a>')}${cell("", ' table:number-columns-repeated="16000"')}</table:table-row><table:table-row table:number-rows-repeated="2">${cell("y")}<table:table-cell><office:annotation><text:p>comment</text:p></office:annotation><text:p>1 <text:span>of</text:span></text:p><text:p>2</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="1048000">${cell("")}</table:table-row></table:table>`;
  const document = await readMade(readOffice, makeOdf("spreadsheet", body));
  expect(document.content?.markdown).toBe(
    "## Data\n\n| A | B | C |\n| --- | --- | --- |\n| x | x | [there](https://l.test/) |\n| y | 1 of 2 | |\n| y | 1 of 2 | |",
  );
  expect(document.content?.metadata.pageCount).toBe(1);
});
