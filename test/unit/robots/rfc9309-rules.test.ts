/** RFC 9309, sections 2.2.2 and 2.2.3: which rules match a URL, and which of them decides. */
import { describe, expect, test } from "vitest";
import { decideRobots } from "../../../src/robots/decide-robots.ts";
import { parseRobots } from "../../../src/robots/parse.ts";

/** Section, title, rules ("+" allows, "-" disallows), path and query, whether they are allowed. */
type Case = readonly [string, string, string, string, boolean];

const CASES: readonly Case[] = [
  ["2.2.2", "allow", "-/ +/x", "/x", true],
  ["2.2.2", "disallow", "-/x", "/x", false],
  ["2.2.2", "case matters", "-/x", "/X", true],
  ["2.2.2", "case matters", "-/X", "/x", true],
  ["2.2.2", "from the first octet", "-/x", "/y/x", true],
  ["2.2.2", "a beginning is enough", "-/x", "/xyz/a?b=c", false],
  ["2.2.2", "the whole rule is needed", "-/xyz", "/xy", true],
  ["2.2.2", "the slash at the end counts", "-/x/", "/x", true],
  ["2.2.2", "the slash at the end counts", "-/x/", "/x/", false],
  ["2.2.2", "the query is matched", "-/x?a=1", "/x?a=12", false],
  ["2.2.2", "the query is matched", "-/x?a=1", "/x?b=1", true],
  ["2.2.2", "a rule may end in ?", "-/x?", "/x?", false],
  ["2.2.2", "a rule may end in ?", "-/x?", "/x", true],
  ["2.2.2", "the fragment is not", "-/x#y", "/x", false],
  ["2.2.2", "no path is the root", "-/", "", false],
  ["2.2.2", "no path but a query", "-/?a", "?a=b", false],
  ["2.2.2", "no path but a fragment", "-/$", "#a", false],
  ["2.2.2", "the most octets win, allow", "-/x +/x/y", "/x/y", true],
  ["2.2.2", "the most octets win, disallow", "+/x -/x/y", "/x/y", false],
  ["2.2.2", "in any order", "+/x/y -/x", "/x/y", true],
  ["2.2.2", "in any order", "-/x/y +/x", "/x/y", false],
  ["2.2.2", "of three", "-/ +/x -/x/y", "/x/z", true],
  ["2.2.2", "of three", "-/ +/x -/x/y", "/x/y", false],
  ["2.2.2", "only rules that match count", "-/x +/longer/but/elsewhere", "/x", false],
  ["2.2.2", "duplicates", "-/x -/x -/x +/x/y +/x/y", "/x/y", true],
  ["2.2.2", "equivalent rules: allow", "-/x +/x", "/x", true],
  ["2.2.2", "equivalent rules: allow", "+/x -/x", "/x", true],
  ["2.2.2", "equivalent once normalised", "-/%61 +/a", "/a", true],
  ["2.2.2", "as long as each other: allow", "-/x* +/xy", "/xy", true],
  ["2.2.2", "no match", "-/x -/y", "/z", true],
  ["2.2.2", "no rules", "", "/z", true],
  ["2.2.2", "empty rules alone", "- +", "/z", true],
  ["2.2.2", "an empty rule undoes nothing", "-/z -", "/z", false],
  ["2.2.2", "an empty allow undoes nothing", "-/z +", "/z", false],
  ["2.2.2", "/robots.txt is allowed", "-/", "/robots.txt", true],
  ["2.2.2", "/robots.txt is allowed", "-/robots.txt", "/robots.txt", true],
  ["2.2.2", "/robots.txt is allowed", "-*robots.txt$", "/robots.txt#x", true],
  ["2.2.2", "/robots.txt is allowed", "-/", "/robots%2Etxt", true],
  ["2.2.2", "no other robots.txt is", "-/", "/a/robots.txt", false],
  ["2.2.2", "no other robots.txt is", "-/", "/robots.txts", false],
  ["2.2.2", "no other robots.txt is", "-/", "/ROBOTS.TXT", false],

  ["2.2.2", "example 1", "-/foo/bar?baz=quz", "/foo/bar?baz=quz", false],
  ["2.2.2", "example 2, as it stands", "-/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", false],
  ["2.2.2", "example 2, URL encoded", "-/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false],
  ["2.2.2", "example 2, rule encoded", "-/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar", false],
  [
    "2.2.2",
    "example 2, both encoded",
    "-/foo/bar?baz=https%3a%2f%2Ffoo.bar",
    "/foo/bar?baz=https%3A%2F%2Ffoo.bar",
    false,
  ],
  ["2.2.2", "example 3", "-/foo/bar/ツ", "/foo/bar/ツ", false],
  ["2.2.2", "example 3", "-/foo/bar/ツ", "/foo/bar/%E3%83%84", false],
  ["2.2.2", "example 4", "-/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", false],
  ["2.2.2", "example 4", "-/foo/bar/%E3%83%84", "/foo/bar/ツ", false],
  ["2.2.2", "example 5", "-/foo/bar/%62%61%7A", "/foo/bar/baz", false],
  ["2.2.2", "example 5, the other way", "-/foo/bar/baz", "/foo/bar/%62%61%7A", false],
  ["2.2.2", "hex digits in either case", "-/%e3%83%84", "/%E3%83%84", false],
  ["2.2.2", "hex digits in either case", "-/%E3%83%84", "/%e3%83%84", false],
  ["2.2.2", "a beginning of the octets of a character", "-/%E3%83", "/ツ", false],
  ["2.2.2", "beyond the first plane", "-/😀", "/%F0%9F%98%80", false],
  ["2.2.2", "every unreserved mark", "-/%2D%2E%5F%7E%30", "/-._~0", false],
  ["2.2.2", "every unreserved mark", "-/-._~0", "/%2d%2e%5f%7e%30", false],
  ["2.2.2", "a reserved octet stays encoded: /", "-/a%2Fb", "/a/b", true],
  ["2.2.2", "a reserved octet stays encoded: /", "-/a/b", "/a%2Fb", true],
  ["2.2.2", "a reserved octet equals itself: /", "-/a%2fb", "/a%2Fb", false],
  ["2.2.2", "a reserved octet stays encoded: ?", "-/a?b", "/a%3Fb", true],
  ["2.2.2", "a reserved octet stays encoded: ?", "-/a%3Fb", "/a?b", true],
  ["2.2.2", "a reserved octet stays encoded: :", "-/a%3Ab", "/a:b", true],
  ["2.2.2", "a reserved octet stays encoded: #", "-/a%23b", "/a#b", true],
  ["2.2.2", "a reserved octet equals itself: #", "-/a%23b", "/a%23b", false],
  ["2.2.2", "what delimits in a query stays encoded: &", "-/a?b=%26", "/a?b=&", true],
  ["2.2.2", "what delimits in a query stays encoded: =", "-/a?b%3D", "/a?b=", true],
  ["2.2.2", "what delimits in a query stays encoded: +", "-/a?b=%2B", "/a?b=+", true],
  ["2.2.2", "a wildcard that reaches into the query", "-/*Special:", "/w?title=Special:Search", false],
  ["2.2.2", "a wildcard that reaches into the query", "-/*Special:", "/w?title=Special%3ASearch", false],
  ["2.2.2", "a wildcard that reaches into the query", "-/*Special%3A", "/w?title=Special%3ASearch", false],
  ["2.2.2", "a quote, which URLs encode in a query", "-/a?b='c", "/a?b='c", false],
  ["2.2.2", "neither reserved nor unreserved: encoded", "-/a b", "/a%20b", false],
  ["2.2.2", "neither reserved nor unreserved: encoded", '-/{"|^`<>}', '/{"|^`<>}', false],
  ["2.2.2", "neither reserved nor unreserved: kept", "-/%7B%22", '/{"', false],
  ["2.2.2", "an encoded percent sign stays", "-/100%25", "/100%25", false],
  ["2.2.2", "an encoded percent sign stays", "-/%2561", "/a", true],
  ["2.2.2", "a bare percent sign is itself", "-/100%", "/100%", false],
  ["2.2.2", "a broken escape is itself", "-/%zz%4", "/%zz%4", false],
  ["2.2.2", "a NUL in the URL", "-/a%00b", "/a\0b", false],
  ["2.2.2", "octets are those of the encoded form", "-/*83", "/ツ", false],

  ["2.2.3", "# begins a comment", "-/x#y", "/xz", false],
  ["2.2.3", "$ ends the pattern", "-/this/path/exactly$", "/this/path/exactly", false],
  ["2.2.3", "$ ends the pattern", "-/this/path/exactly$", "/this/path/exactly/", true],
  ["2.2.3", "$ ends the pattern, query too", "-/this/path/exactly$", "/this/path/exactly?", true],
  ["2.2.3", "$ at the root", "-/$", "/", false],
  ["2.2.3", "$ at the root", "-/$", "/x", true],
  ["2.2.3", "$ anywhere else is itself", "-/a$b", "/a$b", false],
  ["2.2.3", "$ anywhere else is itself", "-/a$b", "/a", true],
  ["2.2.3", "$ twice", "-/a$$", "/a$", false],
  ["2.2.3", "$ twice", "-/a$$", "/a", true],
  ["2.2.3", "* is any octets", "-/this/*/exactly", "/this/and/that/exactly", false],
  ["2.2.3", "* is no octets too", "-/a*b", "/ab", false],
  ["2.2.3", "* does not do away with the slashes", "-/this/*/exactly", "/this/exactly", true],
  ["2.2.3", "* crosses ?", "-/a*b", "/a?x=b", false],
  ["2.2.3", "* at the beginning", "-*.gif", "/a/b.gif", false],
  ["2.2.3", "* at the end changes nothing", "-/a*", "/ab", false],
  ["2.2.3", "* at the end changes nothing", "-/a*", "/b", true],
  ["2.2.3", "* alone", "-*", "/x", false],
  ["2.2.3", "** is *", "-/a**b", "/axb", false],
  ["2.2.3", "*$ is all", "-/a*$", "/axb", false],
  ["2.2.3", "several *", "-/a*b*c", "/a1b2c3", false],
  ["2.2.3", "several *, in order", "-/a*b*c", "/a1c2b3", true],
  ["2.2.3", "* and $", "-/*.php$", "/a.php.php", false],
  ["2.2.3", "* and $", "-/*.php$", "/a.php.phpx", true],
  ["2.2.3", "* and $ do not use an octet twice", "-/aba*aba$", "/ababa", true],
  ["2.2.3", "* and $ do not use an octet twice", "-/aba*aba$", "/abaaba", false],
  ["2.2.3", "* takes the later place if it must", "-/*ab*b$", "/ab/ab/b", false],
  ["2.2.3", "an encoded * is itself", "-/path/file-with-a-%2A.html", "/path/file-with-a-*.html", false],
  ["2.2.3", "an encoded * is itself", "-/path/file-with-a-%2A.html", "/path/file-with-a-x.html", true],
  ["2.2.3", "an encoded * is itself", "-/path/file-with-a-%2a.html", "/path/file-with-a-%2A.html", false],
  ["2.2.3", "an encoded $ is itself", "-/path/foo-%24", "/path/foo-$", false],
  ["2.2.3", "an encoded $ is itself", "-/path/foo-%24", "/path/foo-$/bar", false],
  ["2.2.3", "an encoded $ is itself", "-/path/foo-%24", "/path/foo-", true],
  ["2.2.3", "* in a URL is no wildcard", "-/abc", "/a*c", true],
  ["2.2.3", "wildcards count as octets", "+/page -/*.htm", "/page.htm", false],

  [
    "5.2",
    "example: the longest match",
    "+/example/page/ -/example/page/disallowed.gif",
    "/example/page/disallowed.gif",
    false,
  ],
  ["5.2", "example: the longest match", "+/example/page/ -/example/page/disallowed.gif", "/example/page/", true],
];

/** " +" and " -" separate the rules, so that a rule can contain a space. */
function fileOf(rules: string): string {
  const lines = rules
    .split(/ (?=[+-])/)
    .map((rule) => `${rule.startsWith("+") ? "Allow" : "Disallow"}: ${rule.slice(1)}`);
  return ["User-agent: a", ...lines].join("\n");
}

describe("the rule that decides", () => {
  test.each(CASES)("%s %s: %s at %s: %s", (_section, _what, rules, path, allowed) => {
    expect(decideRobots(parseRobots(fileOf(rules)), "a", `https://h.example${path}`).allowed).toBe(allowed);
  });
});

describe("the rule in the answer", () => {
  test.each<readonly [string, string, string | null]>([
    ["-/private", "/private/x", "Disallow: /private"],
    ["-/ +/private", "/private/x", "Allow: /private"],
    ["-/x", "/private", null],
    ["-/ツ", "/ツ", "Disallow: /%E3%83%84"],
    ["-/a*b -/ab*", "/abb", "Disallow: /a*b"],
    ["-/ab* -/a*b", "/abb", "Disallow: /a*b"],
    ["-/", "/robots.txt", null],
  ])("%s at %s: %s", (rules, path, rule) => {
    expect(decideRobots(parseRobots(fileOf(rules)), "a", `https://h.example${path}`).rule).toBe(rule);
  });
});

test.each<readonly [string, boolean]>([
  ["https://h.example:8443/x", false],
  ["http://user:pass@h.example/x", false],
  ["https://h.example/y/../x", false],
  ["https://h.example/y", true],
  ["https://h.example", true],
  ["/x", false],
  ["/y?u=https://h.example/x", true],
  ["h.example/x", false],
  ["", true],
  ["https://[/x", false],
])("a URL of any form: %s", (url, allowed) => {
  expect(decideRobots(parseRobots("user-agent: *\ndisallow: /x"), "a", url).allowed).toBe(allowed);
});
