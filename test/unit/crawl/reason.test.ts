import { expect, test } from "vitest";
import { consequencesOf, describeReason, REASONS, type Reason, reasonsThat } from "../../../src/crawl/page/reason.ts";

const EACH = Object.keys(REASONS) as Reason[];

test("a URL without a page says why, with its details", () => {
  expect(describeReason({ reason: "gone", detail: null })).toBe("it is not there any more");
  expect(describeReason({ reason: "http-status", detail: "404 Not Found" })).toBe(
    "the server answered with an error: 404 Not Found",
  );
  expect(describeReason({ reason: "network", detail: "" })).toBe("the request failed before an answer came");
  expect(describeReason({ reason: null, detail: null })).toBe("it was not fetched");
});

test("only what is skipped leaves a page that is followed, or removed by a visit", () => {
  for (const reason of EACH) {
    const { isFollowed, visit } = consequencesOf(reason);
    if (isFollowed || visit === "removed") expect([reason, REASONS[reason][0]]).toEqual([reason, "skipped"]);
  }
});

test("a watch visits again what an answer decided, and leaves out what was decided without one", () => {
  const left = EACH.filter((reason) => REASONS[reason][0] === "skipped" && !consequencesOf(reason).isVisited);
  const undecided = ["dry-run", "same-page", "nothing-new", "limit", "host-limit", "country", "no-sitemap"];
  expect(left.toSorted()).toEqual(undecided.toSorted());
  // Errors are visited in any case.
  for (const reason of reasonsThat(({ isVisited }) => isVisited)) expect(REASONS[reason][0]).toBe("skipped");
});

test("a visit never calls a page failed that robots.txt forbids", () => {
  const disallowed = EACH.filter((reason) => REASONS[reason][0] === "disallowed");
  expect(disallowed.length).toBeGreaterThan(0);
  for (const reason of disallowed) expect([reason, consequencesOf(reason)]).toEqual([reason, { visit: "forbidden" }]);
});

test("a URL without a reason, as a completed one, has no consequences", () => {
  expect(consequencesOf(null)).toEqual({});
});
