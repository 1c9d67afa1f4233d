import fc from "fast-check";
import { expect, test } from "vitest";
import { DocumentWriter } from "../../../../src/media/html/tree/document-writer.ts";

const written = (write: (writer: DocumentWriter) => void) => {
  const writer = new DocumentWriter();
  write(writer);
  return writer.finish();
};
const item = (writer: DocumentWriter, text: string, level: number, more = {}) => {
  writer.startBlock({ list: { level, isOrdered: false, ...more } });
  writer.text(text);
};

test.each<[string, (writer: DocumentWriter) => void, string]>([
  ["text without a block", (w) => w.text("a<b>"), "<p>a&lt;b&gt;</p>"],
  [
    "blocks without text",
    (w) => {
      w.startBlock({ heading: 1 });
      w.startBlock({});
      w.text("  ");
      w.endBlock();
    },
    "",
  ],
  [
    "links that follow one another",
    (w) => {
      w.startLink("a");
      w.text("1");
      w.endLink();
      w.startLink("a");
      w.text("2", { isBold: true });
      w.endLink();
    },
    '<p><a href="a">1</a><a href="a"><b>2</b></a></p>',
  ],
  [
    "a link without text, and what would end its attribute",
    (w) => {
      w.startLink('"><script>');
      w.endLink();
    },
    '<p><a href="&quot;&gt;&lt;script&gt;"></a></p>',
  ],
  [
    "a link that goes on beside bold text",
    (w) => {
      w.startLink("a");
      w.text("1");
      w.text("2", { isBold: true });
    },
    '<p><a href="a">1<b>2</b></a></p>',
  ],
  [
    "lists that go back, and items of two paragraphs",
    (w) => {
      item(w, "a", 0);
      item(w, "b", 1);
      item(w, "c", 2, { isOrdered: true });
      item(w, "d", 0);
      item(w, "e", 0, { isContinued: true });
      item(w, "f", 0);
    },
    "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li><li>d<p>e</p></li><li>f</li></ul>",
  ],
  [
    "a table in a cell, with a list",
    (w) => {
      w.startTable();
      w.startRow();
      w.startCell({ span: 2 });
      w.text("a");
      w.startTable();
      w.startRow();
      w.startCell({ isHeader: true });
      item(w, "b", 0);
      w.endCell();
      w.endRow();
      w.endTable();
      w.endCell();
      w.endRow();
      w.endTable();
    },
    '<table><tr><td colspan="2">a<table><tr><th><ul><li>b</li></ul></th></tr></table></td></tr></table>',
  ],
  [
    "what floats stands after the paragraph, and notes at the end",
    (w) => {
      w.text("a");
      w.startFloat();
      w.text("box");
      w.endFloat();
      w.noteReference("n", "1");
      w.startNote();
      w.text("note");
      w.endNote("n");
      w.text("b");
    },
    '<p>a<sup><a href="#n">1</a></sup>b</p><p>box</p><hr><ol><li id="n"><p>note</p></li></ol>',
  ],
  [
    "ids stand before the next text, or at the end",
    (w) => {
      w.anchor("a");
      w.startBlock({ heading: 2 });
      w.text("b");
      w.anchor("c");
    },
    '<h2><a id="a"></a>b</h2><a id="c"></a>',
  ],
  [
    "what is left open",
    (w) => [w.startTable(), w.startRow(), w.startCell(), w.text("a"), w.startFloat(), w.text("b")],
    "<table><tr><td>a<p>b</p></td></tr></table>",
  ],
])("%s", (_, write, expected) => {
  expect(written(write)).toBe(expected);
});

const CALLS: readonly ((writer: DocumentWriter) => void)[] = [
  (w) => w.startBlock({}),
  (w) => w.startBlock({ isCode: true }),
  (w) => item(w, "i", 1),
  (w) => item(w, "j", 0, { isContinued: true }),
  (w) => w.endBlock(),
  (w) => w.text("t", { isItalic: true }),
  (w) => w.lineBreak(),
  (w) => w.startLink("l"),
  (w) => w.endLink(),
  (w) => w.anchor("a"),
  (w) => w.startTable(),
  (w) => w.startRow(),
  (w) => w.startCell(),
  (w) => w.endCell(),
  (w) => w.endRow(),
  (w) => w.endTable(),
  (w) => w.rule(),
  (w) => w.startQuote(),
  (w) => w.endQuote(),
  (w) => w.startFloat(),
  (w) => w.endFloat(),
  (w) => w.noteReference("n", "1"),
  (w) => w.startNote(),
  (w) => w.endNote("n"),
];

test("whatever a reader calls, every tag that is opened is closed, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...CALLS), { maxLength: 60 }), (calls) => {
      const html = written((writer) => {
        for (const call of calls) call(writer);
      });
      const open: string[] = [];
      for (const [, end, name = ""] of html.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
        if (end === "/") expect(open.pop()).toBe(name);
        else if (name !== "br" && name !== "hr") open.push(name);
      }
      expect(open).toEqual([]);
    }),
  );
});

test("beyond a limit nothing is written, and that is said", () => {
  const writer = new DocumentWriter();
  writer.text("x".repeat(3_999_999));
  expect(writer.truncated).toBeNull();
  writer.text("yz");
  writer.text("more");
  expect([writer.isFull, writer.truncated]).toEqual([true, "cut after 4,000,000 characters"]);
  expect(writer.finish()).toHaveLength(3_999_999 + "<p></p>".length);
});
