import { describe, expect, test } from "vitest";
import { namedHostsOf } from "../../../src/frontier/lane/host-rights.ts";
import { matchesPrivate, privatePatternProblem } from "../../../src/url/private-pattern.ts";

/** The private hosts that a crawl allows beside its seeds. */

describe("a pattern", () => {
  test.each([
    "10.0.0.0/8",
    "192.168.1.0/24",
    "127.0.0.1/32",
    "wiki.internal",
    "nas.local:8080",
    "*.corp.example",
    "[fd00::1]",
  ])("may be %s", (pattern) => expect(privatePatternProblem(pattern)).toBe(null));

  test.each(["0.0.0.0/0", "10.0.0.0/7", "10.0.0.0/33", "10.0.0.999/24", "8.8.8.0/24", "http://a/", "a b", "*", ""])(
    "may not be %j",
    (pattern) => expect(privatePatternProblem(pattern)).not.toBe(null),
  );
});

test.each([
  ["10.0.0.0/8", "10.1.2.3:8080", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["192.168.1.0/24", "192.168.2.1", false],
  ["10.0.0.0/8", "wiki.internal", false],
  ["*.corp.example", "wiki.corp.example", true],
  ["*.corp.example", "corp.example.evil.test", false],
  ["nas.local:8080", "nas.local", false],
])("%s, asked for %s: %j", (pattern, host, matches) => {
  expect(matchesPrivate(pattern, host)).toBe(matches);
});

test("a crawl names its seeds' hosts, its own, and those that it allows, and no others", () => {
  const named = namedHostsOf({
    ...{ urls: ["http://a.internal/"], ownHosts: ["b.internal"], ignoreRobots: false },
    allowPrivate: ["10.0.0.0/8"],
  });
  const hosts = ["a.internal", "b.internal:81", "10.9.9.9", "127.0.0.1", "c.internal"];
  expect(hosts.map((host) => named.has(host))).toEqual([true, true, true, false, false]);
});
