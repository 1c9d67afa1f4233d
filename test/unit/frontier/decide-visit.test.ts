import { expect, test } from "vitest";
import type { PageChange } from "../../../src/changes/compare/compare-versions.ts";
import type { Wall } from "../../../src/changes/walls/find-wall.ts";
import type { Outcome } from "../../../src/crawl/page/outcome.ts";
import type { Visit } from "../../../src/crawl/watch/watch.ts";
import { type Compared, decideVisit, type Signs } from "../../../src/frontier/visits/decide-visit.ts";
import { NOTHING_KNOWN } from "../../../src/revisit/site-prior.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 100 * DAY;
const URL = "https://a.test/page";

const VISIT: Visit = {
  count: 3,
  status: "completed",
  reason: null,
  detail: null,
  title: "T",
  contentType: "text/html",
  sha256: "old",
  etag: '"old"',
  lastModified: null,
  lastAt: NOW - 7 * DAY,
  rateChanges: null,
  rateDays: null,
  failures: 0,
  missingAt: null,
  beganAt: NOW,
  openFinding: null,
  fullAt: NOW - 7 * DAY,
  liedAt: null,
  restless: null,
  signalledAt: null,
  storedAt: 1,
  revisits: null,
  wasKept: false,
  hasUnstoredValidators: false,
  fields: null,
  trust: null,
  told: null,
};

const ANSWER: Outcome = {
  url: URL,
  status: "completed",
  reason: null,
  detail: null,
  httpStatus: 200,
  title: "T",
  contentType: "text/html",
  bytes: 5,
  sha256: "new",
  fetchedAt: NOW,
  durationMs: 5,
  truncated: null,
  packed: null,
  etag: '"new"',
  lastModified: null,
};

const WATCH = {
  everyS: 604_800,
  fixed: false,
  tell: [],
  ignore: { urls: [], selectors: [], patterns: [], leastShare: 0 },
};

const SAME: Compared = {
  comparison: { kind: "unchanged" },
  hashes: { before: "A", after: "A" },
  parts: null,
  waits: 0,
  isLater: false,
  steady: [],
  noise: [],
  everywhere: [],
  isTurn: false,
};

/** Another text, whose hash is `after`. */
const other = (after: string, suspicion: PageChange["suspicion"] = null, before = "A"): Compared => ({
  comparison: {
    kind: "changed",
    title: null,
    canonical: null,
    content: { added: 1, removed: 0, modified: 2, share: 0.5, excerpt: "New words" },
    suspicion,
  },
  hashes: { before, after },
  parts: null,
  waits: 0,
  isLater: false,
  steady: [],
  noise: [],
  everywhere: [],
  isTurn: false,
});

const notFound = { status: "errored", reason: "http-status", httpStatus: 404, detail: "404 Not Found" } as const;
const gone = { status: "errored", reason: "gone" } as const;
const redirected = { status: "skipped", reason: "redirected", httpStatus: 301, detail: "to https://a.test/b" } as const;
const noindex = { status: "skipped", reason: "noindex", detail: "robots: noindex" } as const;
const english = { status: "skipped", reason: "language", detail: "en" } as const;
const abroad = { status: "skipped", reason: "country", httpStatus: null } as const;
const failed = { status: "errored", reason: "http-status", httpStatus: 503, detail: "503" } as const;
const challenged = { status: "errored", reason: "challenged", httpStatus: 403, detail: "Cloudflare asks" } as const;
const priced = { status: "errored", reason: "payment-required", httpStatus: 402, detail: "USD 0.01" } as const;
const disallowed = { status: "disallowed", reason: "robots", httpStatus: null } as const;
const unchanged = { status: "skipped", reason: "not-modified", httpStatus: 304 } as const;

const decide = (
  visit: Partial<Visit>,
  answer: Partial<Outcome>,
  compared: Compared | null = null,
  signs: Partial<Signs> = {},
) => {
  const found = { compared, isCopy: false, isHostTroubled: false, wall: null, ...signs };
  return decideVisit({ ...ANSWER, ...answer }, URL, { ...VISIT, ...visit }, WATCH, found, NOTHING_KNOWN, NOW);
};

const missing = (visits: number) => ({ says: "missing", visits });

