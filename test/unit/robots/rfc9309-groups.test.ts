/** RFC 9309, sections 2.1, 2.2, 2.2.1 and 2.2.4: which lines make a group, and which group applies to a crawler. */
import { describe, expect, test } from "vitest";
import { crawlDelayOf, decideRobots } from "../../../src/robots/decide-robots.ts";
import { parseRobots } from "../../../src/robots/parse.ts";

/** Section, title, file, our token, path, whether it is allowed, the group that applied. */
type Case = readonly [string, string, string, string, string, boolean, string | null];

const EXAMPLE_5_1 = `
            User-Agent: *
            Disallow: *.gif$
            Disallow: /example/
            Allow: /publications/

            User-Agent: foobot
            Disallow:/
            Allow:/example/page.html
            Allow:/example/allowed.gif

            User-Agent: barbot
            User-Agent: bazbot
            Disallow: /example/page.html

            User-Agent: quxbot

`;

const EXAMPLE_MERGE =
  "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n";
const EXAMPLE_STAR = "user-agent: *\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\ndisallow: /baz\n";

const CASES: readonly Case[] = [
  ["2.1", "a rule is a key and a value", "user-agent: a\ndisallow: /x", "a", "/x", false, "a"],
  ["2.1", "several agents share the rules", "user-agent: a\nuser-agent: b\ndisallow: /x", "a", "/x", false, "a"],
  ["2.1", "several agents share the rules", "user-agent: a\nuser-agent: b\ndisallow: /x", "b", "/x", false, "b"],
  ["2.1", "a group has several rules", "user-agent: a\ndisallow: /x\ndisallow: /y", "a", "/y", false, "a"],
  [
    "2.1",
    "a user-agent line ends it",
    "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /y",
    "a",
    "/y",
    true,
    "a",
  ],
  [
    "2.1",
    "a user-agent line ends it",
    "user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /y",
    "b",
    "/x",
    true,
    "b",
  ],
  ["2.1", "the end of the file ends it", "user-agent: a\ndisallow: /x", "a", "/y", true, "a"],
  ["2.1", "a last group without rules", "user-agent: *\ndisallow: /\nuser-agent: a", "a", "/x", true, "a"],
  [
    "2.1",
    "a group of several without rules",
    "user-agent: *\ndisallow: /\nuser-agent: b\nuser-agent: a\n",
    "a",
    "/",
    true,
    "a",
  ],

  ["2.2", "an empty file", "", "a", "/x", true, null],
  ["2.2", "empty lines alone", "\n\n\r\n\r", "a", "/x", true, null],
  ["2.2", "comments alone", "# user-agent: *\n# disallow: /\n", "a", "/x", true, null],
  ["2.2", "empty lines between agents", "user-agent: a\n\n\nuser-agent: b\n\ndisallow: /", "a", "/x", false, "a"],
  ["2.2", "empty lines between rules", "user-agent: a\ndisallow: /x\n\n\ndisallow: /y", "a", "/y", false, "a"],
  ["2.2", "comments between agents", "user-agent: a\n# and\nuser-agent: b\ndisallow: /", "a", "/x", false, "a"],
  ["2.2", "comments between rules", "user-agent: a\ndisallow: /x\n  # and\ndisallow: /y", "a", "/y", false, "a"],
  ["2.2", "a comment after an agent", "user-agent: a # us\ndisallow: /", "a", "/x", false, "a"],
  ["2.2", "a comment right after an agent", "user-agent: a# us\ndisallow: /", "a", "/x", false, "a"],
  ["2.2", "a comment with # in it", "user-agent: a # us # too\ndisallow: /", "a", "/x", false, "a"],
  ["2.2", "a comment that hides a rule", "user-agent: a\n#disallow: /", "a", "/x", true, "a"],
  ["2.2", "no space after the colon", "user-agent:a\ndisallow:/", "a", "/x", false, "a"],
  ["2.2", "spaces around everything", "  user-agent  :   a   \n  disallow  :   /x   ", "a", "/x", false, "a"],
  ["2.2", "tabs around everything", "\tuser-agent\t:\ta\t\n\tdisallow\t:\t/x\t", "a", "/x", false, "a"],
  ["2.2", "spaces at the end are no path", "user-agent: a\ndisallow: /x \t ", "a", "/x", false, "a"],
  ["2.2", "keys in capitals", "USER-AGENT: a\nDISALLOW: /\nALLOW: /x", "a", "/y", false, "a"],
  ["2.2", "keys in capitals", "USER-AGENT: a\nDISALLOW: /\nALLOW: /x", "a", "/x", true, "a"],
  ["2.2", "keys in both", "uSeR-aGeNt: a\ndIsAlLoW: /\naLlOw: /x", "a", "/x", true, "a"],
  ["2.2", "LF", "user-agent: a\ndisallow: /x\n", "a", "/x", false, "a"],
  ["2.2", "CR", "user-agent: a\rdisallow: /x\r", "a", "/x", false, "a"],
  ["2.2", "CRLF", "user-agent: a\r\ndisallow: /x\r\n", "a", "/x", false, "a"],
  ["2.2", "all three mixed", "user-agent: b\ruser-agent: a\r\n\ndisallow: /y\r\r\ndisallow: /x", "a", "/x", false, "a"],
  ["2.2", "no line end at the end", "user-agent: a\ndisallow: /x", "a", "/x", false, "a"],
  ["2.2", "a byte order mark", "\uFEFFuser-agent: a\ndisallow: /x", "a", "/x", false, "a"],
  ["2.2", "an empty pattern is a rule", "user-agent: a\ndisallow:\nuser-agent: *\ndisallow: /", "a", "/x", true, "a"],
  ["2.2", "an empty pattern is a rule", "user-agent: a\nallow:\nuser-agent: *\ndisallow: /", "a", "/x", true, "a"],
  ["2.2", "an empty pattern with a comment", "user-agent: a\ndisallow: # /\n", "a", "/x", true, "a"],
  ["2.2", "a path begins with a slash", "user-agent: a\ndisallow: x", "a", "/x", true, "a"],
  ["2.2", "a URL is no path", "user-agent: a\ndisallow: https://h.example/x", "a", "/x", true, "a"],

  [
    "2.2.1",
    "case of the agent in the file",
    "user-agent: EXAMPLEBOT\ndisallow: /",
    "examplebot",
    "/x",
    false,
    "examplebot",
  ],
  ["2.2.1", "case of our own token", "user-agent: examplebot\ndisallow: /", "ExampleBot", "/x", false, "examplebot"],
  ["2.2.1", "hyphens and underscores", "user-agent: a-b_c\ndisallow: /", "A-B_C", "/x", false, "a-b_c"],
  [
    "2.2.1",
    "a version is not part of it",
    "user-agent: Orbweaver/1.0\ndisallow: /",
    "Orbweaver",
    "/x",
    false,
    "orbweaver",
  ],
  ["2.2.1", "what follows a space neither", "user-agent: Foo Bar\ndisallow: /", "Foo", "/x", false, "foo"],
  ["2.2.1", "digits end it", "user-agent: foo2\ndisallow: /", "foo", "/x", false, "foo"],
  ["2.2.1", "a longer name is not ours", "user-agent: Orbweaver-News\ndisallow: /", "Orbweaver", "/x", true, null],
  ["2.2.1", "a shorter name is not ours", "user-agent: Orb\ndisallow: /", "Orbweaver", "/x", true, null],
  ["2.2.1", "a name within a name is not ours", "user-agent: weaver\ndisallow: /", "Orbweaver", "/x", true, null],
  ["2.2.1", "example: merged groups", EXAMPLE_MERGE, "ExampleBot", "/foo", false, "examplebot"],
  ["2.2.1", "example: merged groups", EXAMPLE_MERGE, "ExampleBot", "/bar", false, "examplebot"],
  ["2.2.1", "example: merged groups", EXAMPLE_MERGE, "ExampleBot", "/baz", false, "examplebot"],
  ["2.2.1", "example: merged groups", EXAMPLE_MERGE, "ExampleBot", "/qux", true, "examplebot"],
  ["2.2.1", "merged across case", "user-agent: A\ndisallow: /x\nuser-agent: a\ndisallow: /y", "a", "/x", false, "a"],
  [
    "2.2.1",
    "merged across lists",
    "user-agent: a\nuser-agent: b\ndisallow: /x\nuser-agent: a\nallow: /x/",
    "a",
    "/x/",
    true,
    "a",
  ],
  [
    "2.2.1",
    "merged for one alone",
    "user-agent: a\nuser-agent: b\ndisallow: /x\nuser-agent: a\nallow: /x/",
    "b",
    "/x/",
    false,
    "b",
  ],
  [
    "2.2.1",
    "merged with * too",
    "user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow:\nuser-agent: *\ndisallow: /y",
    "a",
    "/y",
    false,
    "*",
  ],
  ["2.2.1", "example: only * is left", EXAMPLE_STAR, "ExampleBot", "/foo", false, "*"],
  ["2.2.1", "example: only * is left", EXAMPLE_STAR, "ExampleBot", "/bar", false, "*"],
  ["2.2.1", "example: only * is left", EXAMPLE_STAR, "ExampleBot", "/baz", true, "*"],
  ["2.2.1", "* adds nothing to a named group", EXAMPLE_STAR, "BazBot", "/foo", true, "bazbot"],
  ["2.2.1", "* before us in a list", "user-agent: *\nuser-agent: a\ndisallow: /x", "a", "/x", false, "a"],
  [
    "2.2.1",
    "* comes second wherever it stands",
    "user-agent: a\ndisallow:/x\nuser-agent: *\ndisallow: /",
    "a",
    "/y",
    true,
    "a",
  ],
  ["2.2.1", "* with words after it", "user-agent: * everybody\ndisallow: /x", "a", "/x", false, "*"],
  ["2.2.1", "*bot is not *", "user-agent: *bot\ndisallow: /", "a", "/x", true, null],
  ["2.2.1", "nobody named, no *", "user-agent: b\ndisallow: /", "a", "/x", true, null],
  ["2.2.1", "no groups at all", "sitemap: https://h.example/s.xml", "a", "/x", true, null],
  ["2.2.1", "an agent without a name", "user-agent:\ndisallow: /", "a", "/x", true, null],
  [
    "2.2.1",
    "one without a name ends a group",
    "user-agent: a\ndisallow: /x\nuser-agent: 42\ndisallow: /y",
    "a",
    "/y",
    true,
    "a",
  ],
  [
    "2.2.1",
    "names of the language's own",
    "user-agent: __proto__\ndisallow: /x",
    "__proto__",
    "/x",
    false,
    "__proto__",
  ],
  ["2.2.1", "names of the language's own", "user-agent: b\ndisallow: /x", "constructor", "/x", true, null],

  ["2.2.2", "a rule before any group", "disallow: /x\nuser-agent: a\ndisallow: /y", "a", "/x", true, "a"],
  ["2.2.2", "rules and no group", "disallow: /\nallow: /x", "a", "/y", true, null],

  [
    "2.2.4",
    "a sitemap ends no group",
    "user-agent: a\nsitemap: https://h.example/s\ndisallow: /x",
    "a",
    "/x",
    false,
    "a",
  ],
  [
    "2.2.4",
    "a sitemap ends no list",
    "user-agent: a\nsitemap: https://h.example/s\nuser-agent: b\ndisallow: /x",
    "a",
    "/x",
    false,
    "a",
  ],
  [
    "2.2.4",
    "nor does Crawl-delay",
    "user-agent: a\ncrawl-delay: 5\nuser-agent: b\ndisallow: /x",
    "a",
    "/x",
    false,
    "a",
  ],
  ["2.2.4", "nor Host", "user-agent: a\nhost: h.example\nuser-agent: b\ndisallow: /x", "a", "/x", false, "a"],
  [
    "2.2.4",
    "nor Content-Signal",
    "user-agent: a\ncontent-signal: search=yes\nuser-agent: b\ndisallow: /x",
    "a",
    "/x",
    false,
    "a",
  ],
  ["2.2.4", "nor anything unknown", "user-agent: a\nwhat: ever\nuser-agent: b\ndisallow: /x", "a", "/x", false, "a"],
  [
    "2.2.4",
    "a sitemap between rules",
    "user-agent: a\ndisallow: /x\nsitemap: https://h.example/s\ndisallow: /y",
    "a",
    "/y",
    false,
    "a",
  ],
  ["2.2.4", "no misspellings of Allow", "user-agent: a\ndisallow: /\nalow: /x", "a", "/x", false, "a"],

  ["5.1", "example: *", EXAMPLE_5_1, "any", "/publications/x", true, "*"],
  ["5.1", "example: *", EXAMPLE_5_1, "any", "/example/", false, "*"],
  ["5.1", "example: *", EXAMPLE_5_1, "any", "/a/b.gif", false, "*"],
  ["5.1", "example: *", EXAMPLE_5_1, "any", "/a/b.gif?x", true, "*"],
  ["5.1", "example: the longest wins", EXAMPLE_5_1, "any", "/publications/x.gif", true, "*"],
  ["5.1", "example: foobot", EXAMPLE_5_1, "foobot", "/", false, "foobot"],
  ["5.1", "example: foobot", EXAMPLE_5_1, "foobot", "/example/page.html", true, "foobot"],
  ["5.1", "example: foobot", EXAMPLE_5_1, "foobot", "/example/allowed.gif", true, "foobot"],
  ["5.1", "example: foobot", EXAMPLE_5_1, "foobot", "/example/other.gif", false, "foobot"],
  ["5.1", "example: barbot", EXAMPLE_5_1, "barbot", "/example/page.html", false, "barbot"],
  ["5.1", "example: bazbot", EXAMPLE_5_1, "bazbot", "/example/page.html", false, "bazbot"],
  ["5.1", "example: bazbot", EXAMPLE_5_1, "bazbot", "/example/", true, "bazbot"],
  ["5.1", "example: quxbot", EXAMPLE_5_1, "quxbot", "/example/page.html", true, "quxbot"],
];

