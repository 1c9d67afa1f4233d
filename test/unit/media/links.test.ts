import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRefresh } from "../../../src/media/html/facts/refresh.ts";
import { documentBase, HrefResolver } from "../../../src/media/links/links.ts";
import { canonicalize } from "../../../src/url/canonicalize.ts";

const PAGE = "https://example.com/dir/page?q=1";
const BASES = [PAGE, "http://user:pw@example.com:8080/a/b/", "https://example.com/", "https://[::1]/x?y"];

const resolverOn = (base: string) => new HrefResolver(base, PAGE, canonicalize);
const resolve = (href: string, base = PAGE) => resolverOn(base).resolve(href);

describe("what a link leads to", () => {
  test.each([
    ["other", "https://example.com/dir/other"],
    ["../other", "https://example.com/other"],
    ["/root", "https://example.com/root"],
    ["/", "https://example.com/"],
    ["//other.example/a", "https://other.example/a"],
    ["/\\other.example/a", "https://other.example/a"],
    ["/\t/other.example/a", "https://other.example/a"],
    ["\\a", "https://example.com/a"],
    ["?q=2", "https://example.com/dir/page?q=2"],
    ["HTTP://Other.Example/a#b", "http://other.example/a"],
    ["https:relative", "https://example.com/dir/relative"],
    ["http:other.example", "http://other.example/"],
    [" \n/trimmed\t ", "https://example.com/trimmed"],
    ["/new\nli\r\nne\ts", "https://example.com/newlines"],
    ["java\nscript", "https://example.com/dir/javascript"],
    ["./mailto:x", "https://example.com/dir/mailto:x"],
    ["./a:b/c", "https://example.com/dir/a:b/c"],
    ["other#", "https://example.com/dir/other"],
    ["other #place", "https://example.com/dir/other%20"],
    ["/ü/\u00a0", "https://example.com/%C3%BC/%C2%A0"],
    ["/a?utm_source=x", "https://example.com/a"],
  ])("%j", (href, url) => expect(resolve(href)).toBe(url));

  test.each([
    "javascript:void(0)",
    "JavaScript:alert(1)",
    " \u0001java\nscript:alert(1)",
    "mailto:a@b.example",
    "data:text/html,<a href=x>",
    "tel:+1",
    "about:blank",
    "blob:https://example.com/1",
    "ftp://example.com/",
    "file:///etc/passwd",
    "example.com:8080/a",
  ])("%j is of another scheme: dropped, and not counted", (href) => {
    const resolver = resolverOn(PAGE);
    expect(resolver.resolve(href)).toBeNull();
    expect(resolver.invalidCount).toBe(0);
  });

  test.each(["", "#", "#top", " #top ", "\n", "#a#b"])("%j stays on the page, unless a base leads away", (href) => {
    expect(resolve(href)).toBeNull();
    expect(resolve(href, "https://example.com/other")).toBe("https://example.com/other");
  });

  test("what is no URL is counted once for each, and ten are kept, cut to 500 characters", () => {
    const resolver = resolverOn(PAGE);
    const bad = [
      "http://",
      "https://a b/",
      "//[",
      "http://a:99999/",
      ...Array.from({ length: 20 }, (_, at) => `//[${at}`),
    ];
    for (const href of [...bad, ...bad, "http://[#a", "http://[#b", `//[${"x".repeat(2_000)}`]) {
      expect(resolver.resolve(href)).toBeNull();
    }
    expect(resolver.invalidCount).toBe(bad.length + 2);
    expect(resolver.invalid).toEqual(bad.slice(0, 10));
    const long = resolverOn(PAGE);
    long.resolve(`//[${"x".repeat(2_000)}`);
    expect(long.invalid[0]).toHaveLength(500);
  });

  test("each spelling is canonicalized once, fragments aside", () => {
    const asked: string[] = [];
    const resolver = new HrefResolver(PAGE, PAGE, (href, base) => {
      asked.push(href);
      return canonicalize(href, base);
    });
    for (const href of ["a", "a#1", " a", "a", "//[", "//[", "mailto:x", "#b", "/c"]) resolver.resolve(href);
    // First the base's origin, by which plain paths go.
    expect(asked).toEqual(["https://example.com/", "https://example.com/dir/a", "//["]);
  });

  test("any href leads where the URL standard says, or nowhere", () => {
    const href = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ unit: "binary" }),
      fc
        .array(
          fc.constantFrom(
            "/",
            "\\",
            ":",
            "#",
            "?",
            " ",
            "\t",
            "\n",
            "\0",
            ".",
            "..",
            "a",
            "@",
            "http",
            "https",
            "[",
            "%",
            "ü",
          ),
        )
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(href, fc.constantFrom(...BASES), (href, base) => {
        const url = resolve(href, base);
        const expected = canonicalize(href, base);
        if (url === null) expect([null, canonicalize("", base)]).toContain(expected);
        else expect(url).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("the base", () => {
  test.each([
    [null, PAGE],
    ["", PAGE],
    ["/other/", "https://example.com/other/"],
    ["//cdn.example/x#y", "https://cdn.example/x#y"],
    ["sub/", "https://example.com/dir/sub/"],
    ["http://[", PAGE],
    ["javascript:0", PAGE],
    ["data:,", PAGE],
    ["about:blank", PAGE],
    ["file:///C:/", PAGE],
    ["ftp://example.com/", PAGE],
  ])("%j", (href, base) => expect(documentBase(href, PAGE)).toBe(base));
});

describe("refresh", () => {
  test.each([
    ["5; url='x'", "x"],
    ["0;URL=x", "x"],
    ["0; url=http://a.example/?b=c;d", "http://a.example/?b=c;d"],
    ['0;url="x"y', "x"],
    ["0;url='x", "x"],
    ["0; 'x'", "x"],
    ["0; next.html", "next.html"],
    ["0;url x", "url x"],
    ["0;uri=x", "uri=x"],
    ["0, url=x", "x"],
    ["0 url=x", "x"],
    ["0 ; url = x ", "x "],
    ["  3.5;url=x", "x"],
    [".5;url=x", "x"],
    ["1..2.3;url=x", "x"],
    ["\t0\n;\fURL\r= x", "x"],
    ["0;;url=x", ";url=x"],
    ["5", null],
    ["5;", null],
    ["5; url=", null],
    ["5; url=''", null],
    ["", null],
    ["url=x", null],
    [";url=x", null],
    ["-1;url=x", null],
    ["5x;url=x", null],
    ["0:url=x", null],
  ])("%j", (content, href) => expect(parseRefresh(content)).toBe(href));

  test("long white space costs no more than its length", () => {
    const spaces = " ".repeat(200_000);
    expect(parseRefresh(`0${spaces}x`)).toBe("x");
    expect(parseRefresh(`0;url${spaces}x`)).toBe(`url${spaces}x`);
    expect(parseRefresh(`${"1".repeat(200_000)}x`)).toBeNull();
  });
});
