import { describe, expect, test } from "vitest";
import { refusedExtensions } from "../../../src/media/kind/kinds.ts";
import { compileScope, decideScope, type ScopeInput } from "../../../src/scope/scope.ts";

const INPUT: ScopeInput = {
  hosts: ["example.com"],
  includeSubdomains: false,
  includeExternalLinks: false,
  belowSeeds: [],
  includePatterns: [],
  excludePatterns: [],
  allowActions: null,
  depth: 5,
  privateHosts: new Set(),
  nonPageExtensions: refusedExtensions({ documents: [], media: false }),
};

function verdict(input: Partial<ScopeInput>, url: string, depth = 1): string {
  const decision = decideScope(compileScope({ ...INPUT, ...input }), url, depth);
  return decision.accept ? "accept" : `${decision.reason}: ${decision.detail}`;
}

describe("with a session, links that change something", () => {
  test.each<[Partial<ScopeInput>, string, string]>([
    [{}, "https://example.com/logout", "accept"],
    [{ allowActions: [] }, "https://example.com/logout", "action: logout"],
    [{ allowActions: [] }, "https://example.com/page", "accept"],
    [{ allowActions: ["/logout"] }, "https://example.com/logout", "accept"],
    [{ allowActions: ["/items/*/delete"] }, "https://example.com/logout", "action: logout"],
    [{ allowActions: [], excludePatterns: ["/logout"] }, "https://example.com/logout", "excluded: /logout"],
  ])("%o %s", (input, url, expected) => {
    expect(verdict(input, url)).toBe(expected);
  });
});

describe("hosts", () => {
  const sub = { includeSubdomains: true };
  const www = { ...sub, hosts: ["www.example.com"] };
  const port = { ...sub, hosts: ["example.com:8080"] };
  test.each<[Partial<ScopeInput>, string, string]>([
    [{}, "https://example.com/", "accept"],
    [{}, "http://example.com/a", "accept"],
    [{}, "https://example.com:8443/", "off-host: example.com:8443"],
    [{}, "https://www.example.com/", "off-host: www.example.com"],
    [{}, "https://other.example/", "off-host: other.example"],
    [{ hosts: ["example.com", "other.example"] }, "https://other.example/", "accept"],
    [{ includeExternalLinks: true }, "https://other.example/", "accept"],
    [sub, "https://example.com/", "accept"],
    [sub, "https://docs.example.com/", "accept"],
    [sub, "https://a.b.example.com/", "accept"],
    [sub, "https://notexample.com/", "off-host: notexample.com"],
    [sub, "https://example.com.evil.example/", "off-host: example.com.evil.example"],
    [sub, "https://docs.example.com:8080/", "off-host: docs.example.com:8080"],
    [port, "https://docs.example.com:8080/", "accept"],
    [port, "https://docs.example.com/", "off-host: docs.example.com"],
    [www, "https://www.example.com/", "accept"],
    [www, "https://docs.example.com/", "accept"],
    [www, "https://example.com/", "accept"],
    [www, "https://example.org/", "off-host: example.org"],
    [{ hosts: ["www.example.com"] }, "https://example.com/", "off-host: example.com"],
    // A registry is not a site.
    [{ ...sub, hosts: ["www.gov.uk"] }, "https://other.gov.uk/", "off-host: other.gov.uk"],
    [{ ...sub, hosts: ["www.gov.uk"] }, "https://a.www.gov.uk/", "accept"],
    [{ ...sub, hosts: ["www.example.co.uk"] }, "https://a.example.co.uk/", "accept"],
    [{ ...sub, hosts: ["www.com"] }, "https://example.com/", "off-host: example.com"],
  ])("%j: %s: %s", (input, url, expected) => expect(verdict(input, url)).toBe(expected));
});

describe("private addresses", () => {
  const any = { includeExternalLinks: true };
  const own = { ...any, privateHosts: new Set(["127.0.0.1:8080"]) };
  test.each<[Partial<ScopeInput>, string, string]>([
    [any, "http://127.0.0.1:8080/", "private-address: 127.0.0.1:8080"],
    [any, "http://[::1]/", "private-address: [::1]"],
    [any, "http://localhost/", "private-address: localhost"],
    [{ hosts: ["127.0.0.1:8080"] }, "http://127.0.0.1:8080/", "private-address: 127.0.0.1:8080"],
    [{ hosts: ["127.0.0.1:8080"], privateHosts: "any" }, "http://127.0.0.1:8080/", "accept"],
    [{ privateHosts: "any" }, "http://127.0.0.1:8080/", "off-host: 127.0.0.1:8080"],
    [{ ...any, privateHosts: "any" }, "http://localhost/", "accept"],
    // One's own machine: the hosts of the seeds alone, by name and port.
    [own, "http://127.0.0.1:8080/a", "accept"],
    [own, "http://127.0.0.1:8081/", "private-address: 127.0.0.1:8081"],
    [own, "http://127.0.0.1/", "private-address: 127.0.0.1"],
    [own, "http://localhost:8080/", "private-address: localhost:8080"],
    [own, "http://10.0.0.1/", "private-address: 10.0.0.1"],
    [own, "https://example.com/", "accept"],
    // A seed has led there.
    [{ ...own, hosts: ["127.0.0.1:8080", "10.0.0.1"] }, "http://10.0.0.1/", "private-address: 10.0.0.1"],
  ])("%j: %s: %s", (input, url, expected) => expect(verdict(input, url)).toBe(expected));
});