describe("the group that applies", () => {
  test.each(CASES)("%s %s: %j for %s at %s", (_section, _what, text, token, path, allowed, agent) => {
    expect(decideRobots(parseRobots(text), token, `https://h.example${path}`)).toMatchObject({ allowed, agent });
  });
});

/** Section, title, file, our token, seconds. */
const DELAYS: readonly (readonly [string, string, string, string, number | null])[] = [
  ["2.2.4", "whole seconds", "user-agent: a\ncrawl-delay: 10", "a", 10],
  ["2.2.4", "a fraction", "user-agent: a\ncrawl-delay: 0.5", "a", 0.5],
  ["2.2.4", "a fraction alone", "user-agent: a\ncrawl-delay: .25", "a", 0.25],
  ["2.2.4", "none", "user-agent: a\ncrawl-delay: 0", "a", 0],
  ["2.2.4", "with a comment", "user-agent: a\nCrawl-Delay : 3 # seconds", "a", 3],
  ["2.2.4", "case of the token", "user-agent: Foo\ncrawl-delay: 3", "fOO", 3],
  ["2.2.4", "a word is junk", "user-agent: a\ncrawl-delay: slow", "a", null],
  ["2.2.4", "with its unit", "user-agent: a\ncrawl-delay: 10s", "a", 10],
  ["2.2.4", "with its unit", "user-agent: a\ncrawl-delay: 0.5 sec", "a", 0.5],
  ["2.2.4", "with its unit", "user-agent: a\ncrawl-delay: 10 Seconds", "a", 10],
  ["2.2.4", "another unit is junk", "user-agent: a\ncrawl-delay: 500ms", "a", null],
  ["2.2.4", "without a colon", "user-agent: a\ncrawl-delay 10", "a", 10],
  ["2.2.4", "a sign is junk", "user-agent: a\ncrawl-delay: -1", "a", null],
  ["2.2.4", "an exponent is junk", "user-agent: a\ncrawl-delay: 1e9", "a", null],
  ["2.2.4", "infinity is junk", `user-agent: a\ncrawl-delay: ${"9".repeat(400)}`, "a", null],
  ["2.2.4", "nothing is junk", "user-agent: a\ncrawl-delay:", "a", null],
  ["2.2.4", "outside any group", "crawl-delay: 5\nuser-agent: a\ndisallow: /x", "a", null],
  ["2.2.4", "before the rules", "user-agent: a\ncrawl-delay: 5\ndisallow: /x", "a", 5],
  ["2.2.4", "after the rules", "user-agent: a\ndisallow: /x\ncrawl-delay: 5", "a", 5],
  ["2.2.4", "for all of a list", "user-agent: a\nuser-agent: b\ncrawl-delay: 5", "a", 5],
  [
    "2.2.4",
    "not for those who join the list later",
    "user-agent: b\ncrawl-delay: 5\nuser-agent: *\ndisallow: /x",
    "a",
    null,
  ],
  ["2.2.4", "each its own", "user-agent: b\ncrawl-delay: 5\nuser-agent: a\ncrawl-delay: 2\ndisallow: /x", "a", 2],
  ["2.2.4", "each its own", "user-agent: a\ncrawl-delay: 2\nuser-agent: b\ncrawl-delay: 5\ndisallow: /x", "a", 2],
  ["2.2.4", "the first of two in a row", "user-agent: a\ncrawl-delay: 2\ncrawl-delay: 5", "a", 2],
  ["2.2.4", "* for those that are not named", "user-agent: *\ncrawl-delay: 5", "a", 5],
  [
    "2.2.4",
    "* not for those that are",
    "user-agent: *\ncrawl-delay: 5\nallow: /\nuser-agent: a\ndisallow: /x",
    "a",
    null,
  ],
  [
    "2.2.4",
    "the longest of merged groups",
    "user-agent: a\ncrawl-delay: 5\nallow: /\nuser-agent: a\ncrawl-delay: 2",
    "a",
    5,
  ],
  ["2.2.4", "no group", "", "a", null],
];

