import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contentOf } from "./make-content.ts";
import { wordOverlap } from "./word-overlap.ts";

/** The pages of test/content and what a person would call their content. */

const DIRECTORY = join(import.meta.dirname, "../../../content");
/** What each page of a kind must reach at the least: the F1 of its words, and how many of the expected are there. */
const LEAST = {
  article: { f1: 0.95, recall: 0.95 },
  documentation: { f1: 0.95, recall: 0.95 },
  listing: { f1: 0.85, recall: 0.9 },
  forum: { f1: 0.85, recall: 0.9 },
  table: { f1: 0.85, recall: 0.9 },
  empty: { f1: 0.7, recall: 0.9 },
};
const LEAST_MEAN = 0.95;

type Kind = keyof typeof LEAST;

const PAGES = readdirSync(DIRECTORY)
  .filter((name) => name.endsWith(".html"))
  .map((name) => name.slice(0, -5));
const kindOf = (name: string) => name.split("-")[0] as Kind;
const read = (file: string) => readFileSync(join(DIRECTORY, file), "utf8");
const overlap = (name: string) =>
  wordOverlap(contentOf(read(`${name}.html`), ["text"]).text ?? "", read(`${name}.txt`));

test("there are at least six pages of each kind", () => {
  for (const kind of Object.keys(LEAST))
    expect(PAGES.filter((name) => kindOf(name) === kind).length).toBeGreaterThan(5);
});

describe("each page", () => {
  test.each(PAGES)("%s", (name) => {
    const { f1, recall } = overlap(name);
    expect({ f1, recall }).toSatisfy(() => f1 >= LEAST[kindOf(name)].f1 && recall >= LEAST[kindOf(name)].recall);
    const { html, markdown } = contentOf(read(`${name}.html`));
    expect(html).not.toBe("");
    expect(markdown).not.toBe("");
  });
});

test("all pages together", () => {
  const all = PAGES.map((name) => overlap(name).f1);
  expect(all.reduce((sum, f1) => sum + f1, 0) / all.length).toBeGreaterThan(LEAST_MEAN);
});
