import { expect, test } from "vitest";
import { readOffice } from "../../../../src/media/office/read-office.ts";
import { makeOdf } from "../../../documents/made-documents.ts";
import { markdownOf, readMade } from "../../../documents/read-made.ts";

const STYLES = `<style:style style:name="T1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style><style:style style:name="T2" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="Preformatted_20_Text" style:display-name="Preformatted Text" style:family="paragraph"/><style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/><style:style style:name="P2" style:family="paragraph" style:parent-style-name="Title"/><style:style style:name="Title" style:family="paragraph" style:parent-style-name="P2"/><text:list-style style:name="L1"><text:list-level-style-bullet text:level="1"/><text:list-level-style-number text:level="2" style:num-format="1"/></text:list-style>`;
const list = (items: string) => `<text:list text:style-name="L1">${items}</text:list>`;
const item = (text: string, more = "") => `<text:list-item><text:p>${text}</text:p>${more}</text:list-item>`;

test.each([
  ["headings and paragraphs", '<text:h text:outline-level="2">Head</text:h><text:p>Text</text:p>', "## Head\n\nText"],
  ["a title, whose style names itself", '<text:p text:style-name="P2">Name</text:p>', "# Name"],
  [
    "spaces, tabs and line breaks",
    '<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>',
    "a b c\\\nd",
  ],
  [
    "bold and hidden text",
    '<text:p>a<text:span text:style-name="T1"> b <text:span>c</text:span></text:span><text:span text:style-name="T2">no</text:span></text:p>',
    "a **b c**",
  ],
  [
    "a nested list",
    list(item("a", `<text:list>${item("b")}${item("c")}</text:list>`) + item("d")),
    "- a\n  1. b\n  2. c\n- d",
  ],
  ["an item of two paragraphs", list(item("a", "<text:p>more</text:p>") + item("b")), "- a\n\n  more\n- b"],
  [
    "code",
    '<text:p text:style-name="P1">if  x</text:p><text:p text:style-name="P1"/><text:p text:style-name="P1"><text:s text:c="2"/>y</text:p>',
    "```\nif  x\n\n  y\n```",
  ],
  [
    "a text box in a paragraph",
    "<text:p>out<draw:frame><draw:text-box><text:p>in</text:p></draw:text-box></draw:frame> side</text:p>",
    "out side\n\nin",
  ],
  [
    "comments, deleted text and how an index is made",
    "<text:tracked-changes><text:p>old</text:p></text:tracked-changes><text:table-of-content><text:table-of-content-source><text:index-title-template>no</text:index-title-template></text:table-of-content-source><text:index-body><text:p>Entry</text:p></text:index-body></text:table-of-content><text:p>a<office:annotation><text:p>comment</text:p></office:annotation>b</text:p>",
    "Entry\n\nab",
  ],
  [
    "a table",
    "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell/></table:table-row></table:table>",
    "| A | B |\n| --- | --- |\n| 1 | |",
  ],
])("OpenDocument: %s", async (_, body, expected) => {
  expect(await markdownOf(readOffice, makeOdf("text", body, STYLES))).toBe(expected);
});

test("OpenDocument: metadata, notes, ids and links", async () => {
  const body = `<text:p><text:bookmark text:name="place"/>Text<text:note text:id="ftn1"><text:note-citation>1</text:note-citation><text:note-body><text:p>The note.</text:p></text:note-body></text:note> goes on <text:a xlink:href="../other">there</text:a> <text:a xlink:href="#place">up</text:a></text:p>`;
  const document = await readMade(readOffice, makeOdf("text", body));
  expect(document).toMatchObject({ type: "application/vnd.oasis.opendocument.text", title: "The title" });
  expect(document.content?.metadata).toMatchObject({
    author: "Ada",
    keywords: ["one"],
    publishedAt: "2024-03-05T10:00:00",
    pageCount: 7,
  });
  expect(document.content?.text).toBe("Text1 goes on there up\nThe note.");
  expect(document.links.map(({ url, text }) => [url, text])).toEqual([["https://example.com/other", "there"]]);
  expect(document.pageLinks.map(({ fragment }) => fragment)).toEqual(["note-1", null, "place"]);
  expect(document.ids).toHaveLength(2);
});
