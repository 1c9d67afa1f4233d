import { describe, expect, test } from "vitest";
import { learnMarks, learnTopic } from "../../../src/topic/course/learn-topic.ts";
import { readRelevance } from "../../../src/topic/course/read-relevance.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";
import { beginTopic, type TopicState } from "../../../src/topic/course/topic-state.ts";

const ABOUT_GC = {
  title: "Garbage collection",
  text:
    "Garbage collection frees memory that the program no longer reaches. A tracing collector marks objects from the " +
    "roots and sweeps the rest of the heap. Generational garbage collectors copy young objects. Garbage collection pauses.",
};
const ABOUT_HEAPS = {
  title: "Heaps and pauses",
  text:
    "A tracing collector marks objects from the roots and sweeps the heap. Generational collectors copy young objects " +
    "of the heap often, and the pauses of the collector depend on the roots and on live objects. Memory is reclaimed.",
};
const ABOUT_BREAD = {
  title: "Bread",
  text: "Mix flour with water and yeast, knead the dough, let it rise for two hours and bake it in a hot oven. The crust browns.",
};
const MENTIONS_GC = {
  title: "Bread",
  text: `${ABOUT_BREAD.text} ${ABOUT_BREAD.text} Put what is left with the garbage before its collection. ${ABOUT_BREAD.text}`,
};
const relevance = (state: TopicState, page: { title: string | null; text: string }) =>
  readRelevance(lensOf(state), page).relevance;

describe("0.5 means relevant", () => {
  test.each([
    ["for two words", "garbage collection", []],
    [
      "for a sentence",
      "garbage collection: how a collector marks and sweeps the heap of a program and frees memory",
      [],
    ],
    ["for examples alone", "", [ABOUT_GC.text, ABOUT_HEAPS.text]],
    ["for words and examples", "garbage collection", [ABOUT_GC.text, ABOUT_HEAPS.text]],
  ])("%s", (_, words, examples) => {
    const state = beginTopic({ words, examples });
    expect(relevance(state, ABOUT_GC)).toBeGreaterThanOrEqual(0.5);
    expect(relevance(state, ABOUT_BREAD)).toBeLessThan(0.1);
    expect(relevance(state, MENTIONS_GC)).toBeLessThan(examples.length === 0 ? 0.5 : 0.65);
  });

  test.each([
    [
      "数据库查询",
      "数据库查询优化：数据库系统执行查询之前，优化器为每个查询选择计划。数据库查询计划可以查看。",
      "烤面包需要面粉、水和酵母，揉面团以后放入烤箱烘烤两个小时。",
    ],
    [
      "画像編集",
      "画像編集ソフトでレイヤーを使って画像を編集します。画像編集の基本を説明します。",
      "パンを焼くには小麦粉と水と酵母をよくこねてオーブンで焼きます。",
    ],
  ])("for %s, without spaces", (words, about, other) => {
    const state = beginTopic({ words, examples: [] });
    expect(relevance(state, { title: null, text: about })).toBeGreaterThanOrEqual(0.5);
    expect(relevance(state, { title: null, text: other })).toBeLessThan(0.2);
  });
});

test("without any word and example nothing is relevant", () => {
  expect(relevance(beginTopic({ words: " the … ", examples: ["", "12"] }), ABOUT_GC)).toBe(0);
});

test("a text that is stuffed with the words is not relevant", () => {
  const words = ABOUT_BREAD.text
    .split(" ")
    .flatMap((word, i) => (i % 2 === 0 ? [word, "garbage", "collection"] : [word]));
  const stuffed = { title: "Garbage collection", text: [...words, ...words, ...words].join(" ") };
  expect(relevance(beginTopic({ words: "garbage collection", examples: [] }), stuffed)).toBeLessThan(0.5);
});

test("an empty page is not relevant", () => {
  const state = beginTopic({ words: "garbage collection", examples: [ABOUT_GC.text] });
  expect(relevance(state, { title: null, text: "" })).toBe(0);
});

test("the profile grows by the best pages, so that a page of other words becomes relevant", () => {
  const begun = beginTopic({ words: "garbage collection", examples: [] });
  const { relevance: found, sample } = readRelevance(lensOf(begun), ABOUT_GC);
  const other = readRelevance(lensOf(begun), ABOUT_BREAD);
  const lesson = { host: "a.example", found: null };
  const learned = Array.from({ length: 10 }).reduce<TopicState>(
    (state, _, i) =>
      learnTopic(state, [
        { ...lesson, url: `https://a.example/${i}`, relevance: found, sample },
        { ...lesson, url: `https://a.example/bread-${i}`, ...other },
      ]),
    begun,
  );
  expect(relevance(learned, ABOUT_HEAPS)).toBeGreaterThan(relevance(begun, ABOUT_HEAPS) + 0.1);
  expect(relevance(learned, ABOUT_BREAD)).toBeLessThan(0.1);
});

test("marks of people move what is like the marked pages", () => {
  const begun = beginTopic({ words: "garbage collection", examples: [] });
  const { sample } = readRelevance(lensOf(begun), ABOUT_HEAPS);
  const right = learnMarks(begun, [{ url: "https://a.example/", isRelevant: true, sample }]);
  expect(relevance(right, ABOUT_HEAPS)).toBeGreaterThan(relevance(begun, ABOUT_HEAPS));
  const wrong = learnMarks(right, [{ url: "https://a.example/", isRelevant: false, sample }]);
  expect(relevance(wrong, ABOUT_HEAPS)).toBeLessThan(relevance(right, ABOUT_HEAPS));
});
