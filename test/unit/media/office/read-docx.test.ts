import { expect, test } from "vitest";
import { readOffice } from "../../../../src/media/office/read-office.ts";
import { makeDocx, relations } from "../../../documents/made-documents.ts";
import { markdownOf, readMade } from "../../../documents/read-made.ts";

const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const p = (text: string, properties = "", run = "") =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r>${run === "" ? "" : `<w:rPr>${run}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const item = (text: string, level: number, list: number) =>
  p(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`);
const STYLES = `<w:styles xmlns:w="${W}"><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift1"/></w:style><w:style w:type="paragraph" w:styleId="Ring"><w:name w:val="Ring"/><w:basedOn w:val="Ring2"/></w:style><w:style w:type="paragraph" w:styleId="Ring2"><w:name w:val="Ring2"/><w:basedOn w:val="Ring"/></w:style><w:style w:type="paragraph" w:styleId="Code"><w:name w:val="HTML Preformatted"/></w:style><w:style w:type="paragraph" w:styleId="Q"><w:name w:val="Quote"/></w:style></w:styles>`;
const NUMBERING = `<w:numbering xmlns:w="${W}"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num></w:numbering>`;
const NOTES = `<w:footnotes xmlns:w="${W}"><w:footnote w:id="0" w:type="separator"><w:p><w:r><w:t>no note</w:t></w:r></w:p></w:footnote><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/><w:t>The note.</w:t></w:r></w:p></w:footnote></w:footnotes>`;
const PARTS = {
  "word/styles.xml": STYLES,
  "word/numbering.xml": NUMBERING,
  "word/footnotes.xml": NOTES,
  "word/_rels/document.xml.rels": relations(
    ["r1", "styles", "styles.xml"],
    ["r2", "numbering", "numbering.xml"],
    ["r3", "footnotes", "footnotes.xml"],
    ["l1", "hyperlink", "other.html?a=1&amp;b=2", true],
  ),
};
const read = (body: string) => markdownOf(readOffice, makeDocx(body, PARTS));

test.each([
  ["paragraphs", p("One") + p("Two"), "One\n\nTwo"],
  ["escaped text", p("a &lt;b&gt; &amp; c"), "a \\<b> & c"],
  ["a heading by its style, in another language", p("Über", '<w:pStyle w:val="berschrift1"/>'), "# Über"],
  ["a heading by the style that its style is based on", p("Sub", '<w:pStyle w:val="Own"/>'), "# Sub"],
  ["a heading by its outline level", p("Level", '<w:outlineLvl w:val="2"/>'), "### Level"],
  ["styles in a circle", p("Text", '<w:pStyle w:val="Ring"/>'), "Text"],
  ["bold and italic", p("strong", "", "<w:b/><w:i/>") + p("not", "", '<w:b w:val="0"/>'), "**_strong_**\n\nnot"],
  [
    "hidden text",
    `<w:p><w:r><w:t>seen</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t> hidden</w:t></w:r></w:p>`,
    "seen",
  ],
  [
    "deleted text",
    `<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>`,
    "new",
  ],
  ["a nested list", item("a", 0, 1) + item("b", 1, 1) + item("c", 0, 1), "- a\n  1. b\n- c"],
  ["another list", item("a", 0, 1) + item("b", 0, 2), "- a\n\n1. b"],
  ["a level that jumps", item("a", 0, 1) + item("b", 5, 1), "- a\n  - b"],
  [
    "lines of code",
    p("int  x;", '<w:pStyle w:val="Code"/>') + p("y();", '<w:pStyle w:val="Code"/>'),
    "```\nint  x;\ny();\n```",
  ],
  ["a quote", p("said", '<w:pStyle w:val="Q"/>'), "> said"],
  ["a line break", `<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r></w:p>`, "a\\\nb"],
  [
    "a table",
    `<w:tbl><w:tr><w:trPr><w:tblHeader/></w:trPr><w:tc>${p("A")}</w:tc><w:tc>${p("B")}</w:tc></w:tr><w:tr><w:tc>${p("1")}</w:tc><w:tc>${p("2")}</w:tc></w:tr></w:tbl>`,
    "| A | B |\n| --- | --- |\n| 1 | 2 |",
  ],
  [
    "a text box, once",
    `<w:p><w:r><w:t>out</w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent>${p("in")}</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>${p("in")}</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
    "out\n\nin",
  ],
  [
    "a link",
    `<w:p><w:hyperlink r:id="l1"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>`,
    "[there](https://example.com/docs/other.html?a=1&b=2)",
  ],
  [
    "a link in a field",
    `<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText> HYPERLINK "https://a.test/x" \\l "p" </w:instrText><w:fldChar w:fldCharType="separate"/><w:t>field</w:t><w:fldChar w:fldCharType="end"/><w:t> after</w:t></w:r></w:p>`,
    "[field](https://a.test/x#p) after",
  ],
])("Word: %s", async (_, body, expected) => {
  expect(await read(body)).toBe(expected);
});

test("Word: metadata, ids, notes and links", async () => {
  const body = `<w:p><w:bookmarkStart w:id="0" w:name="place"/><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/></w:r><w:hyperlink w:anchor="place"><w:r><w:t>up</w:t></w:r></w:hyperlink><w:hyperlink r:id="l1"><w:r><w:t>there</w:t></w:r></w:hyperlink></w:p>`;
  const document = await readMade(readOffice, makeDocx(body, PARTS));
  expect(document).toMatchObject({
    type: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    title: "The title",
    language: "en-GB",
    description: "About it",
    leftOut: { truncated: null, problem: null },
  });
  expect(document.content?.metadata).toMatchObject({
    author: "Ada",
    keywords: ["one", "two"],
    publishedAt: "2024-03-05T10:00:00Z",
    modifiedAt: "2024-04-06T11:00:00Z",
  });
  expect(document.links).toEqual([
    {
      url: "https://example.com/docs/other.html?a=1&b=2",
      kind: "a",
      nofollow: false,
      rel: "",
      text: "there",
      place: "content",
    },
  ]);
  expect(document.pageLinks.map(({ fragment, text }) => [fragment, text])).toEqual([
    ["footnote-2", "1"],
    ["place", "up"],
    [null, "there"],
  ]);
  expect(document.ids).toHaveLength(2);
  expect(document.content?.text).toContain("The note.");
  expect(document.content?.text).not.toContain("no note");
});

test("Word: prefixes of its own", async () => {
  const bytes = makeDocx("", {
    "word/document.xml": `<ns0:document xmlns:ns0="${W}"><ns0:body><ns0:p><ns0:r><ns0:t>Text</ns0:t></ns0:r></ns0:p></ns0:body></ns0:document>`,
  });
  expect(await markdownOf(readOffice, bytes)).toBe("Text");
});

test("Word: parts in UTF-16", async () => {
  const xml = `<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="${W}"><w:body>${p("Ünïcode")}</w:body></w:document>`;
  const utf16 = new Uint8Array([0xff, 0xfe, ...new Uint8Array(Uint16Array.from(xml, (c) => c.charCodeAt(0)).buffer)]);
  expect(await markdownOf(readOffice, makeDocx("", { "word/document.xml": utf16 }))).toBe("Ünïcode");
});
