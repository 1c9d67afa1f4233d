import fc from "fast-check";
import { expect, test } from "vitest";
import { isExhausted } from "../../../src/topic/course/is-exhausted.ts";
import { learnMarks, learnTopic, learnWaiting, type PageLesson } from "../../../src/topic/course/learn-topic.ts";
import { readRelevance } from "../../../src/topic/course/read-relevance.ts";
import { scoreLink, scoreLinkText } from "../../../src/topic/course/score-link.ts";
import { lensOf } from "../../../src/topic/course/topic-lens.ts";
import { beginTopic, type TopicState } from "../../../src/topic/course/topic-state.ts";

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
const isScore = (value: number) => value >= 0 && value <= 1;

/** Words as long as terms may be, of characters that take many bytes. */
const longWords = fc
  .array(fc.integer({ min: 0, max: 4_000 }), { minLength: 100, maxLength: 500 })
  .map((numbers) =>
    numbers.map((n) => `${String.fromCodePoint(0x13a0 + (n % 80)).repeat(18)}${n.toString(26)}abcdef`).join(" "),
  );
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.lorem({ maxCount: 60 }),
  fc
    .array(fc.constantFrom("garbage", "collection", "heap", "数据库", "画像", " "), { maxLength: 60 })
    .map((a) => a.join(" ")),
  longWords,
);
const page = fc.record({ title: fc.option(anyText), text: anyText });
const url = fc.oneof(fc.webUrl({ withQueryParameters: true }), anyText);

test("every input gives bounded scores and sizes, and nothing throws", () => {
  const topic = fc.record({ words: anyText, examples: fc.array(anyText, { maxLength: 3 }) });
  fc.assert(
    fc.property(
      topic,
      fc.array(fc.array(page, { maxLength: 6 }), { maxLength: 4 }),
      url,
      anyText,
      (named, batches, link, around) => {
        let state = beginTopic(named);
        for (const pages of batches) {
          const lens = lensOf(state);
          expect(bytesOf(lens)).toBeLessThanOrEqual(32_768);
          const lessons = pages.map((each, i): PageLesson => {
            const { relevance, sample } = readRelevance(lens, each);
            expect(isScore(relevance)).toBe(true);
            expect(bytesOf(sample)).toBeLessThanOrEqual(4_096);
            const textScore = scoreLinkText(lens, { url: link, text: around, around: each.text });
            const found = scoreLink(state, { url: link, host: link, textScore, pageRelevance: relevance, hops: i });
            expect([found.score, found.page, found.text, found.host].every(isScore)).toBe(true);
            return { url: link, host: link, relevance, sample, found };
          });
          state = learnWaiting(learnTopic(state, lessons), new Map([[around, 3]]));
          const marks = lessons.map(({ sample }, i) => ({ url: link, isRelevant: i % 2 === 0, sample }));
          state = JSON.parse(JSON.stringify(learnMarks(state, marks))) as TopicState;
        }
        expect(bytesOf(state)).toBeLessThanOrEqual(65_536);
        expect(isExhausted(state, 0.5)).toBe(false);
      },
    ),
    { numRuns: 60 },
  );
});

test("a crawl of many odd pages and hosts stays bounded", () => {
  let state = beginTopic({ words: "heap", examples: [] });
  for (let batch = 0; batch < 10; batch++) {
    const lens = lensOf(state);
    const lessons = Array.from({ length: 100 }, (_, i): PageLesson => {
      const words = Array.from(
        { length: 300 },
        (_, k) => `${"ᎠᎡ".repeat(9)}${(batch * 7 + i * 31 + k * 57).toString(26)}`,
      );
      const { relevance, sample } = readRelevance(lens, { title: "heap", text: `heap heap heap ${words.join(" ")}` });
      expect(bytesOf(sample)).toBeLessThanOrEqual(4_096);
      const host = `${batch}-${i}.${"host".repeat(20)}.example`;
      return { url: `https://${host}/`, host, relevance: Math.max(relevance, 0.6), sample, found: null };
    });
    state = learnTopic(state, lessons);
    expect(bytesOf(lensOf(state))).toBeLessThanOrEqual(32_768);
    expect(bytesOf(state)).toBeLessThanOrEqual(65_536);
  }
  expect(state.best.length).toBeGreaterThan(20);
  expect(state.hosts.length).toBeGreaterThan(10);
});

test("a text of 10 MB is read in part", () => {
  const { relevance } = readRelevance(lensOf(beginTopic({ words: "heap", examples: [] })), {
    title: null,
    text: `heap heap heap heap ${"other words ".repeat(1_000_000)}`,
  });
  expect(relevance).toBeGreaterThan(0);
});
