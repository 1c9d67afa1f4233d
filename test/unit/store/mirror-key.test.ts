import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownName } from "../../../src/cli/output/out.ts";
import { mirrorKey, mirrorPath } from "../../../src/store/mirror/mirror-key.ts";
import { canonicalize } from "../../../src/url/canonicalize.ts";
import { messyUrl } from "../url/messy-url.ts";

const HASH = /~~[0-9a-z]{14}/g;

describe("the path of a page (# is the hash)", () => {
  test.each([
    ["https://example.com/", "example.com/index.html"],
    ["http://example.com/", "example.com~80/index.html"],
    ["http://127.0.0.1:8080/", "127.0.0.1~8080/index.html"],
    ["https://example.com:8443/", "example.com~https8443/index.html"],
    ["http://[::1]/", "ip6~--1~80/index.html"],
    ["https://[2001:db8::1]/", "ip6~2001-db8--1/index.html"],
    ["http://[::1]:8080/", "ip6~--1~8080/index.html"],
    ["https://a~b.example/", "a%7Eb.example/index.html"],
    ["https://con.example/", "%63on.example/index.html"],

    ["https://example.com/docs/", "example.com/docs/index.html"],
    ["https://example.com/docs/intro", "example.com/docs/intro~.html"],
    ["https://example.com/docs/intro.html", "example.com/docs/intro.html"],
    ["https://example.com/docs/v1.2", "example.com/docs/v1.2"],
    ["https://example.com/docs/index", "example.com/docs/index~.html"],
    ["https://example.com/docs/index.html", "example.com/docs/index.html~.html"],
    ["https://example.com/list?page=2", "example.com/list~page=2.html"],
    ["https://example.com/a.html?page=2", "example.com/a.html~page=2.html"],
    ["https://example.com/?a=1", "example.com/~a=1.html"],
    ["https://example.com/%E4%BD%A0.html", "example.com/%E4%BD%A0.html"],
    ["https://example.com/%E4%BD%A0", "example.com/%E4%BD%A0~.html"],
    ["https://example.com/a.", "example.com/a.~.html"],

    ["https://example.com/~user/a", "example.com/%7Euser/a~.html"],
    ["https://example.com/go?u=https://a/b|c", "example.com/go~u=https%3A%2F%2Fa%2Fb%7Cc.html"],
    ["https://example.com/go?u=https%3A%2F%2Fa", "example.com/go~u=https%253A%252F%252Fa.html"],
    ["https://example.com/a:b/c*d", "example.com/a%3Ab/c%2Ad~.html"],
    ["https://example.com/a%2Fb/", "example.com/a%252Fb/index.html"],

    ["https://example.com/a.html/", "example.com/a.html~/index.html"],
    ["https://example.com/a//b", "example.com/a/~/b~.html"],
    ["https://example.com//", "example.com/~/index.html"],
    ["https://example.com/a./b", "example.com/a.~/b~.html"],
    ["https://example.com/con/nul.html", "example.com/%63on/%6Eul.html~.html"],
    ["https://example.com/com1.d/", "example.com/%63om1.d~/index.html"],
    ["https://example.com/console/com.html", "example.com/console/com.html"],

    ["https://example.com/README", "example.com/README#.html"],
    ["https://example.com/Docs/", "example.com/Docs/index#.html"],
    ["https://example.com/Docs/a.html", "example.com/Docs/a.html#.html"],
    ["https://example.com/a?B=c", "example.com/a~B=c#.html"],
  ])("%s in %s", (url, path) => {
    expect(canonicalize(url)).toBe(url);
    expect(mirrorPath(url).replace(HASH, "#")).toBe(path);
  });

  test("below the crawl", () => expect(mirrorKey("c1", "https://example.com/")).toBe("c1/example.com/index.html"));

  test("names never change, because stored keys depend on the hash", () => {
    expect(mirrorPath("https://example.com/README")).toBe("example.com/README~~00p7l660xizk2k.html");
  });
});

describe("length", () => {
  const long = "a".repeat(300);
  const deep = "abcdefghi/".repeat(180);
  test.each([
    [`/${long}`, `/${"a".repeat(179)}#.html`],
    [`/${long}.html`, `/${"a".repeat(179)}#.html`],
    [`/x?${long}`, `/x~${"a".repeat(177)}#.html`],
    [`/${long}/`, `/${"a".repeat(184)}#/index.html`],
    [`/${deep}x`, `/${"abcdefghi/".repeat(86)}x#.html`],
  ])("%s", (tail, path) =>
    expect(mirrorPath(`https://example.com${tail}`).replace(HASH, "#")).toBe(`example.com${path}`),
  );

  test("hosts that only a URL parser allows", () => {
    const paths = [`http://${long}.a/`, `http://${long}.b/`, `https://${long}.a/`].map(mirrorPath);
    expect(new Set(paths).size).toBe(3);
    for (const path of paths) expect(path.indexOf("/")).toBeLessThanOrEqual(200);
  });
});

