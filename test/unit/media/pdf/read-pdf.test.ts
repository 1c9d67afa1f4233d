import { expect, test } from "vitest";
import { type MadePage, makePdf, pageObject, textAt } from "./make-pdf.ts";
import { markdownOf, read } from "./read.ts";

const page = (...content: string[]): MadePage => ({ content: content.join("") });
/** Lines of one paragraph, from above to below. */
const lines = (x: number, y: number, texts: readonly string[]) =>
  texts.map((text, at) => textAt(x, y - 12 * at, text)).join("");

test("a document says who wrote it, when, and in which language", async () => {
  const info =
    "/Title(A manual)/Author(Ada Lovelace)/Subject(How to weave)/Keywords(web, orb; spider)" +
    "/CreationDate(D:20240305142233+01'00')/ModDate(D:2024)";
  const document = await read(makePdf({ pages: [page(textAt(50, 700, "Text"))], info, catalog: "/Lang(en-gb)" }));
  expect(document).toMatchObject({
    type: "application/pdf",
    title: "A manual",
    description: "How to weave",
    language: "en-GB",
    ids: null,
    leftOut: { truncated: null, problem: null },
  });
  expect(document.content?.metadata).toMatchObject({
    title: "A manual",
    author: "Ada Lovelace",
    description: "How to weave",
    keywords: ["web", "orb", "spider"],
    publishedAt: "2024-03-05T14:22:33+01:00",
    modifiedAt: "2024-01-01",
    language: "en-GB",
    pageCount: 1,
    wordCount: 1,
  });
});

test("the caller's bytes stay as they are", async () => {
  const bytes = makePdf({ pages: [page(textAt(50, 700, "Text"))] });
  const before = bytes.slice();
  await read(bytes);
  expect(bytes).toEqual(before);
});

test("without formats there is no content, and the links and the text of the pages stand", async () => {
  const links = [{ rect: [50, 695, 200, 715] as const, action: "/S/URI/URI(https://example.com/a)" }];
  const bytes = makePdf({ pages: [{ content: textAt(50, 700, "A link"), links }] });
  const document = await read(bytes, { formats: null });
  expect(document.content).toBeNull();
  expect(document.pageText).toBe("A link");
  expect(document.links.map(({ url, text }) => [url, text])).toEqual([["https://example.com/a", "A link"]]);
});

test.each([
  ["/Title(Microsoft Word - report.doc)", "The first title"],
  ["/Title(Microsoft Word - The report)", "The report"],
  ["/Title(untitled)", "The first title"],
  ["/Title(main.dvi)", "The first title"],
  ["/Title( )", "The first title"],
  ["/Title(<feff4f6050cf>)", "<feff4f6050cf>"],
  ["/Title<feff4f60597d>", "你好"],
])("%s is the title %s", async (info, expected) => {
  const content = page(
    textAt(50, 760, "small print", 8),
    textAt(50, 700, "The first", 24),
    textAt(50, 672, "title", 24),
    lines(50, 600, ["The body of the text has a size of its own,", "which most of its letters have."]),
  );
  expect((await read(makePdf({ pages: [content], info }))).title).toBe(expected);
});

const FULL = "This line is so long that no further word has any place in it, up to the margin,";

