import { expect, test } from "vitest";
import { readExampleLines } from "../../../src/cli/flags/example-file.ts";

test.each([
  ["howto https://a.test/x", "howto", "https://a.test/x"],
  ["howto\thttps://a.test/x,y", "howto", "https://a.test/x,y"],
  ["howto,https://a.test/x,y", "howto", "https://a.test/x,y"],
  ["how to https://a.test/x", "how to", "https://a.test/x"],
  ["how to, https://a.test/x", "how to", "https://a.test/x"],
  ['"a, b",https://a.test/', "a, b", "https://a.test/"],
  ['"say ""hi""","https://a.test/"', 'say "hi"', "https://a.test/"],
  ["news a.test/b", "news", "https://a.test/b"],
  ["news localhost:8080/b", "news", "http://localhost:8080/b"],
  ["\ufeffnews,http://a.test/\r", "news", "http://a.test/"],
  ["教程 https://a.test/中", "教程", "https://a.test/中"],
])("%j is an example", (line, label, url) => {
  expect(readExampleLines(line)).toEqual({ examples: [{ label, url }], badLines: [] });
});

test("empty lines, comments and a head are left out, and other lines are named", () => {
  const text = "label,url\n# mine\n\nhowto https://a.test/\nhttps://a.test/\nhowto\nhowto nothing\n,https://a.test/\n";
  expect(readExampleLines(text)).toEqual({
    examples: [{ label: "howto", url: "https://a.test/" }],
    badLines: [5, 6, 7, 8],
  });
});
