import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize, isPlainPath } from "../../../src/url/canonicalize.ts";
import { messyTail, messyUrl } from "./messy-url.ts";

const H = "https://example.com";
const HEX32 = "9682993c8daa2c5497996114facdc805";

describe("removes", () => {
  test.each([
    ["HTTPS://EXAMPLE.com:443", `${H}/`],
    ["http://example.com:80/a", "http://example.com/a"],
    ["http://example.com:8080/a", "http://example.com:8080/a"],
    [`  ${H}/a\n`, `${H}/a`],
    [`${H}/a/../b/./c`, `${H}/b/c`],
    [`${H}/a#b`, `${H}/a`],
    [`${H}/a#b?c`, `${H}/a`],
    [`${H}/a?b#c`, `${H}/a?b`],
    ["https://user:pa%40ss@example.com/@me", `${H}/@me`],
    ["https://user@example.com:8443/", "https://example.com:8443/"],
    [`${H}?`, `${H}/`],
    [`${H}/a?#b`, `${H}/a`],
    ["https://example.com./a", `${H}/a`],
    ["https://user@example.com.:8443/a?b", "https://example.com:8443/a?b"],
    ["http://127.0.0.1./", "http://127.0.0.1/"],
    ["http://[::1]:8080/", "http://[::1]:8080/"],
    ["http://BÜCHER.example/", "http://xn--bcher-kva.example/"],
    ["http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"],
    ["http://%65xample%2Ecom/", "http://example.com/"],
  ])("%s is %s", (href, canonical) => expect(canonicalize(href)).toBe(canonical));
});

describe("tracking parameters and session ids", () => {
  test.each([
    ["/a?utm_source=x", "/a"],
    ["/a?utm_source=x&utm_medium=y#z", "/a"],
    ["/a?b=1&utm_source=x", "/a?b=1"],
    ["/a?utm_source=x&b=1", "/a?b=1"],
    ["/a?b=1&gclid=x&c=2", "/a?b=1&c=2"],
    ["/a?b=%2f&&fbclid=x&c=+&&d", "/a?b=%2F&&c=+&&d"],
    ["/a?UTM_Source=x&b=1", "/a?b=1"],
    ["/a?utm%5Fsource=x&b=1", "/a?b=1"],
    ["/a?gclid", "/a"],
    ["/a?&gclid=1", "/a"],
    ["/a?_hsenc=1&_hsmi=2&mc_cid=3&mc_eid=4&msclkid=5&dclid=6&gbraid=7&wbraid=8&yclid=9&igshid=0&page=2", "/a?page=2"],
    [`/a?PHPSESSID=${HEX32}&b=1`, "/a?b=1"],
    ["/a?jsessionid=999A9EF028317A82AC83F0FDFE59385A", "/a"],
    ["/a?b=1&ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM", "/a?b=1"],
    [`/a?sid=${HEX32}`, "/a"],
    ["/boo?CFID=12412453&CFTOKEN=15501799&dt=19_08", "/boo?dt=19_08"],
    ["/a.jsp;jsessionid=0F.node1!123?b=1", "/a.jsp?b=1"],
    ["/a;JSESSIONID=0F;v=2/b;jsessionid=1", "/a;v=2/b"],
    ["/a/(S(4hqa0555fwsecu455xqckv45))/b.aspx", "/a/b.aspx"],
    ["/(S(4hqa0555fwsecu455xqckv45))/(S(4hqa0555fwsecu455xqckv46))/", "/"],
    ["/(S(4hqa0555fwsecu455xqckv45));jsessionid=1/a", "/a"],
  ])("%s is %s", (path, canonical) => expect(canonicalize(path, `${H}/x/`)).toBe(H + canonical));
});

describe("keeps byte for byte", () => {
  test.each([
    "/A/b/",
    "/a//b",
    "/a?b=2&a=1",
    "/a?&",
    "/a?b=1&&c",
    "/a?b=c+d&e=%20&f=a/b:c|d",
    "/a?sid=42",
    "/a?cfid=7",
    "/a?gclidx=1&xgclid=2&b=gclid&ref=3&source=4",
    "/a?b=x;utm_source=y",
    "/a?amp;b=1",
    "/a;jsession=1;v=1",
    "/..;jsessionid=1/b",
    "/(S(tooshort))/a",
    "/a/(S(4hqa0555fwsecu455xqckv45))",
    "/a%2Fb%3Fc%25d%23?e%26f%3D",
    "/%E4%BD%A0",
    "/100%/a%zz%4",
  ])("%s", (path) => expect(canonicalize(path, H)).toBe(H + path));

  test("www. and the scheme", () => expect(canonicalize("http://www.example.com/")).toBe("http://www.example.com/"));
});