test.each<[string, string, string]>([
  ["lines of a paragraph", lines(50, 700, [FULL, "and goes on here."]), `${FULL} and goes on here.`],
  [
    "a word that is broken at the end of a line",
    lines(50, 700, [`${FULL.slice(0, -12)} exam-`, "ple of it, and then some."]),
    `${FULL.slice(0, -12)} example of it, and then some.`,
  ],
  [
    "a word that is written with a hyphen",
    lines(50, 700, [`${FULL.slice(0, -20)} state-of-the-`, "art of it all."]),
    `${FULL.slice(0, -20)} state-of-the-art of it all.`,
  ],
  ["lines that end early", lines(50, 700, [FULL, FULL, "short", "shorter"]), `${FULL} ${FULL} short\\\nshorter`],
  ["a space between paragraphs", textAt(50, 700, "One.") + textAt(50, 670, "Two."), "One.\n\nTwo."],
  [
    "paragraphs that begin with an indent",
    lines(50, 700, [FULL, FULL]) + textAt(65, 676, `I${FULL.slice(3)}`) + textAt(50, 664, "end."),
    `${FULL} ${FULL}\n\nI${FULL.slice(3)} end.`,
  ],
  [
    "two columns, one after the other",
    lines(50, 700, ["Left one", "left two"]) + lines(320, 700, ["Right one", "right two"]),
    "Left one left two\n\nRight one right two",
  ],
  [
    "bullets",
    textAt(50, 700, "\x95 one") + textAt(50, 688, "\x95 two") + textAt(50, 660, "after"),
    "- one\n- two\n\nafter",
  ],
  [
    "code",
    textAt(50, 700, "if (a < b)", 10, "F2") + textAt(62, 688, "return *b;", 10, "F2"),
    "```\nif (a < b)\n  return *b;\n```",
  ],
  ["bold letters that are drawn twice", textAt(50, 700, "bold") + textAt(50.3, 700, "bold"), "bold"],
  ["what looks like HTML", textAt(50, 700, "a <b> & <script>c"), "a \\<b> & \\<script>c"],
  ["a row of a table", textAt(50, 700, "Name") + textAt(200, 700, "Price"), "Name Price"],
  ["dots before a page's number", textAt(50, 700, "Start . . . . . . . . 12"), "Start … 12"],
  ["text from below to above", "BT /F1 10 Tf 0 1 -1 0 300 100 Tm (turned) Tj ET", "turned"],
])("%s", async (_, content, expected) => {
  expect(await markdownOf({ pages: [page(content)] })).toBe(expected);
});

test("code stays code where pdf.js gives a page in several chunks", async () => {
  const texts = Array.from({ length: 250 }, (_, at) => `line${at}`);
  const content = texts.map((text, at) => textAt(50, 780 - 3 * at, text, 3, "F2")).join("");
  expect(await markdownOf({ pages: [page(content)] })).toBe(["```", ...texts, "```"].join("\n"));
});

test("a page in no order is read by its columns", async () => {
  const left = [
    "The first column",
    "is read down to",
    "its end, and not",
    "across the page,",
    "line by line,",
    "at all.",
  ];
  const right = ["Then the second", "column follows,", "and it is read", "in the same way", "down to its", "end too."];
  const rows = left.flatMap((text, at) => [
    textAt(320, 700 - 12 * at, right[at] ?? ""),
    textAt(50, 700 - 12 * at, text),
  ]);
  // From below to above, as some programs write them.
  const { pageText } = await read(makePdf({ pages: [page(...rows.reverse())] }));
  expect(pageText).toBe([...left, ...right].join("\n"));
});

test("a paragraph goes on over the end of a page", async () => {
  const pages = [page(lines(50, 100, [FULL, FULL])), page(lines(50, 700, ["and ends on the next."]))];
  expect(await markdownOf({ pages })).toBe(`${FULL} ${FULL} and ends on the next.`);
});

test("running heads and page numbers stay out of the content, and a head's first time stays in it", async () => {
  const pages = [1, 2, 3, 4, 5].map((number) =>
    page(
      textAt(50, 780, `The book ${number}`),
      textAt(50, 600, `Text of page ${number}.`),
      textAt(300, 20, `${number}`),
    ),
  );
  const { content, pageText } = await read(makePdf({ pages }));
  expect(content?.text?.split("\n")).toEqual([
    "The book 1",
    ...[1, 2, 3, 4, 5].map((number) => `Text of page ${number}.`),
  ]);
  expect(pageText).toContain("The book 4");
  const titled = await read(makePdf({ pages, info: "/Title(The book)" }));
  expect(titled.content?.text).not.toContain("The book");
});

