import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashTerm, MAX_TERM, namedTermsOf, subjectTermsOf, termsOf } from "../../../src/topic/terms.ts";

describe("terms", () => {
  test.each([
    ["words in lower case, without stop words", "The Garbage Collector and its Roots", "garbage collector root"],
    [
      "an English plural is a singular",
      "queries classes caches status bus gas pages",
      "query classe cache status bus gas page",
    ],
    ["signs separate words", "pg_dump git-commit e.g. don't", "pg dump git commit"],
    ["forms of a character that look the same", "ｗｏｒｄ ﬁre", "word fire"],
    ["a year has enough digits, a list item has not", "12 2026 x", "2026"],
    ["pairs of characters where a script has no spaces", "数据库 查询", "数据 据库 查询"],
    ["each script by itself", "画像のレイヤーGIMP", "画像 の レイ イヤ ヤー gimp"],
    ["a character alone", "茶", "茶"],
    ["Korean too, whose particles belong to the word", "크롤러는", "크롤 롤러 러는"],
    ["Thai", "กข ค", "กข ค"],
    ["other scripts have words", "поиск в сети Ελληνικά", "поиск сети ελληνικά"],
    ["no text", " … — ", ""],
  ])("%s", (_, text, terms) => {
    expect(termsOf(text).join(" ")).toBe(terms);
  });

  test("a term is bounded and well-formed, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        for (const term of termsOf(text)) {
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(MAX_TERM);
          expect(term.isWellFormed()).toBe(true);
          expect(hashTerm(term)).toBeLessThan(2 ** 24);
        }
      }),
    );
  });

  test("a lone surrogate is no word", () => {
    expect(termsOf("a \ud800 b \udc00\ud800 word\ud800")).toEqual(["word"]);
  });

  test("a hash stays the same in each version: states hold them", () => {
    expect(hashTerm("garbage")).toBe(12_251_678);
  });
});

test.each([
  ["the parts of a name", "XMLStreamReader utf8Decoder", "xmlstreamreader utf8decoder xml stream reader utf8 decoder"],
  ["no part of a word", "streamreader Reader READER", "streamreader reader reader"],
  ["short names", "C++, C# and I/O in R", "c++ c# i/o r"],
  ["no initials, articles or lower-case letters", "J. R. R. Tolkien, a b c, don't, A I", "tolkien"],
  ["a letter at the end of a sentence", "Free, as in R.", "free r"],
])("a text has %s", (_, text, terms) => {
  expect(namedTermsOf(text).join(" ")).toBe(terms);
});

test.each([
  ["r", "r 1"],
  ["C++", "c++ 1"],
  ["i/o in c#", "c# 1, i/o 1"],
  ["vitamin c", "c 1, vitamin 1"],
  ["StreamReader xml", "reader 0.3, stream 0.3, streamreader 1, xml 1"],
  ["a", ""],
])("the subject %j has the terms %j", (words, terms) => {
  const named = [...subjectTermsOf(words)].map(([term, weight]) => `${term} ${weight}`);
  expect(named.toSorted().join(", ")).toBe(terms);
});

/** With a sign beyond ASCII, a text is always searched for names. */
test("a text that is not searched for names has none", () => {
  const odd = fc.array(
    fc.constantFrom("a", "Ab", "XML", "Reader", "B", "A", "I", "9", "+", "#", "/", ".", " ", "_", "-"),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        odd.map((parts) => parts.join("")),
        fc.string(),
      ),
      (text) => {
        expect(namedTermsOf(text)).toEqual(namedTermsOf(`${text} é`));
      },
    ),
    { numRuns: 3_000 },
  );
});