test.each<[string, Partial<Visit>, Partial<Outcome>, boolean, string, string | null, boolean]>([
  ["a 304 is no change", {}, unchanged, false, "not-modified", null, false],
  ["the same bytes are no change", {}, { sha256: "old" }, false, "same", null, false],
  ["other bytes that say the same are no change", {}, {}, true, "same", null, false],
  ["other words are a change", {}, {}, false, "changed", "changed", true],
  ["one answer in another language than the crawl's settles nothing", {}, english, false, "missing", null, false],
  ["another country than the crawl's leaves it", {}, abroad, false, "forbidden", null, false],
  ["a first 404 settles nothing", {}, notFound, false, "missing", null, false],
  [
    "nor does a second 404",
    { missingAt: NOW - HOUR, openFinding: missing(1) },
    notFound,
    false,
    "missing",
    null,
    false,
  ],
  [
    "nor a third one on the same day",
    { missingAt: NOW - HOUR, openFinding: missing(2) },
    notFound,
    false,
    "missing",
    null,
    false,
  ],
  [
    "but one on the next day does",
    { missingAt: NOW - 24 * HOUR, openFinding: missing(2) },
    notFound,
    false,
    "changed",
    "removed",
    true,
  ],
  [
    "a second 410 removes the page",
    { missingAt: NOW - HOUR },
    { ...notFound, httpStatus: 410 },
    false,
    "changed",
    "removed",
    true,
  ],
  [
    "a soft 404 is a 404",
    { missingAt: NOW - 24 * HOUR, openFinding: missing(2) },
    { ...notFound, reason: "soft-404", httpStatus: 200 },
    false,
    "changed",
    "removed",
    true,
  ],
  ["a removed page that stays away is no news", gone, notFound, false, "same", null, false],
  ["a removed page that returns is restored", { ...gone, wasKept: true }, {}, false, "changed", "restored", true],
  ["an error that becomes a page is added", { ...failed }, {}, false, "changed", "added", true],
  ["a redirect moves the page", {}, redirected, false, "changed", "moved", true],
  ["the same redirect is no news", redirected, redirected, false, "same", null, false],
  [
    "nor is one to a target that scope refuses",
    { ...redirected, detail: "to https://a.test/b, which scope refuses: a.test" },
    redirected,
    false,
    "same",
    null,
    false,
  ],
  [
    "another redirect moves it again",
    { ...redirected, detail: "to https://a.test/c" },
    redirected,
    false,
    "changed",
    "moved",
    true,
  ],
  ["an error that becomes a redirect is not told", failed, redirected, false, "changed", null, true],
  ["a page that asks not to be indexed waits for a second visit", {}, noindex, false, "missing", null, false],
  [
    "and is removed by it",
    { missingAt: NOW - HOUR, openFinding: { says: "noindex", visits: 1 } },
    noindex,
    false,
    "changed",
    "removed",
    true,
  ],
  ["and is no news after that", noindex, noindex, false, "same", null, false],
  ["a failed visit settles nothing", {}, failed, false, "failed", null, false],
  ["nor does a challenge", { missingAt: 1 }, challenged, false, "failed", null, false],
  ["nor does a price", { missingAt: 1 }, priced, false, "failed", null, false],
  ["an error that stays one is no news", failed, failed, false, "same", null, false],
  ["what robots.txt forbids stays", {}, disallowed, false, "forbidden", null, false],
])("%s", (_, visit, answer, saysTheSame, result, change, settles) => {
  const decided = decide(visit, answer, saysTheSame ? SAME : null);
  expect(decided).toMatchObject({ url: URL, visit: 3, result, change, visitedAt: NOW });
  expect(decided.outcome !== null).toBe(settles);
});

test("a removed page is errored for the reason gone, and says what the server said", () => {
  const { outcome, detail } = decide({ missingAt: 1 }, notFound);
  expect(outcome).toMatchObject({ status: "errored", reason: "gone", detail: "404 Not Found" });
  expect(detail).toBe("404 Not Found");
});

test("the next visit follows from the rate of change, and comes sooner after a failure or a first 404", () => {
  expect(decide({}, {}).visitAt).toBeNull();
  expect(decide({}, notFound)).toMatchObject({ visitAt: NOW + 12 * HOUR, missingAt: NOW });
  const waits = [0, 1, 2, 20].map((failures) => ((decide({ failures }, failed).visitAt ?? 0) - NOW) / HOUR);
  expect(waits).toEqual([1, 2, 4, 336]);
  expect(decide({ failures: 2 }, failed).failures).toBe(3);
  expect(decide({ failures: 2 }, {}).failures).toBe(0);
});

