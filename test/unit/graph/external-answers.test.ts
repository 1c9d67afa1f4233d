import { describe, expect, test } from "vitest";
import {
  describeExternals,
  type ExternalAnswer,
  judgeExternal,
  NO_SUCH_NAME,
  VerdictCounts,
} from "../../../src/graph/external-answers.ts";
import { isReadersLink, TargetList } from "../../../src/graph/external-targets.ts";

/** A status, a target of a redirect, or a reason. */
function answer(given: number | string): ExternalAnswer {
  if (typeof given === "number") return { askedAt: 1, httpStatus: given, target: null, why: null };
  return given.startsWith("/")
    ? { askedAt: 1, httpStatus: 301, target: given, why: null }
    : { askedAt: 1, httpStatus: null, target: null, why: given };
}

function judge(given: Record<string, number | string>, own: Record<string, number> = {}, maxRedirects = 3) {
  const answers = new Map(Object.entries(given).map(([url, each]) => [url, answer(each)]));
  return judgeExternal("/", answers, (url) => own[url] ?? null, maxRedirects);
}

describe("an answer", () => {
  test.each([200, 204, 206])("%i is fine", (status) => {
    expect(judge({ "/": status })).toEqual({ kind: "fine" });
  });

  test.each([404, 410])("%i is broken", (httpStatus) => {
    expect(judge({ "/": httpStatus })).toEqual({ kind: "broken", httpStatus, isRedirected: false });
  });

  test.each([300, 304, 400, 401, 403, 405, 408, 418, 429, 451, 500, 503, 530, 999])("%i is not judged", (status) => {
    expect(judge({ "/": status })).toEqual({ kind: "not-judged", why: `status ${status}` });
  });

  test("of DNS that there is no such name is broken, and any other reason is not judged", () => {
    expect(judge({ "/": NO_SUCH_NAME })).toEqual({ kind: "broken", httpStatus: 0, isRedirected: false });
    for (const why of ["dns", "timeout", "robots", "tls", "private-address"])
      expect(judge({ "/": why })).toEqual({ kind: "not-judged", why });
  });
});

describe("a redirect", () => {
  const cases: [name: string, answers: Record<string, number | string>, verdict: object][] = [
    ["leads to its end", { "/": "/1", "/1": "/2", "/2": 404 }, { kind: "broken", httpStatus: 404, isRedirected: true }],
    ["to a page is fine", { "/": "/1", "/1": 200 }, { kind: "fine" }],
    ["is followed where its target is not known yet", { "/": "/1" }, { kind: "unanswered", url: "/1" }],
    ["to itself is a loop", { "/": "/" }, { kind: "not-judged", why: "redirect-loop" }],
    ["over others to itself is a loop", { "/": "/1", "/1": "/" }, { kind: "not-judged", why: "redirect-loop" }],
    [
      "has a limit",
      { "/": "/1", "/1": "/2", "/2": "/3", "/3": "/4", "/4": 404 },
      { kind: "not-judged", why: "too-many-redirects" },
    ],
    [
      "may have as many hops as the limit",
      { "/": "/1", "/1": "/2", "/2": "/3", "/3": 404 },
      { kind: "broken", httpStatus: 404, isRedirected: true },
    ],
  ];
  test.each(cases)("%s", (_, answers, verdict) => {
    expect(judge(answers)).toEqual(verdict);
  });

  test("back into the crawl is judged by what the crawl saw", () => {
    expect(judge({ "/": "/own" }, { "/own": 200 })).toEqual({ kind: "fine" });
    expect(judge({ "/": "/own" }, { "/own": 0 })).toEqual({ kind: "fine" });
    expect(judge({ "/": "/own" }, { "/own": 410 })).toEqual({ kind: "broken", httpStatus: 410, isRedirected: true });
  });
});

test("every target is counted once, by its verdict", () => {
  const counts = new VerdictCounts();
  counts.add("/fine", { kind: "fine" });
  counts.add("/broken", { kind: "broken", httpStatus: 404, isRedirected: false });
  for (let i = 0; i < 7; i++) counts.add(`/${i}`, { kind: "not-judged", why: "status 403" });
  counts.add("/robots", { kind: "not-judged", why: "robots" });
  counts.add("/left", { kind: "unanswered", url: "/left" });
  const found = counts.toCounts(4);
  expect(found).toEqual({
    targets: 11,
    fine: 1,
    broken: 1,
    notJudged: [
      { why: "status 403", count: 7, examples: ["/0", "/1", "/2", "/3", "/4"] },
      { why: "robots", count: 1, examples: ["/robots"] },
      { why: "waits", count: 1, examples: ["/left"] },
    ],
    linksLeftOut: 4,
  });
  expect(describeExternals(found)).toEqual([
    "11 URLs of other sites were checked: 1 do not exist.",
    "9 of them are not judged (7: status 403; 1: robots.txt forbids it; 1: the host asked to wait for too long).",
    "4 links to further URLs of other sites were not checked.",
  ]);
});

test("a list of targets has a limit, and counts the links beyond it", () => {
  const list = new TargetList(2);
  for (const url of ["/a", "/b", "/c", "/a", "/c", "/d"]) list.add(url);
  list.add("/c", 3);
  expect(list.targets).toEqual([
    ["/a", 2],
    ["/b", 1],
  ]);
  expect(list.leftOut).toBe(6);
});

test("readers click on a and area", () => {
  const kinds = ["a", "area", "frame", "iframe", "link", "refresh", "script", "page", "sitemap"] as const;
  expect(kinds.filter((kind) => isReadersLink({ kind }))).toEqual(["a", "area"]);
});
