import { expect, test } from "vitest";
import { readCsv } from "../../../../src/media/csv/read-csv.ts";
import { markdownOf, readMade } from "../../../documents/read-made.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const TABLE = "| a | b |\n| --- | --- |\n| 1 | 2 |";

test.each([
  ["commas", "a,b\r\n1,2\r\n", TABLE],
  ["semicolons", "a;b\n1;2\n", TABLE],
  ["tabs", "a\tb\n1\t2\n", TABLE],
  ["bars", "a|b\n1|2\n", TABLE],
  ["a delimiter that the file names", "sep=_\r\na_b\r\n1_2", TABLE],
  ["a byte order mark", "\ufeffa,b\n1,2", TABLE],
  ["quotes", '"a, ""x""",b\n"1\n2",<3>', '| a, "x" | b |\n| --- | --- |\n| 1 2 | <3> |'],
  ["empty lines and cells", "a,b\n\n,2\n1,\n", "| a | b |\n| --- | --- |\n| | 2 |\n| 1 | |"],
  ["rows that are longer than the first", "a\n1,2\n", "| a | |\n| --- | --- |\n| 1 | 2 |"],
  ["a quote that is never closed", 'a,b\n"1,2\n', "| a | b |\n| --- | --- |\n| 1,2 | |"],
  ["nothing", "", ""],
])("CSV: %s", async (_, text, expected) => {
  expect(await markdownOf(readCsv, bytes(text))).toBe(expected);
});

test("CSV: links, encoding and type", async () => {
  const document = await readMade(
    readCsv,
    Uint8Array.from("name,url\nM\xfcller,https://l.test/x\n", (c) => c.charCodeAt(0)),
    "text/csv; charset=iso-8859-1",
  );
  expect(document).toMatchObject({ type: "text/csv", encoding: "windows-1252" });
  expect(document.content?.text).toBe("name\turl\nMüller\thttps://l.test/x");
  expect(document.links.map(({ url }) => url)).toEqual(["https://l.test/x"]);
  expect((await readMade(readCsv, bytes("a\tb"), "text/tab-separated-values")).type).toBe("text/tab-separated-values");
});

test("CSV: a million cells are cut, and that is said", async () => {
  const { leftOut, content } = await readMade(readCsv, bytes("1,2,3,4,5,6,7,8,9,10\n".repeat(100_000)), null, {
    formats: [],
  });
  expect(leftOut.truncated).toBe("cut after 100,000 elements");
  expect(content?.metadata.wordCount).toBeGreaterThan(80_000);
});

test("CSV: columns without end are cut, and that is said", async () => {
  const { leftOut } = await readMade(readCsv, bytes("1,".repeat(5_000)), null, { formats: [] });
  expect(leftOut.truncated).toBe("cut after 1,000 columns");
});