test("answers that count teach the rate, of the page and of the site", () => {
  expect(decide({}, unchanged)).toMatchObject({ rateChanges: 0, rateDays: 7, learned: { changes: 0, days: 7 } });
  const changed = decide({ rateChanges: 1, rateDays: 7 }, {});
  expect(changed.rateChanges).toBeGreaterThan(1.9);
  expect(changed.rateDays).toBeCloseTo(0.97 * 7 + 7);
  expect(decide({ rateChanges: 1, rateDays: 7 }, failed)).toMatchObject({ rateChanges: 1, rateDays: 7, learned: null });
});

test("a change that a trusted signal announced is one change, and the visit tests the signal", () => {
  const busy = { rateChanges: 20, rateDays: 20, signalledAt: NOW - HOUR };
  const trusted = decide({ ...busy, trust: { precision: 1, recall: 1 } }, {});
  expect(trusted.rateChanges).toBeCloseTo(0.97 * 20 + 1, 6);
  // A page that changes each day has most likely changed in a week, whoever signals it.
  expect(trusted.tested).toMatchObject({ signalled: 1, proved: 1, changed: 1 });
  expect(trusted.tested?.expected).toBeGreaterThan(0.9);
  expect(decide({ ...busy, trust: { precision: 0, recall: 0 } }, {}).rateChanges).toBeGreaterThan(0.97 * 20 + 3);
  expect(decide(busy, failed).tested).toBeNull();
});

test("a failed visit keeps the validators and what was missing; an answer replaces the validators", () => {
  expect(decide({ missingAt: 7 }, failed)).toMatchObject({ etag: '"old"', missingAt: 7 });
  expect(decide({}, unchanged)).toMatchObject({ etag: '"old"' });
  expect(decide({}, {})).toMatchObject({ etag: '"new"', missingAt: null });
});

test("a change says in a few words what is new", () => {
  expect(decide({}, {}, other("B")).detail).toBe("blocks: 1 added, 2 modified: New words");
  const titled = {
    kind: "changed",
    title: { before: "T", after: "U" },
    canonical: null,
    content: null,
    suspicion: null,
  } as const;
  expect(decide({}, {}, { ...other("B"), comparison: titled }).detail).toBe("title: U");
});

test.each<[Wall["strength"], number, number, number]>([
  ["sure", 20, 13.9 * DAY, 14 * DAY],
  ["likely", 5, 2.9 * DAY, 3 * DAY],
])(
  "what is %s to be a wall settles nothing for a bounded time, and is told then",
  (strength, visits, before, after) => {
    const login = other("L", "blocked");
    const signs = { wall: { strength, why: "it asks for a password" }, marks: ["m"] };
    const held = { result: "failed", change: null, outcome: null, etag: '"old"', learned: null, marks: ["m"] };
    expect(decide({}, {}, login, signs)).toMatchObject({
      ...held,
      failures: 1,
      missingAt: NOW,
      trouble: "it asks for a password",
    });
    const failures = visits - 1;
    expect(decide({ failures, missingAt: NOW - before }, {}, login, signs)).toMatchObject({
      ...held,
      failures: visits,
    });
    const told = decide({ failures, missingAt: NOW - after }, {}, login, signs);
    expect(told).toMatchObject({ result: "changed", change: "changed", failures: 0, recovers: true });
    // Three visits at least, whatever time has passed.
    expect(decide({ failures: 1, missingAt: NOW - after }, {}, login, signs)).toMatchObject(held);
  },
);

test("what may be a wall is looked at once more, and is no trouble", () => {
  const signs = { wall: { strength: "possible", why: "all of its text is another one" } } as const;
  const held = decide({}, {}, other("B"), signs);
  expect(held).toMatchObject({ result: "missing", change: null, outcome: null, visitAt: NOW + 12 * HOUR });
  expect(held.trouble).toBeUndefined();
  const again = { failures: held.failures, missingAt: NOW - 12 * HOUR };
  expect(decide(again, {}, other("B"), signs)).toMatchObject({ change: "changed" });
  expect(again.failures).toBe(0);
});

