/**
 * Cases that Google publishes for its parser (in its documentation of robots.txt, and as known behaviour), and where we
 * differ from it.
 */
import { describe, expect, test } from "vitest";
import { decideRobots } from "../../../src/robots/decide-robots.ts";
import { parseRobots } from "../../../src/robots/parse.ts";

function isAllowed(text: string, token: string, url: string): boolean {
  return decideRobots(parseRobots(text), token, url).allowed;
}

/** The rule allowed under a general disallow, paths that match it, paths that do not. */
const PATHS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["/", ["/", "/fish", "/?a"], []],
  ["/*", ["/", "/fish", "/?a"], []],
  [
    "/fish",
    ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fishheads/yummy.html", "/fish.php?id=anything"],
    ["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"],
  ],
  [
    "/fish*",
    ["/fish", "/fish.html", "/fish/salmon.html", "/fishheads", "/fish.php?id=anything"],
    ["/Fish.asp", "/catfish"],
  ],
  [
    "/fish/",
    ["/fish/", "/fish/?id=anything", "/fish/salmon.htm"],
    ["/fish", "/fish.html", "/animals/fish/", "/Fish/Salmon.asp"],
  ],
  [
    "/*.php",
    ["/index.php", "/filename.php", "/folder/any.php.file.html", "/filename.php/", "/index?f=filename.php/"],
    ["/", "/windows.PHP", "/php/", "/index?php"],
  ],
  [
    "/*.php$",
    ["/filename.php", "/folder/filename.php"],
    ["/filename.php?parameters", "/filename.php/", "/filename.php5", "/windows.PHP", "/aaaphpaaa", "/filename?php"],
  ],
  ["/fish*.php", ["/fish.php", "/fishheads/catfish.php?parameters"], ["/Fish.PHP", "/fish"]],
];

describe("paths", () => {
  const cases = PATHS.flatMap(([rule, matching, others]) => [
    ...matching.map((path) => [rule, path, true] as const),
    ...others.map((path) => [rule, path, false] as const),
  ]);
  test.each(cases)("%s at %s: %s", (rule, path, allowed) => {
    // This Disallow is shorter than each rule. Only "/" is as long, and wins the tie.
    expect(isAllowed(`user-agent: f\ndisallow: /\nallow: ${rule}`, "f", `http://h.example${path}`)).toBe(allowed);
  });
});

describe("order of precedence", () => {
  test.each<readonly [string, string, boolean]>([
    ["allow: /p\ndisallow: /", "/page", true],
    ["allow: /folder\ndisallow: /folder", "/folder/page", true],
    ["allow: /page\ndisallow: /*.htm", "/page.htm", false],
    ["allow: /page\ndisallow: /*.ph", "/page.php5", true],
    ["allow: /$\ndisallow: /", "/", true],
    ["allow: /$\ndisallow: /", "/page.htm", false],
    ["disallow: /x/page.html\nallow: /x/", "/x/page.html", false],
    ["disallow: /x\nallow: /x/", "/x", false],
    ["disallow: /x\nallow: /x/", "/x/", true],
    ["allow: /x/page.\ndisallow: /*.html", "/x/page.html", true],
    ["allow: /x/page.\ndisallow: /*.html", "/x/y.html", false],
  ])("%j at %s: %s", (rules, path, allowed) => {
    expect(isAllowed(`user-agent: f\n${rules}`, "f", `http://h.example${path}`)).toBe(allowed);
  });
});

describe("order of precedence of user agents", () => {
  const news =
    "user-agent: googlebot-news\ndisallow: /n\nuser-agent: *\ndisallow: /s\nuser-agent: googlebot\ndisallow: /g\n";
  test.each<readonly [string, string, boolean]>([
    ["Googlebot-News", "/n", false],
    ["Googlebot-News", "/g", true],
    ["Googlebot", "/g", false],
    ["Googlebot", "/n", true],
    ["Otherbot", "/s", false],
    ["Otherbot", "/g", true],
  ])("%s at %s: %s", (token, path, allowed) => {
    expect(isAllowed(news, token, `http://h.example${path}`)).toBe(allowed);
  });
});

describe("grouping of lines", () => {
  const text =
    "user-agent: a\ndisallow: /c\n\nuser-agent: b\ndisallow: /d\n\nuser-agent: e\nuser-agent: f\ndisallow: /g\n\nuser-agent: h\n";
  test.each<readonly [string, string, boolean]>([
    ["a", "/c", false],
    ["b", "/d", false],
    ["b", "/c", true],
    ["e", "/g", false],
    ["f", "/g", false],
    ["h", "/g", true],
  ])("%s at %s: %s", (token, path, allowed) => {
    expect(isAllowed(text, token, `http://h.example${path}`)).toBe(allowed);
  });
});

/** A group of `f`, in which Google reads the last line. */
const TYPOS: readonly string[] = [
  "disallow /x",
  "disallow\t/x",
  "Disallow   /x  # all of it",
  "disallowed: /x",
  "dissallow: /x",
  "dissalow: /x",
  "disalow: /x",
  "diasllow: /x",
  "DisAllaw: /x",
  "disalow /x",
];

describe("typos that Google forgives", () => {
  test.each(TYPOS)("%j forbids", (line) => {
    expect(isAllowed(`user-agent: f\n${line}`, "f", "http://h.example/x")).toBe(false);
    expect(isAllowed(`user-agent: f\n${line}`, "f", "http://h.example/y")).toBe(true);
  });

  test.each([
    "useragent: f",
    "user agent: f",
    "UserAgent: f",
    "user-agent f",
    "useragent f",
    "user-agents: f",
    "User-agent *",
    "useragent: *",
  ])("%j begins a group", (line) => {
    expect(isAllowed(`user-agent: g\nallow: /\n${line}\ndisallow: /x`, "f", "http://h.example/x")).toBe(false);
    expect(isAllowed(`user-agent: g\nallow: /\n${line}\ndisallow: /x`, "g", "http://h.example/x")).toBe(true);
  });

  test.each(["disallow everything here", "disallow /x /y", "dis-allow: /x", "user agent f", "disallow"])(
    "%j is a line that nobody can read",
    (line) => {
      expect(isAllowed(`user-agent: f\n${line}`, "f", "http://h.example/x")).toBe(true);
    },
  );
});

describe("where Google goes beyond the RFC and we do not", () => {
  test.each<readonly [string, string, string, boolean]>([
    ["index.html does not stand for its directory", "allow: /a/index.html\ndisallow: /", "/a/", false],
    ["an Allow needs its colon", "disallow: /\nallow /x", "/x", false],
    ["an Allow needs its spelling", "disallow: /\nallowed: /x\nalow: /x", "/x", false],
  ])("%s", (_what, rules, path, allowed) => {
    expect(isAllowed(`user-agent: f\n${rules}`, "f", `http://h.example${path}`)).toBe(allowed);
  });

  test("a line that begins with a byte order mark is read: joined files have such marks in the middle", () => {
    expect(isAllowed("user-agent: f\nallow: /\n\uFEFFuser-agent: *\ndisallow: /", "other", "http://h.example/x")).toBe(
      false,
    );
  });

  test("a long line is not cut", () => {
    const path = `/${"a".repeat(20_000)}`;
    expect(isAllowed(`user-agent: f\ndisallow: ${path}b`, "f", `http://h.example${path}b`)).toBe(false);
    expect(isAllowed(`user-agent: f\ndisallow: ${path}b`, "f", `http://h.example${path}c`)).toBe(true);
  });
});
