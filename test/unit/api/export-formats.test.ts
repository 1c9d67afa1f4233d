import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EXPORT_WRITERS, escapeXml, exportWriter } from "../../../src/api/exports/export-formats.ts";
import { toCell } from "../../../src/core/formats/csv-cell.ts";
import { valueColumns } from "../../../src/crawl/page/value-columns.ts";
import { readCsv } from "../../read-csv.ts";
import { SAMPLE_RECORD as RECORD } from "./sample-record.ts";

describe("csv", () => {
  test.each([
    [null, ""],
    ["", ""],
    [0, "0"],
    [-5, "-5"],
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ["a\nb", '"a\nb"'],
    ["a\rb", '"a\rb"'],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-5 °C", "'-5 °C"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\n=1", '"\'\n=1"'],
    ["＝1", "'＝1"],
    ["'quoted", "''quoted"],
    ["a=1", "a=1"],
  ])("%j is %j", (value, cell) => expect(toCell(value)).toBe(cell));

  test("a row has a cell for each column", () => {
    const { head, write } = EXPORT_WRITERS.csv;
    const [columns = [], cells = []] = readCsv(head + write(RECORD));
    // Fields have columns of their own.
    const { fields: _, extracted: __, ...record } = RECORD;
    expect(Object.fromEntries(columns.map((column, i) => [column, cells[i]]))).toEqual({
      ...Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value ?? "")])),
      title: `'${RECORD.title}`,
    });
  });

  test("each field of the crawl has a column, and other columns stay as they are", () => {
    const fields = ["price", "tags", "constructor", "none"].map((name) => ({ name, as: "text" as const }));
    const { head, write } = exportWriter("csv", fields);
    const [columns = [], cells = []] = readCsv(
      head + write({ ...RECORD, fields: { price: -12.5, tags: ["a", "b,c"], none: null } }),
    );
    const [plain = []] = readCsv(EXPORT_WRITERS.csv.head);
    expect(columns).toEqual([...plain, "fields.price", "fields.tags", "fields.constructor", "fields.none"]);
    expect(cells.slice(plain.length)).toEqual(["-12.5", '["a","b,c"]', "", ""]);
    expect(exportWriter("jsonl", fields)).toBe(EXPORT_WRITERS.jsonl);
  });

  test("a crawl with values by a model has a column for each property, or one for all", () => {
    const extract = (properties: object | null) =>
      valueColumns({ schema: properties === null ? null : { properties }, prompt: "all", evidence: "marked" });
    const values = { price: 5, parts: ["a"], "say, so": null, more: true };
    const extracted = { values, evidence: [], problem: null, model: "m", cut: null };
    const written = (columns: ReturnType<typeof extract>) => {
      const { head, write } = exportWriter("csv", [], columns);
      const [names = [], cells = []] = readCsv(head + write({ ...RECORD, extracted }));
      return Object.fromEntries(
        names.map((name, i) => [name, cells[i]]).filter(([name]) => name?.startsWith("values")),
      );
    };
    expect(written(extract({ price: { type: "number" }, parts: {}, "say, so": {}, constructor: {} }))).toEqual({
      "values.price": "5",
      "values.parts": '["a"]',
      "values.say, so": "",
      "values.constructor": "",
    });
    expect(written(extract(null))).toEqual({ values: JSON.stringify(values) });
    expect(exportWriter("csv", [], valueColumns(null))).toBe(EXPORT_WRITERS.csv);
  });

  test("any text in a cell reads back without its apostrophe, and is never a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 2 }), (texts) => {
        const [cells = []] = readCsv(`${texts.map(toCell).join(",")}\r\n`);
        expect(cells.map((cell) => cell.replace(/^'/, ""))).toEqual(texts);
        for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
    );
  });
});

describe("sitemap", () => {
  test.each([
    ["https://a.test/", "https://a.test/"],
    ["https://a.test/?a=1&b=<>\"'", "https://a.test/?a=1&amp;b=&lt;&gt;&quot;&apos;"],
  ])("%s", (text, escaped) => expect(escapeXml(text)).toBe(escaped));

  const PAGE = { ...RECORD, canonical: null };

  test.each<[string, Partial<typeof RECORD>, boolean]>([
    ["itself as canonical", { canonical: RECORD.url }, true],
    ["another canonical URL", { canonical: "https://a.test/" }, false],
    ["the kind pdf", { document: "pdf" }, true],
    ["the kind feed", { document: "feed" }, false],
    ["an error", { status: "errored" }, false],
  ])("of a page with %s", (_, facts, has) => {
    expect(EXPORT_WRITERS.sitemap.write({ ...PAGE, ...facts }) !== "").toBe(has);
  });

  test("has lastmod if it is known", () => {
    const { write } = EXPORT_WRITERS.sitemap;
    const loc = "<loc>https://a.test/?a=1&amp;b=&apos;2&apos;</loc>";
    expect(write(PAGE)).toBe(`<url>${loc}<lastmod>2025-12-31T00:00:00.000Z</lastmod></url>\n`);
    expect(write({ ...PAGE, lastmod: null })).toBe(`<url>${loc}</url>\n`);
  });
});

test("urls has the URL in a line, as it is crawled", () => {
  const { head, write, tail } = EXPORT_WRITERS.urls;
  expect(`${head}${write(RECORD)}${tail}`).toBe("https://a.test/?a=1&b='2'\n");
});

test("jsonl has one record per line", () => {
  const line = EXPORT_WRITERS.jsonl.write({ ...RECORD, title: "a\nb", markdown: "# A\n" });
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual({ ...RECORD, title: "a\nb", markdown: "# A\n" });
});

test("markdown starts with front matter and an empty line", () => {
  expect(EXPORT_WRITERS.markdown.write({ ...RECORD, title: "A", markdown: "# A" })).toBe(
    `---\nurl: "${RECORD.url}"\ntitle: "A"\nfetchedAt: "2026-01-01T00:00:00.000Z"\n---\n\n# A\n\n`,
  );
});
