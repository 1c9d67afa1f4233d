import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findOwnHostEvidence, isLoopback, matchesHost, readOwnHosts } from "../../../src/url/own-host.ts";
import { isPublicHost } from "../../../src/url/public-address.ts";

const NONE = readOwnHosts();

describe("isLoopback", () => {
  test.each(["localhost", "a.localhost", "127.0.0.1", "127.9.8.7", "[::1]"])("%s", (host) => {
    expect(isLoopback(host)).toBe(true);
  });
  test.each([
    "localhost.example",
    "notlocalhost",
    "127.0.0.1.example",
    "128.0.0.1",
    "10.0.0.1",
    "0.0.0.0",
    "[::2]",
    "[::ffff:7f00:1]",
    "lvh.me",
  ])("not %s", (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

describe("OWN_HOSTS", () => {
  test.each([
    ["www.example.com", "www.example.com", true],
    ["www.example.com", "www.example.com:8443", true],
    ["WWW.Example.com", "www.example.com", true],
    ["www.example.com", "example.com", false],
    ["www.example.com", "www.example.com.evil.example", false],
    ["www.example.com:8443", "www.example.com:8443", true],
    ["www.example.com:8443", "www.example.com", false],
    ["*.example.com", "docs.example.com", true],
    ["*.example.com", "a.b.example.com:81", true],
    ["*.example.com", "example.com", false],
    ["*.example.com", "notexample.com", false],
    ["*.example.com:81", "docs.example.com:81", true],
    ["*.example.com:81", "docs.example.com", false],
    ["a.example, b.example\n\tc.example", "c.example", true],
    ["10.0.0.5", "10.0.0.5:8080", true],
    ["[fd00::1]", "[fd00::1]:8080", true],
    ["[fd00::1]", "[fd00::1]", true],
    ["[fd00::1]:81", "[fd00::1]", false],
    ["*.internal", "wiki.internal", true],
    ["www.example.com:443", "www.example.com", true],
    ["www.example.com:80", "www.example.com", true],
    ["www.example.com:443", "www.example.com:8443", false],
    ["*.example.com:443", "docs.example.com", true],
    ["[fd00::1]:443", "[fd00::1]", true],
    ["[fd00::1]:443", "[fd00::1]:81", false],
    ["", "example.com", false],
  ])("%j lists %s: %s", (setting, host, expected) => {
    expect(findOwnHostEvidence(host, readOwnHosts(setting), false) !== null).toBe(expected);
  });

  test.each(["*", "*.com", "*.", "https://example.com", "example.com/path", "a b*", "*.*.com", "exa*mple.com", ".com"])(
    "%j makes nothing own, and is named as a problem",
    (word) => {
      const { patterns, problems } = readOwnHosts(word);
      expect(problems.length).toBeGreaterThan(0);
      expect(patterns.some((pattern) => matchesHost(pattern, "www.example.com"))).toBe(false);
    },
  );

  test("whatever it says, a host that it does not name in full, and whose domain it does not name, is not own", () => {
    const word = fc.oneof(fc.constantFrom("*", "*.", "*.com", "com", "*.co", "."), fc.string({ maxLength: 12 }));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const setting = words.join(" ").toLowerCase();
        fc.pre(!setting.includes("victim"));
        expect(findOwnHostEvidence("victim.com", readOwnHosts(setting), false)).toBeNull();
      }),
    );
  });
});

describe("a host that the crawl names", () => {
  test.each([
    "10.0.0.5",
    "192.168.1.1:8080",
    "172.16.3.4",
    "169.254.1.1",
    "100.64.0.9",
    "[fd00::1]",
    "nas.local",
    "wiki",
  ])("%s is own, because it is private", (host) => {
    expect(findOwnHostEvidence(host, NONE, true)).toEqual({ kind: "named" });
    expect(findOwnHostEvidence(host, NONE, false)).toBeNull();
  });

  test("a public host is not made own by being named", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4()), (host) => {
        fc.pre(isPublicHost(host));
        expect(findOwnHostEvidence(host, NONE, true)).toBeNull();
      }),
    );
  });
});