describe("escapes", () => {
  test.each([
    ["/%41%7e%2D%2e%5f%30", "/A~-._0"],
    ["/%e4%bd%a0?q=%c3%bc%61", "/%E4%BD%A0?q=%C3%BCa"],
    ["/a%2fb", "/a%2Fb"],
    ["/%2541", "/%2541"],
    ["/%4%31", "/%4%31"],
    ["/%%34%31", "/%%341"],
    ["/%%7E%41", "/%~A"],
    ["/a/%2e%2e/b", "/b"],
    ["/ü b", "/%C3%BC%20b"],
  ])("%s is %s", (path, canonical) => expect(canonicalize(path, H)).toBe(H + canonical));
});

describe("a base", () => {
  test.each([
    ["b", "https://example.com/a/", "https://example.com/a/b"],
    ["?c", "https://example.com/a?b", "https://example.com/a?c"],
    ["", "https://example.com/a#b", "https://example.com/a"],
    ["//other.example/a", "http://example.com/", "http://other.example/a"],
    ["https:b", "https://example.com/a/", "https://example.com/a/b"],
    ["http://other.example", "https://example.com/", "http://other.example/"],
    ["http://other.example/", "not a base", "http://other.example/"],
  ])("%s from %s is %s", (href, base, canonical) => expect(canonicalize(href, base)).toBe(canonical));

  test("may be a URL object", () =>
    expect(canonicalize("../b", new URL("https://example.com/a/a"))).toBe("https://example.com/b"));
});

test.each([
  "a",
  "",
  "http://",
  "https://a b/",
  "http://[::1/",
  "http://256.1.1.1/",
  "http://example.com:99999/",
  "http://example.com../",
  "http://./",
  "mailto:a@example.com",
  "javascript:void(0)",
  "data:text/html,a",
  "ftp://example.com/",
  "ws://example.com/",
  "file:///etc/passwd",
  "blob:https://example.com/1",
])("%j is no URL", (href) => expect(canonicalize(href)).toBeNull());

describe("properties", () => {
  const options = { numRuns: 20_000 };

  test("it is idempotent and returns a WHATWG URL", () => {
    fc.assert(
      fc.property(messyUrl, (href) => {
        const once = canonicalize(href);
        if (once === null) return;
        expect(canonicalize(once)).toBe(once);
        expect(new URL(once).href).toBe(once);
        expect(once).not.toContain("#");
      }),
      options,
    );
  });

  test("a URL without noise or escapes is only parsed", () => {
    const clean = fc
      .stringMatching(/^[a-zA-Z0-9/=&._~+:@!$'()*,|-]*$/)
      .filter((text) => !/utm_|clid|sid|\(S\(|\/\.{1,2}(\/|$)/i.test(text));
    fc.assert(
      fc.property(
        clean,
        clean.filter((text) => !/^(_|g|w|e|v|o|p|m|c|r|i|s|a|j|f|d|y|t|l|h|u)/i.test(text) && !text.includes("&")),
        (path, query) => {
          const href = new URL(`https://example.com/${path}${query && `?${query}`}`).href;
          expect(canonicalize(href)).toBe(href);
        },
      ),
    );
  });

  test("hostile repetition takes linear time", () => {
    const many = 100_000;
    for (const unit of [";jsessionid=a", "/(S(4hqa0555fwsecu455xqckv45))", "%", "%%34", "%41", ";", "/"]) {
      expect(canonicalize(`https://example.com/${unit.repeat(many)}/x`)).not.toBeNull();
    }
    for (const unit of ["&utm_a=1", "&b", "&sid=1", "cfid=1&", "%", "&"]) {
      expect(canonicalize(`https://example.com/?${unit.repeat(many)}`)).not.toBeNull();
    }
  }, 5_000);
});

describe("plain paths", () => {
  test.each(["/", "/a", "/a/b.html", "/a//b/", "/A-z_0~9!$&'*+,=:@", "/a./b."])("%s", (path) => {
    expect(isPlainPath(path)).toBe(true);
    expect(isPlainPath(`x${path}`)).toBe(false);
  });

  test.each([
    "",
    "a",
    "//a",
    "/.",
    "/..",
    "/./a",
    "/a/../b",
    "/.well-known",
    "/a b",
    "/a?",
    "/a#",
    "/%41",
    "/a;b",
    "/(a)",
    "/\\",
    "/ü",
    "/a\n",
  ])("%j need not be plain", (path) => {
    expect(isPlainPath(path)).toBe(false);
  });

  test("are unchanged in their canonical URL", () => {
    fc.assert(
      fc.property(fc.oneof(messyTail, fc.webPath(), fc.stringMatching(/^[\w./~!$&'*+,=:@-]*$/)), (tail) => {
        const path = `/${tail}`;
        if (isPlainPath(path)) expect(canonicalize(path, "https://a.test/b/c?d")).toBe(`https://a.test${path}`);
      }),
      { numRuns: 3_000 },
    );
  });
});
