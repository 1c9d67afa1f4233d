import { expect, test } from "vitest";
import { noteVisit } from "../../../src/changes/compare/note-visit.ts";
import { EMPTY_TEMPLATE } from "../../../src/changes/template/host-template.ts";
import { maskedHash } from "../../../src/changes/template/template-hashes.ts";
import { viewOf } from "../../../src/changes/view-version.ts";
import { own, version } from "./version.ts";

/** What the visit of one page tells of a date that has changed on another one. */

const DAY_MS = 86_400_000;
const URL = "https://a.test/2";
const [OLD, NEW] = ["Checked on 30 January 2026", "Checked on 31 January 2026"];
const KEY = `n${maskedHash(OLD)}`;
const ROUND = { at: 29.9 * DAY_MS, seen: 29.9 * DAY_MS, pages: ["other"], others: 0, had: KEY, share: 0.2, text: NEW };

test.each<[string, string[], string[], number, number]>([
  ["in its content", [...own(2), OLD], [...own(2), NEW], 2, 0],
  ["around its content", own(2), own(2), 2, 0],
])("a page shows it %s", (_, had, has, pages, others) => {
  const template = { ...EMPTY_TEMPLATE, pages: 25, rounds: { [KEY]: ROUND } };
  const found = {
    ...{ url: URL, storedAt: 0, now: 30 * DAY_MS, everyMs: DAY_MS, told: null, noise: [] },
    visit: { now: 30 * DAY_MS, everyMs: DAY_MS, everywhere: [] },
    before: version(had, { pageText: [...own(2), OLD].join("\n") }),
    after: version(has, { pageText: [...own(2), NEW].join("\n") }),
  };
  const { rounds = {} } = noteVisit({ template, view: viewOf(template) }, [], found);
  expect([rounds[KEY]?.pages.length, rounds[KEY]?.others]).toEqual([pages, others]);
});

test("a page that has the same date as before does not show it", () => {
  const template = { ...EMPTY_TEMPLATE, pages: 25, rounds: { [KEY]: ROUND } };
  const page = version(own(2), { pageText: [...own(2), OLD].join("\n") });
  const found = {
    ...{ url: URL, storedAt: 0, now: 30 * DAY_MS, everyMs: DAY_MS, told: null, noise: [], before: page, after: page },
    visit: { now: 30 * DAY_MS, everyMs: DAY_MS, everywhere: [] },
  };
  const { rounds = {} } = noteVisit({ template, view: viewOf(template) }, [], found);
  expect([rounds[KEY]?.pages.length, rounds[KEY]?.others]).toEqual([1, 1]);
});