test("the number of a page that begins a chapter is left out too", async () => {
  const pages = ["i", "ii", "iii", "1", "2", "3", "4", "5"].map((number) =>
    page(textAt(50, 600, `Text ${number}.`), number === "5" ? textAt(300, 20, number) : textAt(500, 780, number)),
  );
  const { content } = await read(makePdf({ pages }));
  expect(content?.text).toBe("Text i.\nText ii.\nText iii.\nText 1.\nText 2.\nText 3.\nText 4.\nText 5.");
});

test("what the document marks as no content is left out of it", async () => {
  const content = `/Artifact <</Type/Pagination>> BDC ${textAt(50, 780, "Head")} EMC ${textAt(50, 700, "Text")}`;
  const document = await read(makePdf({ pages: [page(content)] }));
  expect(document.content?.text).toBe("Text");
  expect(document.pageText).toBe("Head\nText");
});

test("the outline gives the headings, each at its place", async () => {
  const first = pageObject(0, 5);
  const second = pageObject(1, 5);
  const objects = [
    "<</Type/Outlines/First 7 0 R/Last 9 0 R>>",
    `<</Title(Getting started)/Parent 6 0 R/Next 9 0 R/First 8 0 R/Last 8 0 R/Dest[${first} 0 R/XYZ 0 720 0]>>`,
    `<</Title(Needs)/Parent 7 0 R/Dest[${first} 0 R/Fit]>>`,
    `<</Title(Not in the text)/Parent 6 0 R/Next 10 0 R/A<</S/GoTo/D[${second} 0 R/XYZ 0 650 0]>>>>`,
    `<</Title(A long heading that goes over two lines)/Parent 6 0 R/Dest(named)>>`,
  ];
  const pages = [
    page(
      textAt(50, 740, "Needs of the reader come first."),
      textAt(50, 700, "Chapter 1. Getting started", 10),
      textAt(50, 688, "The text right below."),
      textAt(50, 660, "1.1 Needs"),
      textAt(50, 640, "Nothing."),
    ),
    page(
      textAt(50, 700, "Before."),
      textAt(50, 640, "After."),
      textAt(50, 600, "2 A long heading that"),
      textAt(50, 588, "goes over two lines"),
      textAt(50, 560, "Its text."),
    ),
  ];
  const catalog = `/Outlines 6 0 R/Dests<</named[${second} 0 R/FitH 610]>>`;
  const { content } = await read(makePdf({ pages, catalog, objects }));
  expect(content?.markdown).toBe(
    [
      "Needs of the reader come first.",
      "# Chapter 1. Getting started",
      "The text right below.",
      "## 1.1 Needs",
      "Nothing.",
      "Before.",
      "# Not in the text",
      "After.",
      "# 2 A long heading that goes over two lines",
      "Its text.",
    ].join("\n\n"),
  );
  expect(content?.metadata.headings.map(({ level }) => level)).toEqual([1, 2, 1, 1]);
});

test("links have the text that stands under them", async () => {
  const at = (x1: number, y: number, x2: number) => [x1, y - 3, x2, y + 9] as const;
  const content =
    textAt(50, 700, "See the manual of it.") +
    textAt(50, 650, "one") +
    textAt(50, 600, "two") +
    textAt(50, 550, "three");
  const links = [
    // "See the manual of it." is 93 points wide, and "the manual" stands from 70 to 119.
    { rect: at(70, 700, 119), action: "/S/URI/URI(../other/page.html#part)" },
    { rect: at(50, 650, 80), action: "/S/GoToR/F(second.pdf)/D[0/Fit]" },
    { rect: at(50, 600, 80), action: "/S/URI/URI(mailto:a@example.com)" },
    { rect: at(50, 550, 80), action: "/S/JavaScript/JS(app.alert\\(1\\))" },
    { rect: at(400, 100, 500), action: "/S/URI/URI(HTTP://Example.com:80/picture)" },
    { rect: at(50, 550, 80), action: "/S/GoTo/D[3 0 R/Fit]" },
  ];
  const document = await read(makePdf({ pages: [{ content, links }] }));
  expect(document.links.map(({ url, text, kind, place }) => [url, text, kind, place])).toEqual([
    ["https://example.com/other/page.html", "the manual", "a", "content"],
    ["https://example.com/docs/second.pdf", "one", "a", "content"],
    ["http://example.com/picture", "", "a", "content"],
  ]);
  expect(document.pageLinks[0]?.fragment).toBe("part");
  expect(document.content?.markdown).toBe(
    "See [the manual](https://example.com/other/page.html#part) of it.\n\n" +
      "[one](https://example.com/docs/second.pdf#page=1)\n\n[two](mailto:a@example.com)\n\nthree",
  );
});

