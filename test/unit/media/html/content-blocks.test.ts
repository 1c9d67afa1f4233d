import { expect, test } from "vitest";
import { cutBlocks } from "../../../../src/media/html/article/content-blocks.ts";
import { copyDocument, putBackHidden } from "../../../../src/media/html/tree/copy-document.ts";
import { parseHtml } from "../../../../src/media/html/tree/linkedom.ts";

/** How a page is cut into blocks and regions. */

function blocksOf(html: string) {
  const page = copyDocument(parseHtml(html));
  putBackHidden(page);
  return cutBlocks(page.body, new Set(page.hidden.map(({ element }) => element)));
}

const textsOf = (html: string) =>
  blocksOf(html).blocks.map(({ texts }) => texts.map(({ data }) => data.trim()).join("|"));

test.each([
  ["text beside a block", "<div>a<p>b</p>c</div>", ["a", "b", "c"]],
  ["inline elements", "<p>a <b>b</b> <a href=/>c</a></p>", ["a|b|c"]],
  ["cells", "<table><tr><td>a<td>b</table>", ["a", "b"]],
  [
    "what scripts show",
    "<p>a</p><div style='display:none'>b<p>c</p></div><p hidden>d</p><p>e</p>",
    ["a", "b", "c", "d", "e"],
  ],
  ["what stands there without scripts", "<p>a</p><noscript><p>b</p></noscript><p>c</p>", ["a", "b", "c"]],
  ["not a word that is hidden in a line", "<p>a <span style='display:none'>b</span> c</p>", ["a  c"]],
  ["not what is hidden from everybody", "<p>a</p><div aria-hidden=true>b</div><template>c</template>", ["a"]],
])("%s", (_, html, texts) => {
  expect(textsOf(html)).toEqual(texts);
});

test("hidden blocks are known, and stand in their places", () => {
  const { blocks } = blocksOf("<p>a</p><div hidden><p>b</p></div><div style='display: none'>c</div><p>d</p>");
  expect(blocks.map(({ start, isHidden }) => [start, isHidden])).toEqual([
    ["a", false],
    ["b", true],
    ["c", true],
    ["d", false],
  ]);
});

test("a region counts what is in it, and siblings of its make", () => {
  const item = "<li class=x><h3>Name</h3><a href=/>linked</a> text <img src=/a.png><button>Go</button></li>";
  const { regions } = blocksOf(`<body><ul>${item}${item}${item}</ul><p>${"long prose, ".repeat(10)}</p>`);
  const [body, list, first] = regions;
  expect(list).toMatchObject({ blocks: 6, headings: 3, images: 3, controls: 3, linkCharacters: 18, parent: 0 });
  expect(first).toMatchObject({ alike: 3, blocks: 2, firstBlock: 0, depth: 2 });
  expect(body).toMatchObject({ blocks: 7, parent: -1, depth: 0, alike: 1 });
  expect(body?.proseCharacters).toBe("long prose, ".repeat(10).trim().length);
});
