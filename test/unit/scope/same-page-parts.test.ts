import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partsOfUrl, removePart } from "../../../src/scope/same-page-parts.ts";
import { canonicalize } from "../../../src/url/canonicalize.ts";

const HOST = "https://example.com";

const partsOf = (tail: string) =>
  partsOfUrl(HOST + tail).map(
    ({ part, value, reduced, scope }) => `${part} ${value} ${reduced.slice(HOST.length)} ${scope}`,
  );

describe("parts of a URL", () => {
  test.each<[string, string[]]>([
    ["/", []],
    ["/?sort=up", ["?sort up / /*"]],
    [
      "/shop/shoes?sort=up&ref=a",
      ["?sort up /shop/shoes?ref=a /shop/*", "?ref a /shop/shoes?sort=up /shop/*", "/shop/  /shoes?sort=up&ref=a /*"],
    ],
    ["/2024/05/a?sort=up", ["?sort up /2024/05/a /#/#/*"]],
    ["/view.php?id=3&sort=up", ["?sort up /view.php?id=3 /view.php"]],
    ["/a?sort=up&sort=down&x=1", ["?sort up&down /a?x=1 /*", "?x 1 /a?sort=up&sort=down /*"]],
    ["/a;zs=12/b", [";zs 12 /a/b /a/*"]],
    ["/docs/print/page", ["/docs/  /print/page /print/*", "/print/  /docs/page /docs/*"]],
    ["/docs/page/print", ["/docs/  /page/print /page/*", "/page/  /docs/print /docs/*", "/print/  /docs/page /docs/*"]],
    // A name of a page is no view of its folder.
    ["/docs/page", ["/docs/  /page /*"]],
  ])("%s", (tail, expected) => expect(partsOf(tail)).toEqual(expected));

  test.each(
    ["page", "id", "q", "lang", "PAGE", "post_id", "p", "id[]", "7", "offset", "month", "photo", "slide"].map(
      (name) => [name],
    ),
  )("%s selects content", (name) => expect(partsOf(`/1?${name}=2`)).toEqual([]));

  test("a reduced URL is canonical, shorter, and on the same origin", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (written) => {
        const url = canonicalize(written);
        if (url === null) return;
        for (const { part, reduced } of partsOfUrl(url)) {
          expect(reduced.length).toBeLessThan(url.length);
          expect(new URL(reduced).origin).toBe(new URL(url).origin);
          expect(removePart(url, part)).toBe(reduced);
        }
      }),
    );
  });
});