test("a page that is gone is asked for ever less, and a failing one up to two intervals later", () => {
  const days = (visit: Partial<Visit>, answer: Partial<Outcome>) => ((decide(visit, answer).visitAt ?? 0) - NOW) / DAY;
  expect([0, 1, 2, 3, 4, 20].map((failures) => days({ ...gone, failures }, notFound))).toEqual([
    14, 28, 56, 112, 112, 112,
  ]);
  expect(days({ failures: 20 }, failed)).toBe(14);
});

test("a page that has never answered is asked for after four intervals at the latest", () => {
  const { visitAt } = decide({ ...gone, failures: 20 }, failed);
  expect(visitAt).toBe(NOW + 28 * DAY);
});

test("states that alternate are told each time, with the day of the last visit that found them", () => {
  const first = decide({}, {}, other("B"));
  expect(first).toMatchObject({ change: "changed", told: { told: "B", former: ["A"] } });
  expect(first).not.toHaveProperty("backTo");
  const back = decide({ told: first.told }, {}, other("A", null, "B"));
  expect(back).toMatchObject({ change: "changed", told: { told: "A", former: ["B"] }, backTo: VISIT.lastAt });
  expect(back.detail).toBe(
    `back to what it was on ${new Date(VISIT.lastAt).toISOString().slice(0, 10)}; blocks: 1 added, 2 modified: New words`,
  );
});

test("two servers that take turns from one request to the next are not told", () => {
  const turn = { ...SAME, hashes: { before: "A", after: "B" }, isTurn: true };
  const first = decide({}, {}, turn);
  expect(first).toMatchObject({ result: "same", change: null, told: { told: "A", turns: ["B"] } });
  expect(decide({ told: first.told }, {}, other("B"))).toMatchObject({ result: "same", change: null });
});

const troubled = { isHostTroubled: true };
const copied = { isCopy: true };
const gone410 = { ...notFound, httpStatus: 410 };
const halfDayAgo = NOW - 12 * HOUR;
const dayAgo = NOW - 24 * HOUR;

test.each<[string, Partial<Visit>, Partial<Outcome>, Partial<Signs>, Partial<ReturnType<typeof decide>>]>([
  ["a second 410", { missingAt: halfDayAgo }, gone410, troubled, { result: "missing", missingAt: halfDayAgo }],
  ["a 410 on the next day", { missingAt: dayAgo }, gone410, troubled, { change: "removed" }],
  ["a redirect", {}, redirected, troubled, { result: "missing", missingAt: NOW }],
  ["a redirect on the next day", { missingAt: dayAgo }, redirected, troubled, { change: "moved" }],
  ["another language", {}, english, troubled, { result: "missing", missingAt: NOW }],
  ["noindex", {}, noindex, troubled, { result: "missing", missingAt: NOW }],
  ["other words", {}, {}, troubled, { change: "changed" }],
  ["another page's content", {}, {}, copied, { result: "missing", missingAt: NOW, etag: '"old"' }],
  ["another page's content, again", { missingAt: halfDayAgo }, {}, copied, { change: "changed", missingAt: null }],
  ["it, in trouble", { missingAt: halfDayAgo }, {}, { ...copied, ...troubled }, { result: "missing" }],
])("of a host in trouble, or where pages copy each other: %s", (_, visit, answer, signs, expected) => {
  const decided = decide(visit, answer, null, signs);
  expect(decided).toMatchObject(expected);
  expect(decided.outcome === null).toBe(decided.result === "missing");
});

const DAYS_OF_MONTH = 30;

/** Visits a page twice a day for a month, and returns the days on which something was told, with what was told. */
function monthOf(answers: (day: number) => Partial<Outcome>): string[] {
  const told: string[] = [];
  let visit: Visit = { ...VISIT };
  for (let half = 0; half < 2 * DAYS_OF_MONTH; half++) {
    const now = NOW + half * 12 * HOUR;
    const answer = { ...ANSWER, sha256: "old", ...answers(half / 2) };
    const signs = { compared: null, isCopy: false, isHostTroubled: false, wall: null };
    const found = decideVisit(answer, URL, visit, WATCH, signs, NOTHING_KNOWN, now);
    if (found.change !== null) told.push(`${half / 2} ${found.change}`);
    const { failures, missingAt, openFinding, told: versions } = found;
    visit = { ...visit, count: visit.count + 1, lastAt: now, failures, missingAt, openFinding, told: versions };
    if (found.outcome === null) continue;
    const { status, reason, detail } = found.outcome;
    visit = { ...visit, status, reason, detail, wasKept: true };
  }
  return told;
}