describe("patterns, depth and extensions", () => {
  const docs = { includePatterns: ["https://example.com/docs/**", "/help/*"] };
  const old = { excludePatterns: ["**/old/**", "/docs/z*"] };
  test.each<[Partial<ScopeInput>, string, number, string]>([
    [docs, "https://example.com/docs/a", 1, "accept"],
    [docs, "https://example.com/help/a", 1, "accept"],
    [docs, "https://example.com/", 1, "not-included: https://example.com/docs/**, /help/*"],
    [old, "https://example.com/a", 1, "accept"],
    [old, "https://example.com/old/a", 1, "excluded: **/old/**"],
    [{ ...docs, ...old }, "https://example.com/docs/za", 1, "excluded: /docs/z*"],
    [{}, "https://example.com/", 5, "accept"],
    [{}, "https://example.com/", 6, "depth: depth 6, the crawl goes to 5"],
    [{ depth: 0 }, "https://example.com/", 0, "accept"],
    [{ depth: 0 }, "https://example.com/", 1, "depth: depth 1, the crawl goes to 0"],
    [{}, "https://example.com/a.JPG?b", 1, "extension: .jpg"],
    [{}, "https://example.com/get?file=a.jpg", 1, "accept"],
  ])("%j: %s at %i: %s", (input, url, depth, expected) => expect(verdict(input, url, depth)).toBe(expected));
});

test("length", () => {
  const longest = `https://example.com/${"a".repeat(2048 - 20)}`;
  expect(verdict({}, longest)).toBe("accept");
  expect(verdict({}, `${longest}a`)).toBe("too-long: 2049 characters");
});

test("the first rule that a URL breaks gives the reason", () => {
  const input = { includePatterns: ["/in/**"], excludePatterns: ["**out**"], depth: 0 };
  const urls = [
    `http://127.0.0.1/out/${"a".repeat(2048)}.pdf`,
    "http://127.0.0.1/out/a.pdf",
    "http://other.example/out/a.pdf",
    "http://example.com/out/a.pdf",
    "http://example.com/a.pdf",
    "http://example.com/in/a.pdf",
  ];
  const reasons = urls.map((url) => verdict(input, url).split(":")[0]);
  expect(reasons).toEqual(["too-long", "private-address", "off-host", "excluded", "not-included", "depth"]);
  expect(verdict({ ...input, depth: 1 }, "http://example.com/in/a.pdf")).toBe("extension: .pdf");
});

test("accepting allocates no decision", () => {
  const scope = compileScope(INPUT);
  expect(decideScope(scope, "https://example.com/a", 1)).toBe(decideScope(scope, "https://example.com/b", 2));
});

describe("below the seeds", () => {
  const docs = { belowSeeds: ["https://example.com/docs/?from=x"] };
  const two = {
    hosts: ["example.com", "other.example", "joined.example"],
    belowSeeds: ["https://example.com/a", "https://other.example/b/"],
  };
  test.each<[Partial<ScopeInput>, string, string]>([
    [docs, "https://example.com/docs/one", "accept"],
    [docs, "http://example.com/docs/one", "accept"],
    [docs, "https://example.com/docs/", "accept"],
    [docs, "https://example.com/docs", "not-below: /docs/"],
    [docs, "https://example.com/", "not-below: /docs/"],
    [{ belowSeeds: ["https://example.com/"] }, "https://example.com/any", "accept"],
    [two, "https://example.com/a/1", "accept"],
    [two, "https://example.com/b/1", "not-below: /a"],
    [two, "https://other.example/b/1", "accept"],
    [two, "https://other.example/a/1", "not-below: /b/"],
    // A host to which a seed redirected.
    [two, "https://joined.example/b/1", "accept"],
    [two, "https://joined.example/c", "not-below: /a, /b/"],
    // Other hosts have no seed that bounds them.
    [{ ...docs, includeExternalLinks: true }, "https://else.example/", "accept"],
    [{ ...docs, includeSubdomains: true }, "https://www.example.com/", "accept"],
    [{ ...docs, excludePatterns: ["**"] }, "https://example.com/x", "not-below: /docs/"],
    [{ ...docs, includePatterns: ["regex:one$"] }, "https://example.com/docs/two", "not-included: regex:one$"],
  ])("%j: %s: %s", (input, url, expected) => {
    expect(verdict(input, url)).toBe(expected);
  });
});