describe("crawl delay", () => {
  test.each(DELAYS)("%s %s: %j for %s is %s", (_section, _what, text, token, seconds) => {
    expect(crawlDelayOf(parseRobots(text), token)).toBe(seconds);
  });
});

describe("2.2.4 sitemaps", () => {
  test.each<readonly [string, string[]]>([
    [
      "sitemap: https://h.example/a.xml\nSITEMAP:http://i.example/b.xml",
      ["https://h.example/a.xml", "http://i.example/b.xml"],
    ],
    ["user-agent: a\nsitemap: https://h.example/a.xml\ndisallow: /", ["https://h.example/a.xml"]],
    ["sitemap: https://h.example/a.xml\nsitemap: https://h.example/a.xml", ["https://h.example/a.xml"]],
    ["sitemap: https://h.example/a.xml?b=c:d # the first", ["https://h.example/a.xml?b=c:d"]],
    ["sitemap: HTTPS://H.example/ツ.xml", ["HTTPS://H.example/ツ.xml"]],
    [
      "sitemap: /a.xml\nsitemap: a.xml\nsitemap: //h.example/a.xml\nsitemap: none",
      ["/a.xml", "a.xml", "//h.example/a.xml"],
    ],
    ["sitemap:\nsitemap: https://\nsitemap: https://[\nsitemap: ftp://h.example/a\nsitemap: javascript:alert(1)", []],
    ["sitemap: https://h.example/a b\nsitemap: https://h.example/\0", []],
  ])("%j", (text, sitemaps) => {
    expect(parseRobots(text).sitemaps).toEqual(sitemaps);
  });
});
