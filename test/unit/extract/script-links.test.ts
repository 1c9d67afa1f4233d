import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extractPage } from "../../../src/extract/page.ts";
import { parseHtml } from "../../../src/extract/parse-html.ts";
import { attributeLinks, scriptLinks } from "../../../src/extract/script-links.ts";
import { canonicalize } from "../../../src/url/canonicalize.ts";

describe("string literals", () => {
  test.each<[string, string[]]>([
    [`location.href = "/a/b";`, ["/a/b"]],
    [`go('https://a.test/x?y=1#z')`, ["https://a.test/x?y=1#z"]],
    ["const u = `//a.test/t`", ["//a.test/t"]],
    [`["/one","/two", '/three']`, ["/one", "/two", "/three"]],
    [`{"url":"https:\\/\\/a.test\\/x","b":"\\u002Fy"}`, ["https://a.test/x", "/y"]],
    [`'\\x2fno'`, []],
    [`"/caf\\u00e9"`, ["/café"]],
    [`'/it\\'s'`, ["/it's"]],
    [`// it's a comment\ngo("/after")`, ["/after"]],
    [`// it's a comment with "/inside"`, ["/inside"]],
    [`/* don't */ go("/same-line")`, ["/same-line"]],
    [`x = /["']/; go("/next")\ngo("/line")`, ["/line"]],
    [`\`a\n\${"/in-template"}\n\``, ["/in-template"]],
    [`\`/a/\${b}\``, []],
    [`"/"`, []],
    [`"//"`, []],
    [`"/*"`, []],
    [`"// comment"`, []],
    [`"/a b"`, []],
    [`"</p>"`, []],
    [`"/{id}"`, []],
    [`"/:id"`, []],
    [`"/users/:name/posts"`, []],
    [`"/a/%s"`, []],
    [`"/100%25"`, ["/100%25"]],
    [`"/[a-z]+/"`, []],
    [`"/a|b"`, []],
    [`"/a*"`, []],
    [`"a/b"`, []],
    [`"./a"`, []],
    [`"text/html"`, []],
    [`"1/2/2003"`, []],
    [`"https:"`, []],
    [`"https://"`, []],
    [`"http:///x"`, []],
    [`"ftp://a.test/"`, []],
    [`"javascript:void(0)"`, []],
    [`"mailto:a@a.test"`, []],
    [`"/unended`, []],
    [`"/long${"x".repeat(2_100)}"`, []],
    ["", []],
  ])("%s", (script, expected) => {
    expect([...scriptLinks(script)]).toEqual(expected);
  });

  test("whatever surrounds it on other lines, a plain string is found", () => {
    const path = fc.stringMatching(/^\/[a-z0-9_-]{1,20}(?:\/[a-z0-9_-]{1,10}){0,3}$/);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), path, fc.constantFrom('"', "'"), (noise, url, quote) => {
        // A template literal or an escaped line end may take in what follows: that is the price of knowing no grammar.
        fc.pre(!/[`\\]/.test(noise));
        expect([...scriptLinks(`${noise}\ngo(${quote}${url}${quote})`)]).toContain(url);
      }),
    );
  });

  test("any text is read, and each literal once", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", '"', "`", "\\", "/", "a", "\n", "u", "{") }), (script) => {
        expect([...scriptLinks(script)].length).toBeLessThanOrEqual(script.length / 3);
      }),
    );
  });

  test.each([
    ["quotes that are escaped and never end", `"${'\\"'.repeat(500_000)}`],
    ["one line of apostrophes and quotes in turn", `'"\``.repeat(300_000)],
    ["a string that never ends", `"${"/a".repeat(500_000)}`],
    ["backslashes", "\\".repeat(1_000_000)],
    ["unended strings, line by line", `"'\`/a\n`.repeat(200_000)],
  ])("hostile: %s", (_, script) => {
    expect([...scriptLinks(script)].length).toBeLessThan(script.length);
  });
});

describe("data attributes", () => {
  test.each<[string, string[]]>([
    ["/a", ["/a"]],
    [" https://a.test/b ", ["https://a.test/b"]],
    [`{"next":"/c","n":1}`, ["/c"]],
    [`["/d","e"]`, ["/d"]],
    ["true", []],
    ["a/b", []],
    ["/a /b", []],
    ["", []],
  ])("%s", (value, expected) => {
    expect([...attributeLinks(value)]).toEqual(expected);
  });
});

describe("in a page", () => {
  const page = (html: string, on = true) =>
    extractPage(parseHtml(html), "https://a.test/dir/page", canonicalize, { scriptLinks: on }).links.map(
      ({ url, kind }) => `${kind} ${url.replace("https://a.test", "")}`,
    );

  test.each<[string, string, string[]]>([
    ["off by default it is not read", `<script>"/a"</script><a href=/b>`, ["a /b"]],
    ["after what is written as a link", `<script>"/a"</script><a href=/b>`, ["a /b", "script /a"]],
    ["the kind of a written link stays", `<script>"/b"</script><a href=/b>`, ["a /b"]],
    ["JSON-LD", `<script type="application/ld+json">{"url":"/x"}</script>`, ["script /x"]],
    ["JSON of an application", `<script type="application/json">{"href":"\\/y"}</script>`, ["script /y"]],
    ["a module", `<script type=module>import("/z")</script>`, ["script /z"]],
    ["a type with a parameter", `<script type="text/javascript; charset=utf-8">"/z"</script>`, ["script /z"]],
    ["a template for scripts is none", `<script type="text/x-handlebars">"/t"</script>`, []],
    ["what is in another file is not here", `<script src=/s.js>"/t"</script>`, []],
    ["data attributes", `<div data-href="/d" data-x='{"u":"/e"}' title="/f">`, ["script /d", "script /e"]],
    ["not in a template", `<template><script>"/t"</script><i data-x=/u></i></template>`, []],
    ["to the page's own base", `<base href=https://b.test/><script>"/a"</script>`, ["script https://b.test/a"]],
  ])("%s", (name, html, expected) => {
    expect(page(html, !name.startsWith("off"))).toEqual(expected);
  });

  test("a page has a thousand of them at the most, and a million characters are read", () => {
    const many = Array.from({ length: 2_000 }, (_, i) => `"/${i}"`).join(",");
    expect(page(`<script>[${many}]</script>`)).toHaveLength(1_000);
    expect(page(`<script>${" ".repeat(1_000_000)}"/late"</script><script>"/later"</script>`)).toEqual([]);
  });
});
