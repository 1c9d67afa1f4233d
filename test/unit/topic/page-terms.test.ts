import fc from "fast-check";
import { expect, test } from "vitest";
import { countPageTerms } from "../../../src/topic/page-terms.ts";
import { DocumentFrequencies } from "../../../src/topic/weights/document-frequencies.ts";

const PAGE = { url: "https://docs.a.test/", title: null, text: "", anchors: [] };

test.each([
  ["https://docs.a.test/how-to/parseHTML.html", ["docs", "doc", "a", "how", "to", "parse", "html", "/how-to/"]],
  ["https://a.test/b/c/index.php?page=7", ["a", "b", "c", "index", "page", "7", "/b/", "/b/c/"]],
  ["https://a.test/%E4%B8%AD%E6%96%87", ["a", "中文"]],
  ["https://a.test/%zz", ["a", "zz"]],
])("the words of %s", (url, words) => {
  const found = countPageTerms({ ...PAGE, url }).url.map(([word]) => word);
  expect(found.toSorted()).toEqual(words.toSorted());
});

test("a short text keeps what a long one leaves out", () => {
  const { text, title, anchors } = countPageTerms({
    ...PAGE,
    title: "How to use git-add(1)",
    text: "You use it to add a file.",
    anchors: ["git-add(1)", "the command git-add"],
  });
  expect(text.map(([word]) => word)).not.toContain("to");
  expect(title.map(([word]) => word)).toEqual(expect.arrayContaining(["how", "to", "1"]));
  expect(anchors.slice(0, 2)).toEqual([
    ["git", 2],
    ["add", 2],
  ]);
});

test("a text of any length is counted to a bounded number of terms", () => {
  const text = Array.from({ length: 3_000 }, (_, i) => `word${i}`).join(" ");
  expect(countPageTerms({ ...PAGE, text }).text).toHaveLength(400);
});

test("anything can be a page", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: "binary" }), fc.array(fc.string()), (path, text, anchors) => {
      const page = countPageTerms({ url: `https://a.test/${path}`, title: text, text, anchors });
      expect(JSON.parse(JSON.stringify(page))).toEqual(page);
      for (const counts of Object.values(page)) for (const [, count] of counts) expect(count).toBeGreaterThan(0);
    }),
    { numRuns: 50 },
  );
});

test("frequencies that were stored go on where they were", () => {
  const one = countPageTerms({ ...PAGE, text: "spider web" });
  const other = countPageTerms({ ...PAGE, text: "spider" });
  const first = new DocumentFrequencies();
  first.add(one);
  const second = new DocumentFrequencies(first.counts, first.pages);
  second.add(other);
  expect([second.pages, second.of("text", "spider"), second.of("text", "web"), second.of("title", "web")]).toEqual([
    2, 2, 1, 0,
  ]);
  expect(second.weigh("text", "web")).toBeGreaterThan(second.weigh("text", "spider"));
});
