import { expect, test } from "vitest";
import { readOffice } from "../../../../src/media/office/read-office.ts";
import { markdownOf, readMade } from "../../../documents/read-made.ts";

const HEAD = String.raw`{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}{\f2\fcharset128 C;}}{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s3 Preformatted Text;}{\*\cs9 Strong;}}{\*\listtable{\list{\listlevel\levelnfc23}{\listlevel\levelnfc0}\listid7}}{\*\listoverridetable{\listoverride\listid7\ls1}}{\info{\title The {\b title}}{\author Ada}{\keywords one, two}{\creatim\yr2024\mo3\dy5\hr9}{\nofpages4}}`;
const rtf = (body: string) => Uint8Array.from(`${HEAD}${body}}`, (character) => character.charCodeAt(0));

test.each([
  ["paragraphs", String.raw`One\par Two\par`, "One\n\nTwo"],
  ["code pages of fonts", String.raw`caf\'e9 {\f1\'cf\'f0\'e8} {\f2\'93\'fa\'96\'7b}\par`, "café При 日本"],
  ["Unicode, with what older programs show", String.raw`\u8364?5 \uc2\u55357??\u56832??x\uc0\u228 y\par`, "€5 😀xäy"],
  ["characters with names", String.raw`a\emdash b\~c\_d\lquote e\rquote\par`, "a—b c‑d‘e’"],
  [
    "headings by style and outline",
    String.raw`\pard\s1 One\par\pard\s2 Two\par\pard\outlinelevel2 Three\par\pard Text\par`,
    "# One\n\n## Two\n\n### Three\n\nText",
  ],
  ["bold and italic", String.raw`a {\b b}{\i\b0  c} \b d\plain  e\par`, "a **b** _c_ **d** e"],
  [
    "lists",
    String.raw`\pard\ls1\ilvl0 {\listtext 1.\tab}a\par\pard\ls1\ilvl1 b\par\pard\ls1 c\par\pard d\par`,
    "- a\n  1. b\n- c\n\nd",
  ],
  ["code", String.raw`\pard\s3 if  x\par\pard\s3   y\par\pard z\par`, "```\nif  x\n  y\n```\n\nz"],
  [
    "a table",
    String.raw`\trowd\cellx1\cellx2\pard\intbl A\cell B\cell\row\trowd\pard\intbl 1\cell\cell\row\pard after\par`,
    "|  |  |\n| --- | --- |\n| A | B |\n| 1 | |\n\nafter",
  ],
  [
    "a link",
    String.raw`x {\field{\*\fldinst HYPERLINK "other?a=1"}{\fldrslt {\ul there}}} y\par`,
    "x [there](https://example.com/docs/other?a=1) y",
  ],
  [
    "what holds no text",
    String.raw`a{\pict\pngblip 89504e47}{\header no}{\*\unknown no}{\*\generator no;}{\v hidden}{\annotation no}b\par`,
    "ab",
  ],
  ["bytes of a picture", "a{\\pict\\bin5 }}{{\\}b\\par", "ab"],
  ["a text box", String.raw`out{\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt \pard in\par}}}\par`, "out\n\nin"],
  ["a group that is written twice", String.raw`{\upr{a?}{\*\ud{a\u228 ?}}}b\par`, "b"],
])("RTF: %s", async (_, body, expected) => {
  expect(await markdownOf(readOffice, rtf(body))).toBe(expected);
});

test("RTF: metadata, notes, ids and links", async () => {
  const document = await readMade(
    readOffice,
    rtf(
      String.raw`{\*\bkmkstart place}{\*\bkmkend place}Text{\super\chftn}{\footnote\pard The note.} goes on {\field{\*\fldinst{HYPERLINK \\l "place"}}{\fldrslt up}}\par`,
    ),
  );
  expect(document).toMatchObject({ type: "application/rtf", title: "The title", leftOut: { problem: null } });
  expect(document.content?.metadata).toMatchObject({
    author: "Ada",
    keywords: ["one", "two"],
    publishedAt: "2024-03-05",
    pageCount: 4,
  });
  expect(document.content?.text).toBe("Text1 goes on up\nThe note.");
  expect(document.pageLinks.map(({ fragment }) => fragment)).toEqual(["note-1", "place"]);
});

test("RTF: a file that breaks off keeps its text, and says so", async () => {
  const document = await readMade(readOffice, rtf(String.raw`One\par Two {\b th`).slice(0, -1));
  expect(document.content?.text).toBe("One\nTwo th");
  expect(document.leftOut.problem).toBe("it breaks off before its end");
});
