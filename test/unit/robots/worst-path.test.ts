/**
 * The cost of a decision, counted instead of timed: the number of rules in a huge file with which a URL is compared.
 * For the matcher, the cases are such that backtracking would never end.
 */
import { describe, expect, test } from "vitest";
import { decideRobots } from "../../../src/robots/decide-robots.ts";
import { normalizeUrl } from "../../../src/robots/normalize.ts";
import { decodeRobots, MAX_ROBOTS_BYTES, parseRobots } from "../../../src/robots/parse.ts";
import { matchesPattern } from "../../../src/robots/path-pattern.ts";
import { candidates, indexRules } from "../../../src/robots/rule-index.ts";

const HOST = "https://h.example";
const ORDINARY = `${HOST}/shop/en/category/shoes/running?size=42&colour=blue&sort=price`;

function fill(ruleOf: (line: number) => string): ReturnType<typeof parseRobots> {
  const lines = ["User-agent: *"];
  let bytes = 0;
  for (let line = 0; bytes < MAX_ROBOTS_BYTES; line++) {
    const rule = `Disallow: ${ruleOf(line)}`;
    lines.push(rule);
    bytes += rule.length + 1;
  }
  return parseRobots(decodeRobots(new TextEncoder().encode(lines.join("\n"))));
}

describe("a file of 500 KiB", () => {
  /** Title, the rule by its number, their minimum number, a URL, the maximum number of rules compared with it. */
  test.each<readonly [string, (line: number) => string, number, string, number]>([
    ["short literals", (line) => `/${line.toString(36)}`, 30_000, `${HOST}/zzzzzz`, 1_500],
    ["short literals", (line) => `/${line.toString(36)}`, 30_000, ORDINARY, 2_000],
    ["numbers", (line) => `/node/${line}`, 20_000, `${HOST}/node/99999999`, 500],
    ["numbers", (line) => `/node/${line}`, 20_000, ORDINARY, 500],
    ["leading wildcards", (line) => `/*${line.toString(36)}x`, 25_000, `${HOST}/zzzzzz`, 1_500],
    ["leading wildcards", (line) => `/*${line.toString(36)}x`, 25_000, ORDINARY, 2_000],
    ["anchored wildcards", (line) => `/*/p${line}.html$`, 15_000, `${HOST}/a/p77777.htm`, 500],
    ["many parameters", (line) => `/*?*p${line}=`, 15_000, ORDINARY, 500],
    ["encoded text", (line) => `/ツ${line}`, 15_000, ORDINARY, 500],
  ])("of %s", (_what, ruleOf, atLeast, url, atMost) => {
    const index = indexRules(fill(ruleOf).groups);
    expect(index.rules.length).toBeGreaterThan(atLeast);
    expect(candidates(index, normalizeUrl(url)).length).toBeLessThan(atMost);
  });

  test("the index has each rule once", () => {
    const index = indexRules(fill((line) => (line % 3 === 0 ? `/${line}` : `/*a*${line % 90}`)).groups);
    const filed = [...index.unfiled];
    for (const first of index.first) {
      for (let at = first; at !== -1; at = index.next[at] ?? -1) filed.push(at);
    }
    expect(filed.sort((a, b) => a - b)).toEqual(index.rules.map((_rule, position) => position));
  });

  test("a path with repetitions is compared with a rule once", () => {
    const index = indexRules(
      fill((line) => `/*aaa${line.toString(2).replaceAll("0", "a").replaceAll("1", "b")}`).groups,
    );
    const found = candidates(index, `/${"aab".repeat(600)}`);
    expect(new Set(found).size).toBe(found.length);
  });

  test("a rule is found whatever surrounds it", () => {
    const robots = fill((line) => (line === 777 ? "/needle/*/eye$" : `/*${line.toString(36)}!`));
    expect(decideRobots(robots, "orbweaver", `${HOST}/needle/any/eye`).rule).toBe("Disallow: /needle/*/eye$");
  });

  test("agents that share rules do not multiply them", () => {
    const agents = Array.from({ length: 10_000 }, (_, line) => `user-agent: ${line.toString(26).replace(/\d/g, "-")}`);
    const rules = Array.from({ length: 10_000 }, (_, line) => `disallow: /${line}`);
    const text = [...agents, ...rules].join("\n");
    expect(JSON.stringify(parseRobots(text)).length).toBeLessThan(2 * text.length);
  });
});

describe("one pattern", () => {
  const path = `/${"a".repeat(2_000)}`;

  test.each<readonly [string, string, boolean]>([
    ["a thousand wildcards that fail at the end", `/${"*a".repeat(1_000)}b`, false],
    ["a thousand wildcards that fail at the anchor", `/${"*a".repeat(1_000)}*b$`, false],
    ["a thousand wildcards that match", `/${"*a".repeat(1_000)}`, true],
    ["as many wildcards as the path has octets", `/${"*a".repeat(2_000)}$`, true],
    ["one more than that", `/${"*a".repeat(2_001)}`, false],
    ["a hundred thousand wildcards and nothing else", `/${"*".repeat(100_000)}$`, true],
  ])("%s", (_what, pattern, matches) => {
    expect(matchesPattern(pattern, path)).toBe(matches);
  });

  test("a file full of them", () => {
    const robots = fill(
      (line) => `/${"a*".repeat(20)}${line.toString(2).replaceAll("0", "a*").replaceAll("1", "b*")}c`,
    );
    expect(decideRobots(robots, "orbweaver", HOST + path).allowed).toBe(true);
    expect(decideRobots(robots, "orbweaver", `${HOST}/${"ab".repeat(1_000)}`).allowed).toBe(true);
  });
});
