import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExhausted } from "../../../src/topic/course/is-exhausted.ts";
import { learnTopic, type PageLesson } from "../../../src/topic/course/learn-topic.ts";
import { readRelevance } from "../../../src/topic/course/read-relevance.ts";
import { scoreLinkText } from "../../../src/topic/course/score-link.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";
import { beginTopic, type TopicState } from "../../../src/topic/course/topic-state.ts";

const SAMPLE = { terms: [], seen: "", title: "" };
const lesson = (relevance: number, i = 0): PageLesson => ({
  url: `https://a.example/${i}`,
  host: "a.example",
  relevance,
  sample: SAMPLE,
  found: null,
});
const begun = beginTopic({ words: "heap", examples: [] });

describe("the end of a subject", () => {
  const after = (...relevances: number[]) => learnTopic(begun, relevances.map(lesson));

  test.each([
    ["before 200 pages it never ends", Array(199).fill(0), false],
    ["200 irrelevant pages", Array(200).fill(0), true],
    ["as many relevant pages as were asked for", [...Array(190).fill(0.4), ...Array(10).fill(0.5)], false],
    ["one fewer", [...Array(191).fill(0.4), ...Array(9).fill(1)], true],
    ["only the last 200 count", [...Array(500).fill(1), ...Array(200).fill(0)], true],
  ])("%s", (_, relevances, is) => {
    expect(isExhausted(after(...relevances), 0.05)).toBe(is);
  });
});

test("the harvest series holds the whole crawl, in fewer and longer points", () => {
  let state = begun;
  for (let batch = 0; batch < 300; batch++) state = learnTopic(state, Array(20).fill(lesson(batch < 150 ? 1 : 0)));
  const { pagesPerPoint, points, open } = state.harvest;
  expect(pagesPerPoint * points.length + open.pages).toBe(6_000);
  expect(points.length).toBeLessThan(200);
  expect(points.filter((point) => point === 1_000)).toHaveLength(points.length / 2);
  expect([state.pages, state.relevant]).toEqual([6_000, 3_000]);
});

test("the weights follow what links led to", () => {
  const found = { score: 0, page: 0, text: 0, host: 0, hops: 0, isLucky: false };
  const links = Array.from({ length: 200 }, (_, i): PageLesson => {
    const [page, text] = [(i * 7) % 10, (i * 3) % 10];
    return { ...lesson(text / 10, i), found: { ...found, page: page / 10, text: text / 10, host: 0.5 } };
  });
  const { weights } = learnTopic(begun, links);
  expect(weights.text).toBeGreaterThan(0.6);
  expect(weights.page).toBeLessThan(0.3);
  expect(weights.page + weights.text + weights.host).toBeCloseTo(1, 3);
});

test("words of titles and URLs that led to relevant pages lift links that have them, and others sink", () => {
  const page = (title: string) => readRelevance(lensOf(begun), { title, text: "other words" }).sample;
  const good = { ...lesson(0.9), url: "https://a.example/roots/1", sample: page("Live objects - Memory Manual") };
  const bad = { ...lesson(0), url: "https://a.example/bread/1", sample: page("Crust - Baker's Book") };
  const learned = lensOf(learnTopic(begun, [good, good, good, bad, bad, bad]));
  const score = (url: string, text: string) => scoreLinkText(learned, { url, text, around: "" });
  expect(score("https://a.example/x", "Pauses - Memory Manual")).toBeGreaterThan(0.1);
  expect(score("https://a.example/roots/2", "next")).toBeGreaterThan(score("https://a.example/x", "next") + 0.04);
  expect(score("https://a.example/x", "Heap of flour - Baker's Book")).toBeLessThan(
    score("https://a.example/x", "Heap"),
  );
});

test("words whose pages were off the subject sink below words of no page yet, also while nothing was found", () => {
  const page = (title: string) => readRelevance(lensOf(begun), { title, text: "other words" }).sample;
  const bad = { ...lesson(0), url: "https://a.example/bread/1", sample: page("Crust - Baker's Book") };
  const learned = lensOf(learnTopic(begun, [bad, bad, bad]));
  const score = (url: string, text: string) => scoreLinkText(learned, { url, text, around: "" });
  expect(score("https://a.example/bread/2", "Crumbs - Baker's Book")).toBeLessThan(
    score("https://a.example/iron/2", "Anvils - Smith's Book"),
  );
});

describe("learning", () => {
  const VOCABULARY = Array.from(
    { length: 200 },
    (_, i) => `${"bcdfghjklm"[i % 10]}a${"nprstvwxyz"[Math.floor(i / 10) % 10]}o${i}`,
  );
  const SUBJECT = ["heap", "object", "root", "collector", "pause"];
  const pages = Array.from({ length: 60 }, (_, i) => {
    const words = Array.from({ length: 120 }, (_, k) => VOCABULARY[(i * 13 + k * k) % 200]);
    return { title: null, text: [...words, ...(i % 3 === 0 ? [...SUBJECT, ...SUBJECT, "heap"] : [])].join(" ") };
  });
  const lens = lensOf(begun);
  const lessons = pages.map((page, i): PageLesson => ({ ...lesson(0, i), ...readRelevance(lens, page) }));
  const inBatches = (order: readonly PageLesson[], size: number) => {
    let state: TopicState = begun;
    for (let at = 0; at < order.length; at += size) state = learnTopic(state, order.slice(at, at + size));
    return state;
  };
  const relevances = (state: TopicState) => {
    const learned = lensOf(state);
    return pages.map((page) => readRelevance(learned, page).relevance);
  };
  const usual = relevances(inBatches(lessons, 10));
  const differences = (state: TopicState) => relevances(state).map((each, i) => Math.abs(each - (usual[i] ?? 0)));
  const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

  test("hardly depends on the order of pages and batches", () => {
    const order = fc.shuffledSubarray([...lessons.keys()], { minLength: lessons.length });
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 60 }), (shuffled, size) => {
        const different = differences(
          inBatches(
            shuffled.flatMap((i) => lessons[i] ?? []),
            size,
          ),
        );
        expect(mean(different)).toBeLessThan(0.06);
        expect(different.filter((each) => each > 0.2).length).toBeLessThan(4);
      }),
      { numRuns: 10 },
    );
  });

  test("is hardly changed by a lost batch", () => {
    for (let at = 0; at < lessons.length; at += 10) {
      const left = lessons.toSpliced(at, 10);
      const different = differences(inBatches(left, 10));
      expect(mean(different)).toBeLessThan(0.05);
      expect(Math.max(...different)).toBeLessThan(0.25);
    }
  });
});
