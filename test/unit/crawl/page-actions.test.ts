import { expect, test } from "vitest";
import {
  type ActionsDone,
  DEFAULT_ACTIONS,
  describeActions,
  readActions,
} from "../../../src/crawl/page/page-actions.ts";

const NONE: ActionsDone = {
  waited: null,
  banners: 0,
  scrolls: 0,
  clicks: 0,
  ways: 0,
  isCut: false,
  refused: [],
};

test.each<[Partial<ActionsDone>, string]>([
  [{}, "there was nothing to click or to scroll"],
  [{ waited: { selector: ".a", found: true } }, ".a came"],
  [{ waited: { selector: ".a", found: false }, scrolls: 1 }, ".a did not come, scrolled once"],
  [{ banners: 1, scrolls: 2, clicks: 7 }, "closed a cookie banner, scrolled twice, clicked 7 times"],
  [{ clicks: 2, ways: 2, isCut: true }, "clicked twice, 2 clicks led to other addresses, ended before all was done"],
  [{ refused: [":x"] }, "the browser knows no selector :x"],
])("%j is said as “%s”", (done, text) => {
  expect(describeActions({ ...NONE, ...done })).toBe(text);
});

test("stored actions of an earlier version get the defaults", () => {
  expect(readActions(undefined)).toEqual(DEFAULT_ACTIONS);
  expect(readActions({ scroll: 2 })).toEqual({ ...DEFAULT_ACTIONS, scroll: 2 });
});
