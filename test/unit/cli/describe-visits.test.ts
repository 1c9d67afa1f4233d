import { expect, test } from "vitest";
import type { CrawlDetail, VisitsView } from "../../../src/api/views.ts";
import { describeVisits } from "../../../src/cli/output/describe-visits.ts";

const crawl = (changes: object) =>
  ({
    status: "watching",
    options: { watch: { everyS: 604_800, fixed: false }, maxCostUsd: 5 },
    watching: {
      since: "2031-01-01T00:00:00.000Z",
      changes: 3,
      monthCostUsd: 0.0123,
      visits: { "not-modified": 1_200, changed: 2, failed: 0 },
    },
    troubledHosts: [
      { host: "a.test", since: "2031-01-05T10:00:00.000Z", lost: 12, visits: 40, why: "it asks for a password" },
    ],
    troubledPages: [{ url: "https://b.test/x", since: "2031-01-06T10:00:00.000Z", why: "the server took too long" }],
    ...changes,
  }) as unknown as CrawlDetail;
const VISITS: VisitsView = {
  freshness: {
    surveyedAt: "2031-01-08T12:00:30.000Z",
    pages: 1_000,
    withinInterval: 870,
    medianAgeS: 250_000,
    oldestVisitAt: "2031-01-01T00:00:00.000Z",
    lastVisitAt: "2031-01-08T11:59:00.000Z",
    dueNow: 4,
    due: [],
    dueLater: 0,
  },
  next: [{ url: "https://a.test/x", at: "2031-01-08T13:00:00.000Z", why: "its last visit failed" }],
  changes: { changed: 2, added: 1 },
};

test("the state of a watch in lines", () => {
  expect(describeVisits(crawl({}), VISITS, true)).toEqual([
    "  Watched since 2031-01-01, each page every 7 days on average: 1,202 visits (1,200 not-modified, 2 changed).",
    "  3 changes (2 changed, 1 added).",
    "  At 2031-01-08 12:00: 870 of 1,000 pages seen within 7 days, half of all within 3 days, the oldest 8 days ago; 4 due. Last visit: 2031-01-08 11:59.",
    "  This month: about 0.012 USD at Cloudflare's list prices, of at most 5 USD.",
    "  In trouble since 2031-01-05 10:00: a.test, where 12 of 40 visits lost their page (it asks for a password).",
    "  Failing since 2031-01-06 10:00: https://b.test/x, the server took too long.",
    "  Next visits:",
    "    2031-01-08 13:00  https://a.test/x  its last visit failed",
  ]);
});

test("what a watch has removed", () => {
  const removed = { versions: 1_200, visits: 1, changes: 34, bytes: 5_600_000, until: "2031-01-02T10:00:00.000Z" };
  const options = { watch: { everyS: 604_800, fixed: false, keepDays: 90 }, maxCostUsd: 0 };
  const { watching } = crawl({});
  expect(describeVisits(crawl({ options, watching: { ...watching, removed } }), VISITS, true)[2]).toBe(
    "  Removed what is older than 2031-01-02 (--keep 90d): 1,200 versions, 1 visit record, 34 changes; 5.6 MB of packs.",
  );
});

test("before the first survey, and while nothing is visited", () => {
  const options = { watch: { everyS: 5_400, fixed: true }, maxCostUsd: 0 };
  const paused = crawl({ status: "paused", options, troubledHosts: [], troubledPages: [] });
  const lines = describeVisits(paused, { ...VISITS, freshness: null }, false);
  expect(lines).toEqual([
    "  Watched since 2031-01-01, each page every 90 minutes: 1,202 visits (1,200 not-modified, 2 changed).",
    "  3 changes (2 changed, 1 added).",
  ]);
});
