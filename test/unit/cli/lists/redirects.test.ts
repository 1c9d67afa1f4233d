import { expect, test } from "vitest";
import { type Answered, checkRedirects } from "../../../../src/cli/lists/check-redirects.ts";
import { describeInvalid } from "../../../../src/cli/lists/open-list.ts";
import { readRedirectMap } from "../../../../src/cli/lists/redirect-map.ts";
import { readList } from "../../../../src/crawl/lists/read-list.ts";

const A = "https://a.test";

const MAPS: [what: string, text: string, expected: [from: string, to: string | null, status: number | null][]][] = [
  [
    "words",
    `${A}/1 ${A}/2\n${A}/3 -> ${A}/4 301\n${A}/5 404\n`,
    [
      ["/1", "/2", null],
      ["/3", "/4", 301],
      ["/5", null, 404],
    ],
  ],
  [
    "a header",
    `from,to,status\n${A}/1,${A}/2,301\n${A}/3,/4,\n${A}/5,,410\n`,
    [
      ["/1", "/2", 301],
      ["/3", "/4", null],
      ["/5", null, 410],
    ],
  ],
  ["other headers", `Old URL;New URL;Type\n${A}/1;${A}/2;permanent\n`, [["/1", "/2", 301]]],
  [
    "no header",
    `${A}/1,${A}/2\n${A}/3,${A}/4,302\n`,
    [
      ["/1", "/2", null],
      ["/3", "/4", 302],
    ],
  ],
  ["JSON", `{"from":"${A}/1","to":"${A}/2","status":301}\n`, [["/1", "/2", 301]]],
  [
    "a page that stays",
    `${A}/1 ${A}/1\n${A}/2 200\n`,
    [
      ["/1", "/1", null],
      ["/2", null, 200],
    ],
  ],
];

test.each(MAPS)("a map with %s", (_, text, expected) => {
  const { expectations, invalid } = readRedirectMap(readList(text, "map"), "map");
  const path = (url: string | null) => url?.replace(A, "") ?? null;
  expect(expectations.map(({ from, to, status }) => [path(from), path(to), status])).toEqual(expected);
  expect(invalid).toEqual([]);
});

test("a line that expects nothing is named, one that says the same again counted, a contradiction refused", () => {
  const map = readRedirectMap(readList(`${A}/1\nx y\n${A}/2 ${A}/3\n${A}/2 ${A}/3\n${A}/4 ${A}/5 404\n`, "map"), "map");
  expect(map.invalid.map(({ place }) => place)).toEqual(["line 1", "line 2", "line 5"]);
  expect([map.expectations.length, map.duplicates]).toEqual([1, 1]);
  expect(() => readRedirectMap(readList(`${A}/2 ${A}/3\n${A}/2 ${A}/4\n`, "map"), "map")).toThrow(/line 1 and line 2/);
});

const record = (path: string, httpStatus: number | null, redirectTo: string | null = null): [string, Answered] => [
  `${A}${path}`,
  {
    url: `${A}${path}`,
    httpStatus,
    redirectTo: redirectTo === null ? null : `${A}${redirectTo}`,
    ...(redirectTo === null
      ? { status: httpStatus === 200 ? "completed" : "errored", reason: null }
      : { status: "skipped", reason: "redirected" }),
    explanation: httpStatus === null ? "robots.txt forbids it" : null,
  } as Answered,
];
const RECORDS = new Map([
  record("/ok", 200),
  record("/gone", 410),
  record("/mute", null),
  record("/301", 301, "/ok"),
  record("/308", 308, "/ok"),
  record("/302", 302, "/ok"),
  record("/chain", 301, "/302"),
  record("/dead", 301, "/gone"),
  record("/round", 301, "/about"),
  record("/about", 301, "/round"),
  record("/away", 301, "/unknown"),
  record("/forbidden", 301, "/mute"),
]);

const CHECKS: [from: string, to: string | null, status: number | null, differs: RegExp | null][] = [
  ["/301", "/ok", null, null],
  ["/301", "/ok", 301, null],
  ["/308", "/ok", 301, null],
  ["/302", "/ok", 307, null],
  ["/302", "/ok", null, null],
  ["/chain", "/ok", null, null],
  ["/301", null, 301, null],
  ["/301", "/ok", 200, null],
  ["/ok", "/ok", null, null],
  ["/ok", null, 200, null],
  ["/gone", null, 410, null],
  ["/302", "/ok", 301, /it redirects temporarily \(302\), not with 301/],
  ["/301", "/ok", 302, /it redirects permanently \(301\), not with 302/],
  ["/chain", "/ok", 301, /\/302 redirects temporarily/],
  ["/301", "/gone", null, /leads to .*\/ok, not to .*\/gone/],
  ["/dead", "/gone", null, /\/gone answers 410/],
  ["/ok", "/gone", null, /answers 200, and does not redirect/],
  ["/gone", null, 404, /answers 410, not 404/],
  ["/301", null, 404, /redirects to .*no redirect was expected/],
  ["/301", "/301", null, /no redirect was expected/],
  ["/round", "/ok", null, /in a circle/],
  ["/away", "/unknown", null, /unknown was not fetched/],
  ["/forbidden", "/mute", null, /mute has no answer: robots.txt/],
  ["/mute", "/ok", null, /it has no answer: robots.txt/],
  ["/unknown", null, 404, /was not fetched/],
];

test.each(CHECKS)("%s, expected at %s with %s: %s", (from, to, status, differs) => {
  const expectation = { from: A + from, to: to === null ? null : A + to, status, place: "line 1" };
  const [checked] = checkRedirects([expectation], RECORDS);
  if (differs === null) expect(checked?.differs).toEqual([]);
  else expect(checked?.differs.join("; ")).toMatch(differs);
});

test("a chain has its hops with their statuses", () => {
  const [checked] = checkRedirects([{ from: `${A}/chain`, to: `${A}/ok`, status: null, place: "" }], RECORDS);
  expect(checked?.redirects).toBe(2);
  expect(checked?.hops.map(({ httpStatus }) => httpStatus)).toEqual([301, 302, 200]);
});

test("a log-in in a URL is left out, and the password is not printed", () => {
  const { invalid } = readRedirectMap(readList("https://me:secret@a.test/ https://a.test/2", "list"), "list");
  const lines = describeInvalid(invalid).join("\n");
  expect(lines).toContain("...@a.test/ https://a.test/2 (a name and a password in a URL are not sent");
  expect(lines).not.toContain("secret");
});
