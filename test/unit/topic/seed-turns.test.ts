import { expect, test } from "vitest";
import type { LinkScore } from "../../../src/topic/course/score-link.ts";
import { SeedCourse, turnsOfEach } from "../../../src/topic/course/seed-turns.ts";

const scored = (text: number, more: Partial<LinkScore> = {}): LinkScore => ({
  ...{ score: 0.1, page: 0, text, host: 0.3, hops: 1, isLucky: false },
  ...more,
});

test.each([
  [1, 1_000, 0],
  [2, 100, 10],
  [2, 1_000_000, 20],
  [5, 100, 4],
  [30, 100, 0],
  [51, 1_000_000, 0],
])("%i seeds have, of %i pages, %i turns each", (seeds, limit, turns) => expect(turnsOfEach(seeds, limit)).toBe(turns));

test("the best links that a seed leads to are lifted, over all of its pages, until it has had its turns", () => {
  const course = new SeedCourse(3, []);
  const texts = [0, 0.4, 0, 0.5, 0.6];
  const home = course.ofPage("https://a.test/", null, texts);
  const first = texts.map((text) => home(scored(text)));
  expect(first.map(({ isTurn = false }) => isTurn)).toEqual([false, true, false, true, true]);
  const other = course.ofPage("https://b.test/", null, [0, 0]);
  expect(other(scored(0))).toMatchObject({ score: 0.9, isTurn: true });
  const child = course.ofPage("https://a.test/1", first[1] ?? null, [0.9]);
  expect(child(scored(0.9))).toMatchObject({ score: 0.1, seed: first[0]?.seed });
  const later = new SeedCourse(4, course.lifted).ofPage("https://a.test/2", first[0] ?? null, [0.2]);
  expect(later(scored(0.2)).isTurn).toBe(true);
});

test("a better score stays, and links of earlier versions and of a single seed are left alone", () => {
  const course = new SeedCourse(3, []);
  expect(course.ofPage("https://a.test/", null, [1])(scored(1, { score: 0.95 })).score).toBe(0.95);
  expect(course.ofPage("https://a.test/1", scored(1), [1])(scored(1))).toEqual(scored(1));
  expect(new SeedCourse(0, []).ofPage("https://a.test/", null, [1])(scored(1))).toEqual(scored(1));
});
