import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { XmlTokens } from "../../../../src/media/sitemap/xml-tokens.ts";

const MAX_LENGTH = 50;

/** Everything that is reported, with the parts of a text put together. */
function tokens(...pieces: string[]): string[] {
  const seen: string[] = [];
  let text = "";
  const add = (event: string) => {
    if (text !== "") seen.push(`text ${text}`);
    text = "";
    seen.push(event);
  };
  const xml = new XmlTokens(
    {
      open: (name, attributes) => add(["open", name, ...[...attributes].map((pair) => pair.join("="))].join(" ")),
      close: (name) => add(`close ${name}`),
      text: (part) => {
        text += part;
      },
      doctype: (declaration) => add(`doctype ${declaration}`),
    },
    new Set(["href", "rel"]),
    MAX_LENGTH,
  );
  for (const piece of pieces) xml.write(piece);
  add("end");
  return seen.slice(0, -1);
}

describe("tokens", () => {
  test.each([
    ["<a>b</a>", ["open a", "text b", "close a"]],
    ["<S:Url HREF='1' x='2' rel=3 href='4'/>", ["open s:url href=1 rel=3", "close s:url"]],
    ["<a href='&amp;&#38;&#x26;&apos;&quot;&nbsp;'>", ["open a href=&&&'\"&nbsp;"]],
    ["a&amp;b&#38;c&lol;d&e", ["text a&b&c&lol;d&e"]],
    ["<![CDATA[<a>&amp;]]>b<c/>", ["text <a>&amp;b", "open c", "close c"]],
    ["<!-- <a> --><?php <b ?><c/>", ["open c", "close c"]],
    ["<!DOCTYPE rss SYSTEM 'x'><c/>", ["doctype rss SYSTEM 'x'", "open c", "close c"]],
    [
      "<!DOCTYPE x [<!ENTITY a '<url><loc>b</loc></url>'><!ELEMENT c ANY>\n]>\n<c>&a;</c>",
      ["doctype x [<!ENTITY a '<url", "text >\n", "open c", "text &a;", "close c"],
    ],
    ["</a></b>", ["close a", "close b"]],
  ])("%j", (xml, expected) => expect(tokens(xml, "<")).toEqual(expected));

  test("an attribute is cut one character after the limit", () => {
    expect(tokens(`<a href="${"x".repeat(500)}">`)).toEqual([`open a href=${"x".repeat(MAX_LENGTH + 1)}`]);
  });

  test("what is cut in pieces is the same, as long as no token is too long", () => {
    const part = fc.constantFrom(
      ..."< > / = \" ' & ; ] [ - ! ? x".split(" "),
      ..." \n|<a|</a>|<b:c href='|<d rel=|&amp;|&#38;|&#x2|&quo|t;|<!--|-->|<![CDATA[|]]>|<!DOCTYPE e|<?f ?>".split(
        "|",
      ),
      "\u{1f577}",
    );
    const xml = fc.array(part, { maxLength: 20 }).map((parts) => parts.join("").slice(0, 2 * MAX_LENGTH));
    fc.assert(
      fc.property(xml, fc.array(fc.nat(100)), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        // What the end leaves open is told by the next tag.
        expect(tokens(...pieces, "<")).toEqual(tokens(whole, "<"));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["<!--", "-->"],
    ["<![CDATA[", "]]>"],
    ["<?x ", "?>"],
    ["<!x ", ">"],
    ["<a x='", "'/>"],
    ["<a", "/>"],
    ["</a", ">"],
    ["<a ", "/>"],
    ["<a x", "/>"],
    ["&#", ";"],
  ])("a token of many pieces, %j, holds nothing up, and of it only the end is told", (start, end) => {
    const seen = tokens(start, ...Array<string>(1000).fill("0".repeat(MAX_LENGTH)), end, "<last/>");
    expect(seen.at(-1)).toBe("close last");
    expect(seen.join("").length).toBeLessThan(6 * MAX_LENGTH);
  });
});
