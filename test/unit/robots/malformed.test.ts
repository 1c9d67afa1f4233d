/**
 * RFC 9309, sections 2.3.1.1, 2.3.1.5, 2.5 and 3: the readable lines of a broken or hostile file apply, and the rest
 * does no harm.
 */
import { serialize } from "node:v8";
import { describe, expect, test } from "vitest";
import { decideRobots } from "../../../src/robots/decide-robots.ts";
import { decodeRobots, MAX_ROBOTS_BYTES, parseRobots } from "../../../src/robots/parse.ts";

const ENCODER = new TextEncoder();
const AROUND = (junk: string) => `user-agent: a\n${junk}\ndisallow: /x\n`;

/** Section, title, the junk between a user-agent line and a rule. */
const JUNK: readonly (readonly [string, string, string])[] = [
  ["2.3.1.5", "a line without a colon", "what is this"],
  ["2.3.1.5", "a colon alone", ":"],
  ["2.3.1.5", "colons", ":::: : ::"],
  ["2.3.1.5", "no key", ": /y"],
  ["2.3.1.5", "HTML", '<!doctype html>\n<html><body style="a: b">\n<a href="https://h.example/">x</a>'],
  ["2.3.1.5", "JSON", '{"user-agent": "*", "disallow": "/"}'],
  ["2.3.1.5", "NULs", "\0\0disallow\0: /y\0\0"],
  ["2.3.1.5", "control characters", "\x01\x02:\x03\x7F\x1B[31m"],
  ["2.3.1.5", "lone surrogates", "\uD800: \uDFFF"],
  ["2.3.1.5", "replacement characters", "\uFFFD\uFFFD: \uFFFD"],
  ["2.3.1.5", "a quoted rule", '"disallow: /y"'],
  ["2.3.1.5", "line separators that end no line", "a\u2028disallow: /y\u2029\u0085\v\f"],
  ["2.3.1.5", "a huge key", `${"k".repeat(300_000)}: /y`],
  ["2.3.1.5", "a huge value", `unknown: ${"v".repeat(300_000)}`],
  ["2.3.1.5", "a huge comment", `# ${"c".repeat(300_000)}`],
  ["2.3.1.5", "a huge line of white space", " \t".repeat(150_000)],
  ["2.3.1.5", "a huge rule", `allow: /${"z".repeat(300_000)}`],
  ["2.3.1.5", "a huge run of wildcards", `allow: /${"*".repeat(300_000)}z`],
  ["2.3.1.5", "a huge run of wildcards that cannot match", `allow: /${"*a".repeat(150_000)}`],
  ["2.3.1.5", "a huge run of escapes", `allow: /${"%4".repeat(150_000)}`],
  ["2.3.1.5", "a huge agent", `user-agent: ${"b".repeat(300_000)}`],
  ["2.3.1.5", "a huge number that is none", `crawl-delay: ${"9".repeat(300_000)}x`],
  ["2.3.1.5", "a huge address that is none", `sitemap: http://${"s".repeat(300_000)} x`],
  ["2.3.1.5", "very many empty lines", "\n\r".repeat(200_000)],
];

describe("junk between lines", () => {
  test.each(JUNK)("%s %s", (_section, _what, junk) => {
    const robots = parseRobots(AROUND(junk));
    expect(decideRobots(robots, "a", "https://h.example/x").allowed).toBe(false);
    expect(decideRobots(robots, "a", "https://h.example/y").allowed).toBe(true);
  });
});

describe("rules of odd characters", () => {
  test.each<readonly [string, string, string, boolean]>([
    ["a NUL is an octet", "/a\0b", "/a%00b", false],
    ["a NUL hides nothing before it", "/a\0b", "/a", true],
    ["a control character is an octet", "/a\x07", "/a%07", false],
    ["a replaced octet is the replacement character", "/caf\uFFFD", "/caf%EF%BF%BD", false],
    ["a lone surrogate is too", "/caf\uD800", "/caf%EF%BF%BD", false],
    ["a no-break space before the path is no path", "\u00A0/x", "/x", false],
    ["a no-break space after it is", "/x\u00A0", "/x", true],
    ["a no-break space after it is", "/x\u00A0", "/x%C2%A0", false],
  ])("%s: %j at %s", (_what, rule, path, allowed) => {
    expect(decideRobots(parseRobots(`user-agent: a\ndisallow: ${rule}`), "a", `https://h.example${path}`).allowed).toBe(
      allowed,
    );
  });
});

describe("2.3 decoding", () => {
  test.each<readonly [string, number[], string]>([
    ["UTF-8", [0x2f, 0xe3, 0x83, 0x84], "/ツ"],
    ["a byte order mark", [0xef, 0xbb, 0xbf, 0x61], "a"],
    ["an invalid octet", [0x2f, 0xe9, 0x2f], "/\uFFFD/"],
    ["a cut character", [0x61, 0xe3, 0x83], "a\uFFFD"],
    ["nothing", [], ""],
  ])("%s", (_what, bytes, text) => {
    expect(decodeRobots(Uint8Array.from(bytes))).toBe(text);
  });
});

