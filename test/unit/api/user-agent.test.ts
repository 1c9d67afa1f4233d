import { describe, expect, test } from "vitest";
import { crawlRequest, type Installation, toOptions } from "../../../src/api/crawls/crawl-request.ts";
import { scheduleRequest } from "../../../src/api/crawls/schedule-schemas.ts";

/** The User-Agent of a crawl, of a schedule and of the installation can be sent as a header. */

const url = "https://a.test/";
const INSTALLATION: Installation = {
  userAgent: "Orbweaver/0.2",
  store: "warc",
  maxCostUsd: 0,
  documents: [],
  privateAccess: "none",
  allowAddresses: false,
};

const VALID = ["Orbweaver/0.2", "Mozilla/5.0 (compatible; a/1; +https://a.test/)", "a\tb", "Müller/1", "x".repeat(512)];
const INVALID = [
  ["a line break", "a/1\nX-Injected: 1"],
  ["a carriage return", "a/1\r"],
  ["NUL", "a\0b"],
  ["an escape sequence", "a\x1b[31m"],
  ["DEL", "a\x7f"],
  ["a character beyond Latin-1", "бот/1"],
  ["a lone surrogate", "a\ud800"],
  ["a space at its start", " a/1"],
  ["a space at its end", "a/1 "],
  ["spaces alone", "  "],
  ["no character", ""],
  ["513 characters", "x".repeat(513)],
] as const;

test.each(VALID)("%j is accepted", (userAgent) => {
  expect(crawlRequest.parse({ url, userAgent }).userAgent).toBe(userAgent);
});

describe.each(INVALID)("with %s", (_, userAgent) => {
  test("a crawl is refused", () => {
    expect(crawlRequest.safeParse({ url, userAgent }).error?.issues.map(({ path }) => path)).toEqual([["userAgent"]]);
  });

  test("a schedule is refused", () => {
    const { error } = scheduleRequest.safeParse({ cron: "* * * * *", crawl: { url, userAgent } });
    expect(error?.issues.map(({ path }) => path)).toEqual([["crawl", "userAgent"]]);
  });

  test("the variable USER_AGENT is refused, unless the crawl has its own", () => {
    const installation = { ...INSTALLATION, userAgent };
    expect(() => toOptions(crawlRequest.parse({ url }), installation)).toThrow(/USER_AGENT/);
    expect(toOptions(crawlRequest.parse({ url, userAgent: "a/1" }), installation).userAgent).toBe("a/1");
  });
});

test("a header and a User-Agent with a line break are refused in the same words", () => {
  const { error } = crawlRequest.safeParse({ url, userAgent: "a\nb", headers: { a: "a\nb" } });
  const [first, second] = error?.issues.map(({ message }) => message) ?? [];
  expect(first).toContain("control character");
  expect(second).toBe(first);
});

describe("the Accept-Language of a crawl", () => {
  test.each(["", "de", "de-AT, de;q=0.9, *;q=0.1", "zh-Hant-TW,en ; q=0.001", "*", "x".repeat(8)])("%j", (value) => {
    expect(crawlRequest.parse({ url, acceptLanguage: value }).acceptLanguage).toBe(value);
  });

  test.each([
    "de;en",
    "de, ",
    ",de",
    "de;q=2",
    "de;q=0.1234",
    "de\r\nX: 1",
    " de",
    "de_AT",
    "Deutsch!",
    `${"a,".repeat(250)}a`,
  ])("is refused as %j", (value) => {
    const { error } = crawlRequest.safeParse({ url, acceptLanguage: value });
    expect(error?.issues.map(({ path }) => path)).toEqual([["acceptLanguage"]]);
  });
});
