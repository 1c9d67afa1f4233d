import { describe, expect, test } from "vitest";
import { compileLanguagePreference, NOTHING_SAID } from "../../../src/scope/language-preference.ts";
import { languageOfUrl } from "../../../src/scope/url-language.ts";

test.each([
  ["https://a.test/de/", "de"],
  ["https://a.test/de", "de"],
  ["https://a.test/de?x=1", "de"],
  ["https://a.test/pt-br/x", "pt-BR"],
  ["https://a.test/zh_Hant/x", "zh-Hant"],
  ["https://a.test/docs/fr/x", "fr"],
  ["https://a.test/docs/v2/fr/x", null],
  ["https://a.test/development/", null],
  ["https://a.test/us/", null],
  ["https://a.test/install.de.html", "de"],
  ["https://a.test/install.pt-br.html?x", "pt-BR"],
  ["https://a.test/?lang=fr", "fr"],
  ["https://a.test/de/?hl=en", "en"],
  ["https://a.test/?language=klingon", null],
  ["https://de.wikipedia.org/wiki/X", "de"],
  ["https://www.a.test/x", null],
  // A domain of two labels is a name.
  ["https://de.test/x", null],
])("the URL %s names %s", (url, language) => {
  expect(languageOfUrl(url)).toBe(language);
});

describe("a crawl that prefers de", () => {
  const prefers = compileLanguagePreference(["de"]);
  const PLAIN = "https://a.test/x";

  test.each([
    ["a link with nothing said", PLAIN, null, null, false],
    ["a link on a German page", PLAIN, null, "de-AT", true],
    ["a link on an English page", PLAIN, null, "en", false],
    ["a German URL on an English page", "https://a.test/de/x", null, "en", true],
    ["an English URL on a German page", "https://a.test/en/x", null, "de", false],
    ["hreflang before the URL", "https://a.test/en/x", "de", "en", true],
    ["hreflang for readers of no language", "https://a.test/en/x", "x-default", "de", false],
  ])("%s", (_, url, target, page, expected) => {
    expect(prefers(url, { target, page })).toBe(expected);
  });
});

test("a crawl of all languages prefers none", () => {
  expect(compileLanguagePreference([])("https://a.test/de/", { ...NOTHING_SAID, page: "de" })).toBe(false);
});
