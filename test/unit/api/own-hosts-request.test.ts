import { describe, expect, test } from "vitest";
import { crawlRequest, toOptions } from "../../../src/api/crawls/crawl-request.ts";
import { RequestProblem } from "../../../src/api/requests/request-problem.ts";
import { namedHostsOf } from "../../../src/frontier/lane/host-rights.ts";

/** `ownHosts`, or `--own`: private hosts that a crawl names as its owner's. */

const INSTALLATION = {
  userAgent: "Test/1",
  store: "warc",
  documents: [],
  privateAccess: "seeds",
  allowAddresses: true,
  maxCostUsd: 0,
} as const;

function ownHostsOf(ownHosts: unknown, installation: Parameters<typeof toOptions>[1] = INSTALLATION): string[] {
  return [...toOptions(crawlRequest.parse({ url: "https://a.example/", ownHosts }), installation).ownHosts];
}

test.each([
  ["10.0.0.5", "10.0.0.5"],
  [" 10.0.0.5:8080 ", "10.0.0.5:8080"],
  ["10.5", "10.0.0.5"],
  ["10.0.0.5:80", "10.0.0.5:80"],
  ["[FD00::1]:8080", "[fd00::1]:8080"],
  ["Wiki", "wiki"],
  ["wiki.internal:8443", "wiki.internal:8443"],
  ["wiki.internal:443", "wiki.internal:443"],
  ["nas.local.", "nas.local"],
  ["a_b.local", "a_b.local"],
  ["münchen.local", "xn--mnchen-3ya.local"],
  ["localhost:8787", "localhost:8787"],
])("%j is %s", (written, host) => {
  expect(ownHostsOf([written])).toEqual([host]);
});

test("a host comes once, and without a port stands for all ports", () => {
  expect(ownHostsOf(["10.0.0.5", "10.5"])).toEqual(["10.0.0.5"]);
  const named = namedHostsOf({
    urls: [],
    ignoreRobots: false,
    ownHosts: ownHostsOf(["10.0.0.5", "wiki:81", "nas.local:80"]),
  });
  for (const host of ["10.0.0.5", "10.0.0.5:8080", "wiki:81", "nas.local"]) expect(named.has(host)).toBe(true);
  for (const host of ["wiki", "wiki:82", "nas.local:81", "10.0.0.6"]) expect(named.has(host)).toBe(false);
});

describe("is refused", () => {
  const refusalOf = (written: string, installation = {}): unknown => {
    try {
      return ownHostsOf([written], { ...INSTALLATION, ...installation });
    } catch (problem) {
      if (!(problem instanceof RequestProblem)) throw problem;
      return [problem.code, problem.path];
    }
  };

  test.each([
    " ",
    "http://10.0.0.5",
    "10.0.0.5/path",
    "10.0.0.0/8",
    "user@10.0.0.5",
    "10.0.0.5?a",
    "10.0.0.5#a",
    "wiki internal",
    "*",
    "*.internal",
    "nas.local,wiki.local",
    "10.0.0.5:99999",
    "10.0.0.5:http",
    "[::1",
    "fd00::1",
    "10.0.0.256",
  ])("%j, because it is no host", (written) => {
    expect(refusalOf(written)).toEqual(["invalid-host", "ownHosts.0"]);
  });

  test.each(["example.com", "www.example.org:8443", "93.184.215.14", "[2606:4700::1111]"])(
    "%j, because it is public: its owner has to show whose it is",
    (written) => {
      expect(refusalOf(written)).toEqual(["public-host", "ownHosts.0"]);
    },
  );

  test("a private host, where no private host may be asked", () => {
    expect(refusalOf("10.0.0.5", { privateAccess: "none" })).toEqual(["private-address", "ownHosts.0"]);
    expect(refusalOf("10.0.0.5", { allowAddresses: false })).toEqual(["ip-address", "ownHosts.0"]);
  });

  test("a list that is too long, and what is no list of words", () => {
    for (const wrong of [
      Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`),
      [""],
      ["a".repeat(301)],
      "10.0.0.5",
      [5],
    ])
      expect(crawlRequest.safeParse({ url: "https://a.example/", ownHosts: wrong }).success).toBe(false);
  });
});