const maintained = { ...redirected, httpStatus: 302 };

test.each<[string, (day: number) => Partial<Outcome>, string[]]>([
  ["maintenance every second night", (day) => (day % 2 === 0.5 ? maintained : {}), []],
  ["a temporary redirect that stays", (day) => (day >= 3 ? maintained : {}), ["4 moved"]],
  [
    "one of the status 307 for one day",
    (day) => (day === 3 || day === 3.5 ? { ...maintained, httpStatus: 307 } : {}),
    [],
  ],
  ["a permanent redirect", (day) => (day >= 3 ? redirected : {}), ["3 moved"]],
  [
    "a temporary redirect to another place at each visit",
    (day) => (day >= 3 ? { ...maintained, detail: `to https://a.test/login?n=${day}` } : {}),
    ["10 moved"],
  ],
  ["two that take turns with failures", (day) => (day % 1 === 0 ? failed : day >= 3 ? maintained : {}), ["5.5 moved"]],
  ["another language each third visit", (day) => ((day * 2) % 3 === 0 ? english : {}), []],
  ["another language for good", (day) => (day >= 3 ? english : {}), ["4 removed"]],
  ["another language for a week", (day) => (day >= 3 && day < 10 ? english : {}), ["4 removed", "10 restored"]],
  ["noindex on an error page", (day) => (day === 3 ? noindex : {}), []],
  ["a 404, and a redirect after it", (day) => (day === 3 ? notFound : day === 3.5 ? maintained : {}), []],
  ["a 404 after a redirect", (day) => (day === 3 ? maintained : day === 3.5 ? notFound : {}), []],
  ["a 404 that lasts", (day) => (day >= 3 && day < 5 ? notFound : {}), ["4 removed", "5 restored"]],
  ["a 410 that lasts", (day) => (day >= 3 && day < 5 ? gone410 : {}), ["3.5 removed", "5 restored"]],
  ["a 404 for half a day", (day) => (day === 3 || day === 3.5 ? notFound : {}), []],
])("what is told in a month of %s", (_, answers, expected) => {
  expect(monthOf(answers)).toEqual(expected);
});

test("what an earlier version noted open is confirmed by the next visit that finds it", () => {
  expect(decide({ missingAt: NOW - HOUR, openFinding: null }, gone410)).toMatchObject({ change: "removed" });
});

test("a page that is missing since a time in the future is missing since now: the clock was set back", () => {
  expect(decide({ missingAt: NOW + HOUR }, notFound)).toMatchObject({ result: "missing", missingAt: NOW });
});

test.each<[string, Partial<Visit>, Partial<Outcome>, Compared | null, boolean]>([
  ["the same bytes", { hasUnstoredValidators: true }, { sha256: "old" }, null, false],
  ["other bytes that say the same", {}, {}, SAME, true],
  ["a change, which is stored", { hasUnstoredValidators: true }, {}, null, false],
  ["a 304 for the stored answer", {}, unchanged, null, false],
  ["a 304 for another one", { hasUnstoredValidators: true }, unchanged, null, true],
  ["a failure", { hasUnstoredValidators: true }, failed, null, true],
])(
  "whether the validators are those of an answer that is not stored, after %s",
  (_, visit, answer, compared, expected) => {
    expect(decide(visit, answer, compared).hasUnstoredValidators).toBe(expected);
  },
);

test("a change that waits is told by the visit that finds it again", () => {
  const unsure = { ...other("B"), waits: 1 };
  const held = decide({}, {}, unsure);
  expect(held).toMatchObject({ result: "same", change: null, outcome: null, visitAt: NOW + 12 * HOUR, etag: '"old"' });
  expect(decide({ told: held.told }, {}, unsure)).toMatchObject({ result: "changed", change: "changed" });
  expect(decide({ told: held.told }, {}, { ...other("C"), waits: 1 })).toMatchObject({ change: null });
  expect(decide({ told: held.told }, {}, SAME)).toMatchObject({ result: "same", told: { told: "A", back: null } });
  expect(decide({ told: held.told }, unchanged).told).toMatchObject({ told: "A", back: null });
  // Its lane had no time for a second look.
  expect(decide({}, {}, { ...unsure, isLater: true }).visitAt).toBe(NOW + HOUR / 12);
});
