import { describe, expect, test } from "vitest";
import { type HeldBack, heldBack } from "../../../src/changes/held-back.ts";
import { describeHeldBack } from "../../../src/cli/output/describe-held-back.ts";
import { own, version } from "./version.ts";
import { type Ask, DAY_MS, WatchedHost } from "./watched-host.ts";

/** What people can ask of changes that were told of no page. */

function heldOf(pages: number, days: number, show: (page: number, ask: Ask) => string[], since = 0): HeldBack[] {
  const host = new WatchedHost(pages, (page, ask) => version(show(page, ask)));
  const told = host.run(days);
  expect(told).toEqual([]);
  const { noise = {}, rounds = {} } = host.template;
  const times = { since: since * DAY_MS, now: days * DAY_MS, everyMs: DAY_MS };
  return heldBack({ pages: host.template.pages, noise, rounds }, times);
}

describe("what was held back is shown with its evidence", () => {
  test("noise, with what the two looks found", () => {
    const counter = (page: number, { number }: Ask) => [...own(page), `You are visitor ${1_000 + 17 * number}`];
    expect(heldOf(8, 10, counter)).toEqual([
      expect.objectContaining({
        why: "noise",
        place: "numbers of a text",
        pages: expect.toSatisfy((pages) => pages >= 2),
        url: expect.stringMatching(/^https:\/\/a\.test\/\d$/),
        before: expect.stringMatching(/^You are visitor \d+$/i),
        after: expect.stringMatching(/^You are visitor \d+$/i),
      }),
    ]);
    expect(heldOf(8, 60, counter, 59)).toEqual([]);
  });

  test("a banner that came to all pages, with one of them", () => {
    const banner = (page: number, { day }: Ask) => [
      "Welcome to the shop",
      ...(day > 5 ? ["Winter sale until Sunday"] : []),
      ...own(page),
    ];
    const [held] = heldOf(20, 10, banner);
    expect(held).toMatchObject({
      why: "everywhere",
      place: "a new text",
      others: 0,
      url: expect.stringContaining("https://a.test/"),
      before: null,
      after: "Winter sale until Sunday",
    });
    expect(held?.pages).toBeGreaterThanOrEqual(6);
    expect(held?.sharedAt).toBeGreaterThan(held?.since ?? 0);
  });

  test("nothing of a site that is quiet", () => {
    expect(heldOf(8, 10, (page) => own(page))).toEqual([]);
  });
});

test("a change that is told of its page is none that is held back", () => {
  const sold = (page: number, { day }: Ask) =>
    version([
      ...own(page),
      day > 5 && page === 3 ? "Sold out, we are sorry" : "In stock. Ships in two days",
      "Imprint",
    ]);
  const host = new WatchedHost(20, sold);
  expect(host.run(12).map(({ page }) => page)).toEqual([3]);
  const { rounds = {}, pages } = host.template;
  const times = { since: 0, now: 12 * DAY_MS, everyMs: DAY_MS };
  expect(heldBack({ pages, noise: {}, rounds }, times)).toEqual([]);
});

test("the lines of `status`", () => {
  const held = {
    host: "a.test",
    pages: 12,
    others: 1,
    since: "2031-01-07T00:00:00.000Z",
    at: "2031-01-08T12:00:30.000Z",
  };
  const lines = describeHeldBack({
    heldBack: [
      { ...held, why: "everywhere", place: "a new text", url: "https://a.test/", before: null, after: "Winter sale" },
      { ...held, why: "noise", place: "the title", url: "https://a.test/x", before: "One", after: "Two" },
    ],
  });
  expect(lines).toEqual([
    "  Held back in 30 days: 1 as noise, 1 as a change of most pages.",
    '    2031-01-08 12:00  a new text: "Winter sale" (12 pages of a.test)',
    '    2031-01-08 12:00  the title: "One" and then "Two" (https://a.test/x)',
  ]);
  expect(describeHeldBack({ heldBack: [] })).toEqual([]);
});
