import { expect, test } from "vitest";
import { learnTopic, type PageLesson } from "../../../src/topic/course/learn-topic.ts";
import { readRelevance } from "../../../src/topic/course/read-relevance.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";
import { beginTopic } from "../../../src/topic/course/topic-state.ts";
import { bestHosts, subjectTerms } from "../../../src/topic/course/topic-views.ts";

test("the best hosts are those whose pages are relevant, and the terms those of the words and of the best pages", () => {
  const state = beginTopic({ words: "garbage collection", examples: [] });
  const page = { title: null, text: "Garbage collection marks the heap. Garbage collection sweeps the heap." };
  const { sample } = readRelevance(lensOf(state), page);
  const lesson = (host: string, relevance: number): PageLesson => ({
    url: `https://${host}/`,
    host,
    relevance,
    sample,
    found: null,
  });
  const learned = learnTopic(state, [
    lesson("poor.example", 0.1),
    lesson("poor.example", 0.2),
    lesson("rich.example", 0.9),
    lesson("rich.example", 0.6),
    lesson("one.example", 0.7),
  ]);
  expect(bestHosts(learned, 2)).toEqual([
    { host: "rich.example", pages: 2, relevance: 0.75 },
    { host: "one.example", pages: 1, relevance: 0.7 },
  ]);
  const terms = subjectTerms(learned, 4).map(({ term }) => term);
  expect(terms.slice(0, 2).toSorted()).toEqual(["collection", "garbage"]);
  expect(terms).toContain("heap");
  expect(subjectTerms(state, 10).map(({ term }) => term)).toEqual(["garbage", "collection"]);
});