test("links in the headers of the answer count", async () => {
  const { readPdf } = await import("../../../../src/media/pdf/read-pdf.ts");
  const source = {
    url: "https://example.com/a.pdf",
    contentType: null,
    headers: [["link", '</a.html>; rel="canonical"']] as const,
  };
  const request = { agent: "a", scriptLinks: false, requisites: false, formats: null, obeyNoindex: false };
  const document = await readPdf(makePdf({ pages: [page()] }), source, request);
  expect(document.canonical).toBe("https://example.com/a.html");
});

/** A font whose letters from `a` on are these glyphs. */
const fontOf = (...glyphs: string[]) =>
  `<</Type/Font/Subtype/Type1/BaseFont/Times/Encoding<</Differences[97${glyphs.map((name) => `/${name}`).join("")}]>>>>`;

test("ligatures become letters", async () => {
  const content = "BT /F3 10 Tf 50 700 Td (abcd) Tj ET";
  const objects = [fontOf("o", "ffi", "c", "e")];
  expect(await markdownOf({ pages: [page(content)], fonts: "/F3 6 0 R", objects })).toBe("office");
});

test("a line from right to left is read from the right", async () => {
  // Shalom, as programs draw it: the last letter first.
  const font = fontOf("afii57677", "afii57669", "afii57676", "afii57689");
  const content = "BT /F3 10 Tf 200 700 Td (abcd) Tj 60 0 Td (abcd) Tj ET";
  const markdown = await markdownOf({ pages: [page(content)], fonts: "/F3 6 0 R", objects: [font] });
  expect(markdown).toBe("שלום שלום");
});

test.each([
  ["UniJIS-UCS2-H", "Japan1", "65e5672c8a9e", "日本語"],
  ["90ms-RKSJ-H", "Japan1", "93fa967b8cea", "日本語"],
  ["GBK-EUC-H", "GB1", "d6d0cec4", "中文"],
  ["ETen-B5-H", "CNS1", "a4a4a4e5", "中文"],
  ["KSCms-UHC-H", "Korea1", "c7d1b1db", "한글"],
])("text in the encoding %s is read without a font", async (encoding, ordering, text, expected) => {
  const system = `/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>`;
  const descriptor =
    "<</Type/FontDescriptor/FontName/Ming/Flags 4/FontBBox[0 0 1 1]/ItalicAngle 0/Ascent 1/Descent 0>>";
  const inner = `<</Type/Font/Subtype/CIDFontType0/BaseFont/Ming${system}/DW 1000/FontDescriptor 7 0 R>>`;
  const font = `<</Type/Font/Subtype/Type0/BaseFont/Ming/Encoding/${encoding}/DescendantFonts[${inner}]>>`;
  const content = `BT /F3 10 Tf 50 700 Td <${text}> Tj ET`;
  const markdown = await markdownOf({ pages: [page(content)], fonts: "/F3 6 0 R", objects: [font, descriptor] });
  expect(markdown).toBe(expected);
});

test("a scan says that it has no text, and a blank page among others does not", async () => {
  const text = page(textAt(50, 700, "Text"));
  const blank = page("");
  const scan = await read(makePdf({ pages: [blank, blank, text], info: "/Title(Scanned)" }));
  expect(scan.title).toBe("Scanned");
  expect(scan.content?.metadata.pageCount).toBe(3);
  expect(scan.leftOut.problem).toBe("2 of its 3 pages have no text, as scanned pages have");
  const book = await read(makePdf({ pages: [text, text, text, text, blank] }));
  expect(book.leftOut.problem).toBeNull();
});
