import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import type { ContentElement } from "../../../../src/media/html/article/content-tree.ts";
import { holdsContent, isFurniture } from "../../../../src/media/html/article/own-content.ts";

const LINK = '<a href="/x">A headline of another article, as long as a line of a paragraph is. </a>';
const WORDS = "Words outside links that stand in a paragraph of their own, as long as prose has to be. ";

test.each([
  ["a long block of one link", `<p>${LINK}</p>`, "furniture"],
  ["a long block of links with a word beside each", `<p>New: ${LINK} Old: ${LINK}</p>`, "furniture"],
  ["a long block of Chinese links", `<p>${LINK.replace("A headline", "新闻标题".repeat(20))}</p>`, "furniture"],
  ["a paragraph with a link", `<p>${WORDS}${WORDS}${LINK}</p>`, "content"],
  ["a paragraph after a block of links", `<p>${LINK}${LINK}</p><p>${WORDS}</p>`, "content"],
])("%s is %s", (_, html, expected) => {
  const { document } = parseHTML(`<html><body><div>${html}</div></body></html>`);
  const element = document.querySelector("div") as unknown as ContentElement;
  const found = { content: holdsContent(element), furniture: isFurniture(element) };
  expect(found).toEqual({ content: expected === "content", furniture: expected === "furniture" });
});