describe("2.5 the limit", () => {
  const filler = (length: number) => `#${"x".repeat(length - 2)}\n`;
  const head = "user-agent: *\n";

  test("is 500 KiB", () => {
    expect(MAX_ROBOTS_BYTES).toBe(500 * 1024);
  });

  /** The last line, the distance of the limit from its first octet, whether the line is read. */
  test.each<readonly [string, number, boolean]>([
    ["disallow: /x", 12, true],
    ["disallow: /x\n", 13, true],
    ["disallow: /x\nallow: /x", 12, true],
    ["disallow: /x\nallow: /x", 13, true],
    ["disallow: /x\nallow: /x", 21, true],
    ["disallow: /x\r\nallow: /x", 13, true],
    ["disallow: /x\rallow: /x", 12, true],
    ["disallow: /xy", 12, false],
    ["disallow: /x ", 12, false],
    ["disallow: /x", 3, false],
    ["disallow: /x", 0, false],
  ])("%j with the limit at %i is read: %s", (tail, limitAt, isRead) => {
    const text = head + filler(MAX_ROBOTS_BYTES - head.length - limitAt) + tail;
    const robots = parseRobots(decodeRobots(ENCODER.encode(text)));
    expect(decideRobots(robots, "a", "https://h.example/x").allowed).toBe(!isRead);
  });

  test("counts octets, not characters, and cuts no character in two", () => {
    const text = decodeRobots(ENCODER.encode(`ツ\n`.repeat(MAX_ROBOTS_BYTES)));
    expect(text).toBe(
      Array(MAX_ROBOTS_BYTES / 4)
        .fill("ツ")
        .join("\n"),
    );
  });

  test("a line longer than the limit has no effect", () => {
    expect(decodeRobots(ENCODER.encode(`disallow: /${"x".repeat(MAX_ROBOTS_BYTES)}`))).toBe("");
  });
});

describe("3 memory: any file fits a Durable Object's value of 2 MB", () => {
  const fill = (lineOf: (line: number) => string) => {
    let text = "user-agent: *\n";
    for (let line = 0; text.length < MAX_ROBOTS_BYTES; line++) text += `${lineOf(line)}\n`;
    return text;
  };
  const bytes = (text: string) => ENCODER.encode(text);
  // The octet 0xFF, which is never UTF-8: nine characters of a pattern for one octet of the file.
  const invalid = (text: string) => bytes(text).map((octet) => (octet === 0x7e ? 0xff : octet));

  test.each<readonly [string, Uint8Array]>([
    ["short rules", bytes(fill((line) => `allow:/${line.toString(36)}`))],
    ["short groups", bytes(fill((line) => `user-agent:${"abcdefghij"[line % 10]}\nallow:`))],
    [
      "agents with delays",
      bytes(fill((line) => `user-agent:${line.toString(26).replace(/\d/g, "_")}\ncrawl-delay:0.333333333333`)),
    ],
    ["sitemaps", bytes(fill((line) => `sitemap:http://${line}`))],
    ["control characters", bytes(fill((line) => `allow:/${line}${"\x01".repeat(200)}`))],
    ["non-ASCII rules", bytes(fill((line) => `allow:/${line}${"ツ".repeat(60)}`))],
    ["short rules and a comment beyond Latin-1", bytes(`# ツ\n${fill((line) => `allow:/${line.toString(36)}`)}`)],
    ["short groups and a comment beyond Latin-1", bytes(`# ツ\n${fill(() => "user-agent:a\nallow:")}`)],
    ["sitemaps beyond Latin-1", bytes(fill((line) => `sitemap:http://${line}/${"ツ".repeat(60)}`))],
    ["invalid octets", invalid(fill((line) => `allow:/${line}${"~".repeat(200)}`))],
    [
      "invalid octets, then groups",
      invalid(`user-agent:b\nallow:/${"~".repeat(160_000)}\n${fill(() => "user-agent:a\nallow:")}`),
    ],
    ["invalid octets in one line", invalid(`user-agent: *\nallow:/${"~".repeat(500_000)}`)],
  ])("%s", (_what, file) => {
    const robots = parseRobots(decodeRobots(file));
    expect(ENCODER.encode(JSON.stringify(robots)).length).toBeLessThan(2_000_000);
    // The size in a storage of objects.
    expect(serialize(robots).length).toBeLessThan(2_000_000);
  });

  test("no valid rule is lost", () => {
    const path = `/${"ツ".repeat(170_000)}`;
    const robots = parseRobots(decodeRobots(bytes(`user-agent: *\ndisallow: ${path}\ndisallow: /x`)));
    expect(robots.groups[0]?.disallow.length).toBe(2);
  });
});
