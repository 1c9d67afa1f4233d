import fc from "fast-check";
import { expect, test } from "vitest";
import { medianAgeMs, openSurvey, pagesWithinMean, surveyPages } from "../../../src/crawl/watch/survey.ts";

/** The numbers of a watch's survey. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2031, 0, 10, 5);

const page = (ageMs: number, dueInMs: number, url = "https://a.test/") => ({
  url,
  lastAt: NOW - ageMs,
  dueAt: NOW + dueInMs,
});
const surveyOf = (everyMs: number, pages: Parameters<typeof surveyPages>[1]) =>
  surveyPages(openSurvey(everyMs, NOW), pages, NOW);

test.each([
  ["1 minute", 60_000, 60_000],
  ["1 hour", HOUR, 600_000],
  ["1 day", DAY, 3 * HOUR],
  ["7 days", 7 * DAY, DAY],
  ["30 days", 30 * DAY, 7 * DAY],
  ["10 years", 3_650 * DAY, 457 * DAY],
])("at a mean interval of %s, steps have a length that a person reads easily", (_, everyMs, stepMs) => {
  const survey = openSurvey(everyMs, NOW);
  expect(survey.stepMs).toBe(stepMs);
  expect(survey.dueFrom % stepMs).toBe(0);
});

test("pages are counted by the step in which they are due; those of long ago and far ahead are counted, too", () => {
  const survey = surveyOf(DAY, [page(0, -1), page(0, 0), page(0, 1), page(0, 5 * HOUR), page(0, 90 * DAY)]);
  expect(survey).toMatchObject({ pages: 5, dueNow: 2, dueLater: 1, dueFrom: NOW - 2 * HOUR });
  expect(survey.due).toEqual([1, 0, 1, ...new Array(9).fill(0)]);
});

test("the median age and the share that was seen lately", () => {
  const survey = surveyOf(DAY, [
    page(HOUR, 1),
    page(2 * HOUR, 1),
    page(20 * HOUR, 1),
    page(25 * HOUR, 1),
    page(9 * DAY, 1),
  ]);
  expect(pagesWithinMean(survey)).toBe(3);
  expect(medianAgeMs(survey)).toBeGreaterThanOrEqual(18 * HOUR);
  expect(medianAgeMs(survey)).toBeLessThanOrEqual(21 * HOUR);
  expect(survey).toMatchObject({ oldestAt: NOW - 9 * DAY, newestAt: NOW - HOUR });
  expect(medianAgeMs(openSurvey(DAY, NOW))).toBeNull();
});

test("a page without a known visit counts as old, and is no oldest visit", () => {
  const survey = surveyOf(DAY, [{ url: "https://a.test/", lastAt: 0, dueAt: NOW }, page(HOUR, 1)]);
  expect(survey).toMatchObject({ pages: 2, oldestAt: NOW - HOUR });
  expect(pagesWithinMean(survey)).toBe(1);
});

test("the pages that are due first are kept, and no more than ten", () => {
  const pages = Array.from({ length: 30 }, (_, i) => page(0, ((i * 7) % 30) * HOUR, `https://a.test/${(i * 7) % 30}`));
  const { first } = surveyOf(DAY, pages);
  expect(first.map(({ url }) => url.slice(15))).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
});

test("each page is counted once, and in parts as at once", () => {
  const pages = fc.array(
    fc.record({
      url: fc.constantFrom("https://a.test/1", "https://a.test/2"),
      lastAt: fc.integer({ min: 0, max: NOW + 10 * DAY }),
      dueAt: fc.integer({ min: NOW - 100 * DAY, max: NOW + 1_000 * DAY }),
    }),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(pages, fc.integer({ min: 60_000, max: 400 * DAY }), fc.nat({ max: 40 }), (all, everyMs, at) => {
      const survey = surveyOf(everyMs, all);
      const sum = (counts: number[]) => counts.reduce((total, n) => total + n, 0);
      expect(sum(survey.ages)).toBe(all.length);
      expect(sum(survey.due) + survey.dueNow + survey.dueLater).toBe(all.length);
      expect(surveyPages(surveyOf(everyMs, all.slice(0, at)), all.slice(at), NOW)).toEqual(survey);
    }),
  );
});
