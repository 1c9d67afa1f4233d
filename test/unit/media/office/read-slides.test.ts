import { expect, test } from "vitest";
import { readOffice } from "../../../../src/media/office/read-office.ts";
import { makeOdf, makePptx, relations, slideXml } from "../../../documents/made-documents.ts";
import { readMade } from "../../../documents/read-made.ts";

const shape = (type: string, paragraphs: string, more = "") =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x">${more}</p:cNvPr><p:nvPr>${type === "" ? "" : `<p:ph type="${type}"/>`}</p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
const p = (text: string, properties = "", run = "") =>
  `<a:p><a:pPr ${properties}/><a:r><a:rPr>${run}</a:rPr><a:t>${text}</a:t></a:r></a:p>`;

test("PowerPoint: titles, lists, tables, notes and links in the order of the slides", async () => {
  const table = `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc><a:txBody>${p("A")}</a:txBody></a:tc><a:tc><a:txBody>${p("B")}</a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody>${p("1")}</a:txBody></a:tc><a:tc><a:txBody>${p("2")}</a:txBody></a:tc></a:tr></a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
  const picture = `<p:pic><p:nvPicPr><p:cNvPr id="3" name="p"><a:hlinkClick r:id="l2"/></p:cNvPr></p:nvPicPr></p:pic>`;
  const bytes = makePptx(
    [
      shape("title", p("Second")) +
        shape("body", p("a") + p("b", 'lvl="1"') + p("c", "", '<a:hlinkClick r:id="l1"/>')) +
        picture,
      shape("ctrTitle", p("First")) + shape("", p("plain")) + shape("sldNum", p("17")) + table,
    ],
    {
      "ppt/_rels/presentation.xml.rels": relations(
        ["s1", "slide", "slides/slide2.xml"],
        ["s2", "slide", "slides/slide1.xml"],
      ),
      "ppt/slides/_rels/slide1.xml.rels": relations(
        ["l1", "hyperlink", "https://l.test/", true],
        ["l2", "hyperlink", "/picture", true],
        ["n", "notesSlide", "../notesSlides/notes1.xml"],
      ),
      "ppt/notesSlides/notes1.xml": slideXml(
        shape("sldImg", p("no")) + shape("body", p("Say this")) + shape("sldNum", p("2")),
      ),
    },
  );
  const document = await readMade(readOffice, bytes);
  expect(document.content?.markdown).toBe(
    "## First\n\nplain\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n## Second\n\n- a\n  - b\n- [c](https://l.test/)\n\n> Say this",
  );
  expect(document.links.map(({ url }) => url)).toEqual(["https://l.test/", "https://example.com/picture"]);
  expect(document.content?.metadata).toMatchObject({ pageCount: 2, title: "The title" });
});

test("OpenDocument: slides with titles, lists and notes", async () => {
  const frame = (role: string, inside: string) =>
    `<draw:frame presentation:class="${role}"><draw:text-box>${inside}</draw:text-box></draw:frame>`;
  const body = `<draw:page>${frame("title", "<text:p>Title</text:p>")}${frame("outline", "<text:list><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list>")}${frame("page-number", "<text:p>9</text:p>")}<draw:custom-shape><text:p>shape</text:p></draw:custom-shape><presentation:notes>${frame("notes", "<text:p>Say this</text:p>")}</presentation:notes></draw:page><draw:page><draw:frame><draw:text-box><text:p>untitled</text:p></draw:text-box></draw:frame></draw:page>`;
  const document = await readMade(readOffice, makeOdf("presentation", body));
  expect(document.content?.markdown).toBe("## Title\n\n- a\n  - b\n\nshape\n\n> Say this\n\nuntitled");
  expect(document.content?.metadata.pageCount).toBe(2);
});
