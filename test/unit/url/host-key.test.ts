import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize } from "../../../src/url/canonicalize.ts";
import { hostKey, hostnameOf, hostOf, originOf, pathAndQueryOf } from "../../../src/url/host-key.ts";
import { messyUrl } from "./messy-url.ts";

describe("parts of a canonical URL", () => {
  test.each([
    ["https://example.com/", "example.com", "example.com", "https://example.com", "/"],
    ["http://example.com/a:b@c?d/e", "example.com", "example.com", "http://example.com", "/a:b@c?d/e"],
    ["https://example.com:8443/a", "example.com:8443", "example.com", "https://example.com:8443", "/a"],
    ["http://[::1]/", "[::1]", "[::1]", "http://[::1]", "/"],
    ["http://[2001:db8::1]:81/a", "[2001:db8::1]:81", "[2001:db8::1]", "http://[2001:db8::1]:81", "/a"],
    ["http://127.0.0.1:8080/", "127.0.0.1:8080", "127.0.0.1", "http://127.0.0.1:8080", "/"],
    ["https://example.com", "example.com", "example.com", "https://example.com", ""],
  ])("%s", (url, host, key, origin, rest) => {
    expect([hostOf(url), hostKey(url), originOf(url), pathAndQueryOf(url)]).toEqual([host, key, origin, rest]);
    expect(hostnameOf(host)).toBe(key);
  });

  test("agree with WHATWG URL", () => {
    fc.assert(
      fc.property(messyUrl, (href) => {
        const url = canonicalize(href);
        if (url === null) return;
        const parsed = new URL(url);
        expect(hostOf(url)).toBe(parsed.host);
        expect(hostKey(url)).toBe(parsed.hostname);
        expect(originOf(url)).toBe(parsed.origin);
        expect(pathAndQueryOf(url)).toBe(parsed.pathname + parsed.search);
      }),
      { numRuns: 2_000 },
    );
  });

  test("give one gate for both schemes and all ports of a host", () => {
    const keys = ["http://example.com/", "https://EXAMPLE.com./", "http://u@example.com:81/a"].map((href) =>
      hostKey(canonicalize(href) ?? ""),
    );
    expect(new Set(keys)).toEqual(new Set(["example.com"]));
  });
});