/** Asserts that these URLs, and the Markdown of each, have different paths on a case-insensitive disk. */
function expectApart(urls: Iterable<string>): void {
  const files = new Map<string, string>();
  const directories = new Map<string, string>();
  for (const url of urls) {
    const path = mirrorPath(url).toLowerCase();
    for (const file of [path, markdownName(path)]) {
      const other = files.get(file);
      if (other !== undefined && other !== url) expect.fail(`${url} and ${other} are both ${file}`);
      files.set(file, url);
    }
    for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1))
      directories.set(path.slice(0, slash), url);
  }
  for (const [path, url] of files) {
    if (directories.has(path)) expect.fail(`${path} is the file of ${url} and a directory of ${directories.get(path)}`);
  }
}

describe("no two URLs share a path", () => {
  test("all short URLs made of the parts that matter", () => {
    const pieces = ["a", "A", "/", ".", "~", ":", "%", "?", "%3A", "%25", "3A", "html", "index", "con"];
    let tails = [""];
    const urls = new Set<string>();
    for (let length = 1; length <= 5; length++) {
      // The last round uses one part of every kind.
      const next = length === 5 ? ["a", "/", ".", "?", "%3A", "~"] : pieces;
      tails = tails.flatMap((tail) => next.map((piece) => tail + piece));
      for (const tail of tails) {
        const url = canonicalize(`https://e.com/${tail}`);
        if (url !== null) urls.add(url);
      }
    }
    expect(urls.size).toBeGreaterThan(100_000);
    expectApart(urls);
  });

  test("arbitrary URLs, and similar ones", () => {
    fc.assert(
      fc.property(fc.array(messyUrl, { minLength: 2, maxLength: 10 }), (hrefs) => {
        const alike = hrefs.flatMap((href) => [
          href,
          href.toUpperCase(),
          href.toLowerCase(),
          `${href}/`,
          `${href}.html`,
          `${href}.md`,
          `${href}.html.md`,
          `${href}?a`,
          `${href}~`,
        ]);
        expectApart(new Set(alike.map((href) => canonicalize(href)).filter((url) => url !== null)));
      }),
      { numRuns: 3_000 },
    );
  });

  test("long ones that differ in one character", () => {
    const lengths = fc.integer({ min: 150, max: 1_900 });
    const unit = fc.constantFrom("a", "A", "a/", "ab.html/", "%3A", ":", "a?", "/");
    fc.assert(
      fc.property(unit, lengths, fc.nat(), fc.constantFrom("b", "B", "/", "?", "."), (what, length, at, other) => {
        const tail = what.repeat(Math.ceil(length / what.length));
        const place = at % tail.length;
        const urls = [tail, tail.slice(0, place) + other + tail.slice(place + 1), tail + other].map((text) =>
          canonicalize(`https://e.com/${text}`),
        );
        expectApart(new Set(urls.filter((url) => url !== null)));
      }),
      { numRuns: 3_000 },
    );
  });

  test("a URL that contains another's hash", () => {
    const url = "https://e.com/README";
    const hash = /~~([0-9a-z]{14})/.exec(mirrorPath(url))?.[1] ?? "";
    const tails = [
      `readme?${hash}`,
      `readme?~${hash}`,
      `readme~~${hash}`,
      `readme~~${hash}.html`,
      `README?${hash}`,
      `?~${hash}`,
      `readme%7E%7E${hash}`,
    ];
    expectApart(new Set([url, ...tails.map((tail) => canonicalize(`https://e.com/${tail}`) ?? "")]));
  });

  test("many hashes", () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200_000; i++) seen.add(mirrorPath(`https://e.com/A${i}`).slice(-19));
    expect(seen.size).toBe(200_000);
  });
});

test("every component is safe on every file system and short", () => {
  fc.assert(
    fc.property(messyUrl, fc.nat(40), (href, times) => {
      const url = canonicalize(href.replace(/[^/?#:@]*$/, (end) => end.repeat(times)));
      if (url === null) return;
      const key = mirrorKey("c".repeat(99), url);
      expect(key.length).toBeLessThanOrEqual(1_000);
      for (const component of key.split("/")) {
        expect(component.length).toBeLessThanOrEqual(200);
        expect(component).toMatch(/^[!#-)+-.0-9;=@-[\]-{}~]+$/);
        expect(component).not.toMatch(/[. ]$/);
        expect(component).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
      }
    }),
    { numRuns: 10_000 },
  );
});
