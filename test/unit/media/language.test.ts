import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recognizeLanguage } from "../../../src/media/language.ts";
import { makeTextContent } from "../../../src/media/text/read-text.ts";
import { contentOf } from "./html/make-content.ts";

const DIRECTORY = join(import.meta.dirname, "../../content");
const read = (file: string) => readFileSync(join(DIRECTORY, file), "utf8");

/** The pages of test/content that name their language, which is not told to the code. */
const NAMED = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith(".html"))
  .map((file) => [file.slice(0, -5), /<html[^>]*\slang="?([a-z]+)/i.exec(read(file))?.[1]] as const)
  .filter(([name, language]) => language !== undefined && !name.startsWith("empty-"));

test("there are many pages to try it on", () => {
  expect(NAMED.length).toBeGreaterThan(20);
});

test.each(NAMED)("%s is in %s", (name, language) => {
  expect([language, null]).toContain(recognizeLanguage(read(`${name}.txt`)));
});

/** Pages that name no language. */
const UNNAMED: [string, string][] = [
  ["article-oldtable-ja", "ja"],
  ["documentation-handbook-ar", "ar"],
  ["documentation-handbook-de", "de"],
  ["documentation-handbook-ja", "ja"],
];

test.each(UNNAMED)("%s gets the language %s", (name, language) => {
  expect(/<html[^>]*\slang=/i.test(read(`${name}.html`))).toBe(false);
  expect(contentOf(read(`${name}.html`), []).metadata.language).toBe(language);
  expect(makeTextContent(read(`${name}.txt`), "text/plain", []).metadata.language).toBe(language);
});

test.each([
  ["nothing", ""],
  ["a few words", "The crawler reads every page of the site. ".repeat(10)],
  ["numbers", "12 34 ".repeat(300)],
  ["code", "if (a_1 != b[2]) { c = d->e(); } ".repeat(20)],
  ["addresses", "https://example.com/a/b ".repeat(300)],
])("%s is in no language", (_, text) => {
  expect(recognizeLanguage(text)).toBeNull();
});

test("a page keeps the language that it names", () => {
  const text = read("documentation-handbook-de.txt");
  expect(contentOf(`<html lang=de-AT><article><p>${text}</p></article>`, []).metadata.language).toBe("de-AT");
});
