import { expect, test } from "vitest";
import {
  beginLearning,
  forgetRecent,
  type LearnedTopic,
  learnBatch,
  learnMarked,
  maxExampleText,
  type TopicLessons,
} from "../../../src/crawl/subject/learned-topic.ts";
import { readRelevance } from "../../../src/topic/course/read-relevance.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";

const SUBJECT = { topic: "", like: ["https://a.test/1", "https://a.test/2"], likeTexts: [] };
const NOTHING: TopicLessons = { pages: [], examples: [], waiting: new Map() };
const OTTERS = "Otters swim in rivers at dusk, and rest on the banks between two long hunts for fish. ".repeat(9);
const BEAVERS = "Beavers fell young trees in autumn, and build dams with branches, mud and stones. ".repeat(9);

const relevanceOf = ({ state }: LearnedTopic, text: string) =>
  readRelevance(lensOf(state), { title: null, text }).relevance;
const read = (known: LearnedTopic, url: string, text: string | null) =>
  learnBatch(known, { ...NOTHING, examples: [{ url, text }] }, SUBJECT);

test("nothing to learn changes nothing", () => {
  const known = beginLearning(SUBJECT);
  expect(learnBatch(known, NOTHING, SUBJECT)).toBe(known);
});

test("the subject is made of all examples, in either order, and their texts are forgotten then", () => {
  const begun = beginLearning(SUBJECT);
  const first = read(begun, "https://a.test/1", OTTERS);
  expect(first.openExamples).toEqual(["https://a.test/2"]);
  const both = read(first, "https://a.test/2", BEAVERS);
  const turned = read(read(begun, "https://a.test/2", BEAVERS), "https://a.test/1", OTTERS);
  for (const known of [both, turned]) {
    expect(known).toMatchObject({ openExamples: [], exampleTexts: [] });
    expect(relevanceOf(known, OTTERS)).toBeGreaterThan(0.5);
    expect(relevanceOf(known, BEAVERS)).toBeGreaterThan(0.5);
    expect(relevanceOf(known, "Invoices are paid by companies in August. ".repeat(20))).toBeLessThan(0.5);
  }
});

test("an example that comes twice, or could not be read, counts once or not at all", () => {
  const begun = beginLearning(SUBJECT);
  const first = read(begun, "https://a.test/1", OTTERS);
  expect(read(first, "https://a.test/1", BEAVERS).exampleTexts).toEqual([OTTERS]);
  const failed = read(begun, "https://a.test/1", null);
  expect(failed).toMatchObject({ openExamples: ["https://a.test/2"], exampleTexts: [] });
  expect(failed.state).toBe(begun.state);
});

test("texts in the request begin the subject, and examples join them", () => {
  const subject = { ...SUBJECT, likeTexts: [BEAVERS] };
  const begun = beginLearning(subject);
  expect(relevanceOf(begun, BEAVERS)).toBeGreaterThan(0.5);
  const joined = learnBatch(begun, { ...NOTHING, examples: [{ url: "https://a.test/1", text: OTTERS }] }, subject);
  expect(relevanceOf(joined, BEAVERS)).toBeGreaterThan(0.5);
  expect(relevanceOf(joined, OTTERS)).toBeGreaterThan(0.5);
});

test("a mark is learned once, and another label moves the number on", () => {
  const begun = beginLearning({ topic: "otters", like: [], likeTexts: [] });
  const { sample } = readRelevance(lensOf(begun.state), { title: null, text: BEAVERS });
  const marked = learnMarked(begun, [{ url: "https://a.test/b", isRelevant: true, sample }], 3);
  expect(marked.marked).toBe(3);
  expect(relevanceOf(marked, BEAVERS)).toBeGreaterThan(relevanceOf(begun, BEAVERS));
  expect(learnMarked(marked, [{ url: "https://a.test/b", isRelevant: true, sample }], 3)).toBe(marked);
  expect(learnMarked(marked, [], 5)).toEqual({ ...marked, marked: 5 });
});

test("the last pages are forgotten, and nothing else", () => {
  const begun = beginLearning({ topic: "otters", like: [], likeTexts: [] });
  const { sample, relevance } = readRelevance(lensOf(begun.state), { title: null, text: OTTERS });
  const page = { url: "https://a.test/", host: "a.test", relevance, sample, found: null };
  const taught = learnBatch(begun, { ...NOTHING, pages: [page] }, SUBJECT);
  const forgotten = forgetRecent(taught);
  expect(forgotten.state).toEqual({ ...taught.state, recent: [] });
  expect(forgetRecent(forgotten)).toBe(forgotten);
});

test.each([
  [0, 60_000],
  [1, 60_000],
  [20, 3_000],
])("with %i examples, each has %i characters", (count, most) => {
  expect(maxExampleText({ like: Array<string>(count).fill("https://a.test/") })).toBe(most);
});
