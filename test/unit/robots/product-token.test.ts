/** RFC 9309, section 2.2.1: the product token is a substring of the User-Agent header. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { productToken } from "../../../src/robots/product-token.ts";

describe("product token", () => {
  test.each([
    ["Orbweaver/0.2 (+https://x)", "Orbweaver"],
    ["Orbweaver", "Orbweaver"],
    ["my-crawler_x/2", "my-crawler_x"],
    ["Foo Bar/1.0", "Foo"],
    ["  Foo/1.0", "Foo"],
    ["Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)", "ExampleBot"],
    ["Mozilla/5.0 (compatible; Foobot/2.1; +http://foo.example)", "Foobot"],
    ["mozilla/5.0 (Compatible;Foobot/2.1)", "Foobot"],
    ["Mozilla/5.0 (compatible; +http://foo.example; Foobot)", "Foobot"],
    ["Mozilla/5.0 (compatible; bot@foo.example; Foobot)", "Foobot"],
    [
      "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Foobot/2.1; +http://foo.example) Chrome/1 Safari/2",
      "Foobot",
    ],
    [
      "Mozilla/5.0 (Linux; Android 6) AppleWebKit/537.36 (KHTML, like Gecko) Safari/1 (compatible; Foobot/2.1)",
      "Foobot",
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel) AppleWebKit/600.2.5 (KHTML, like Gecko) Safari/600 (Foobot/0.1; +http://foo.example)",
      "Foobot",
    ],
    ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari/537.36", "Mozilla"],
    ["Mozilla/5.0 (compatible)", "Mozilla"],
    ["Mozilla/5.0 (compatible; 42)", "Mozilla"],
    ["Mozilla/5.0 (compatible; Foobot", "Mozilla"],
    ["Mozilla/5.0", "Mozilla"],
    ["360Spider", "Spider"],
    ["ツ/1.0", ""],
    ["42", ""],
    ["", ""],
  ])("%s is %s", (userAgent, token) => {
    expect(productToken(userAgent)).toBe(token);
  });

  test("never throws, and is a substring of letters, _ and -", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, posing) => {
        const userAgent = posing ? `Mozilla/5.0 (compatible; ${text}` : text;
        const token = productToken(userAgent);
        expect(token).toMatch(/^[A-Za-z_-]*$/);
        expect(userAgent).toContain(token);
      }),
    );
  });
});
