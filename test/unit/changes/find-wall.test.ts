import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Suspicion } from "../../../src/changes/compare/suspicion.ts";
import { countAlike, marksOf } from "../../../src/changes/walls/answer-marks.ts";
import { type AnswerSigns, findWall } from "../../../src/changes/walls/find-wall.ts";
import { isLost, keptText } from "../../../src/changes/walls/kept-text.ts";
import { leadsBack } from "../../../src/changes/walls/leads-back.ts";
import { findOtherLanguage } from "../../../src/changes/walls/other-language.ts";

const viewed = (title: string, ...blocks: string[]) => ({
  ...{
    title,
    blocks,
    canonical: "",
    places: blocks.map((_, i) => i),
    positions: blocks.map((_, i) => i),
    templateBefore: [[]],
    shared: [],
    rest: "",
    pageText: "",
  },
});

const GUIDE = viewed(
  "Setting up the pump",
  "Setting up the pump",
  "Connect the hose to the inlet, and tighten the ring by hand until it does not turn any more.",
  "The valve opens by itself when the pressure in the tank falls below two bar.",
);
const PRODUCT = viewed("Garden lamp", "Garden lamp", "In stock. Ships in two days.");
const THIN = viewed("", "In stock.");
const JAPANESE = viewed(
  "ポンプの設置",
  "ホースを入口に接続し、リングを手で締めます。",
  "圧力が下がると弁が自動的に開きます。",
);
const LOGIN = viewed("Sign in", "Sign in", "Name", "Password", "Use another account");
const OUTAGE = viewed("Service unavailable", "Service unavailable", "We are working on it. Please come back later.");
const JAPANESE_OUTAGE = viewed("メンテナンス中", "ただいまメンテナンスを行っております。");

const lost = (before: typeof GUIDE, after: typeof GUIDE) => isLost(keptText(before, after));

test.each<[string, typeof GUIDE, typeof GUIDE, boolean]>([
  ["a log-in", GUIDE, LOGIN, true],
  ["an outage", GUIDE, OUTAGE, true],
  ["an outage in a script without spaces", JAPANESE, JAPANESE_OUTAGE, true],
  [
    "another long text of the same language",
    GUIDE,
    viewed("News", "The mayor opened the bridge. It took the town three years, and most of its money."),
    true,
  ],
  ["nothing at all", GUIDE, viewed(""), true],
  ["a product that is sold out", PRODUCT, viewed("Garden lamp", "Garden lamp", "Sold out."), false],
  ["a paragraph less", GUIDE, viewed("Setting up the pump", "Setting up the pump", GUIDE.blocks[2] ?? ""), false],
  ["another order", GUIDE, viewed("Pump, setting up", ...GUIDE.blocks.toReversed()), false],
  [
    "a banner above it",
    GUIDE,
    viewed("Sale!", "All pumps at half their price until Sunday, in all shops.", ...GUIDE.blocks),
    false,
  ],
  ["a page that had no text of its own", viewed(""), OUTAGE, false],
])("of a page's text nothing is left: %s", (_, before, after, expected) => {
  expect(lost(before, after)).toBe(expected);
});

test("any text is kept by itself, and by itself with more around it", () => {
  const text = fc.array(fc.string({ unit: "grapheme" }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.string(), text, text, (title, blocks, more) => {
      expect(lost(viewed(title, ...blocks), viewed(title, ...blocks))).toBe(false);
      expect(keptText(viewed("", ...blocks), viewed("", ...more)).share).toBeLessThanOrEqual(1);
    }),
  );
});

const othersOf = (...answers: (typeof GUIDE)[]) =>
  new Map(answers.map((answer, i) => [`https://a.test/${i}`, new Set(marksOf(answer).map(({ mark }) => mark))]));

test.each<[string, typeof GUIDE, (typeof GUIDE)[], number]>([
  ["two with one log-in", LOGIN, [LOGIN, LOGIN], 2],
  [
    "an outage with numbers of its own",
    viewed("Busy", "Request 8f3a9c77d1b2e4f5a6 failed at 12:04:11.", OUTAGE.blocks[1] ?? ""),
    [viewed("Busy", "Request 1b2c9c77d1b2e4f5c1 failed at 12:09:40.", OUTAGE.blocks[1] ?? "")],
    1,
  ],
  [
    "texts that differ by page",
    viewed("A", "The lamp is made of brass now, and of glass."),
    [viewed("B", "The chair has a new cushion, which is blue.")],
    0,
  ],
  [
    "a sentence that they share, beside a text of their own",
    viewed("A", "We have moved.", GUIDE.blocks[1] ?? ""),
    [viewed("B", "We have moved.", GUIDE.blocks[2] ?? "")],
    0,
  ],
  ["nothing", viewed(""), [viewed("")], 0],
])("pages that answer alike: %s", (_, own, others, expected) => {
  expect(countAlike(marksOf(own), othersOf(...others))).toBe(expected);
});

const SIGNS: AnswerSigns = {
  ...{ kept: keptText(GUIDE, OUTAGE), asks: undefined, leadsTo: null, suspicion: null, alike: 0 },
  ...{ otherLanguage: null, isHostTroubled: false, failures: 0, says: "" },
};
const BLOCKED: { suspicion: Suspicion } = { suspicion: "blocked" };
const KEPT = keptText(PRODUCT, viewed("Garden lamp", "Garden lamp", "Sold out."));
const NAMED = keptText(GUIDE, viewed(GUIDE.title, "We have written this page anew, from its beginning to its end."));

describe("an answer", () => {
  test.each<[string, Partial<AnswerSigns>, string | null]>([
    [
      "that keeps a part of the text",
      { kept: KEPT, alike: 30, isHostTroubled: true, asks: "password", ...BLOCKED },
      null,
    ],
    ["that keeps the title alone", { kept: NAMED, alike: 30, isHostTroubled: true, failures: 3 }, null],
    ["that keeps the title, and asks for a password", { kept: NAMED, asks: "password" }, "sure"],
    ["that asks for a proof of a human", { asks: "human" }, "sure"],
    ["that many pages have, of a host in trouble", { alike: 9, isHostTroubled: true }, "sure"],
    ["that two other pages have", { alike: 2 }, "likely"],
    ["that one other page has", { alike: 1 }, "possible"],
    ["whose words say so", BLOCKED, "likely"],
    ["after failures", { failures: 2 }, "likely"],
    ["in another language", { otherLanguage: "de" }, "likely"],
    ["in another language, with the title", { otherLanguage: "de", kept: NAMED }, "likely"],
    ["in another language, with a part of the text", { otherLanguage: "de", kept: KEPT }, null],
    [
      "in another language, that many pages of a host in trouble have",
      { otherLanguage: "de", alike: 9, isHostTroubled: true },
      "sure",
    ],
    ["of a page of a few words, in another language", { otherLanguage: "de", kept: keptText(THIN, OUTAGE) }, "likely"],
    ["with another text and nothing else", {}, "possible"],
    ["of a page of a few words", { kept: keptText(THIN, OUTAGE) }, null],
    ["that redirects where others do", { kept: null, alike: 5 }, "likely"],
    ["that redirects to a log-in", { kept: null, leadsTo: "log-in" }, "sure"],
    ["that redirects to a log-in, as others do", { kept: null, leadsTo: "log-in", alike: 5 }, "sure"],
    ["that redirects to what is told the way back", { kept: null, leadsTo: "back" }, "likely"],
    ["that redirects alone, after failures", { kept: null, failures: 4 }, null],
  ])("%s", (_, signs, strength) => {
    expect(findWall({ ...SIGNS, ...signs })?.strength ?? null).toBe(strength);
  });

  test("is quoted in the evidence", () => {
    expect(findWall({ ...SIGNS, alike: 2, says: "Sign in" })?.why).toBe(
      "2 other pages of the host answer alike: Sign in",
    );
  });
});

test.each<[string | undefined, string | undefined, string | null]>([
  ["en", "de-CH", "de-CH"],
  ["en-GB", "en-US", null],
  ["en", "en-US", null],
  ["zh-TW", "zh", null],
  ["no", "nb", null],
  ["nb", "no", null],
  [undefined, "de", null],
  ["en", undefined, null],
])("the other language of %s and %s", (before, after, expected) => {
  const versionIn = (language: string | undefined) => (language === undefined ? {} : { language });
  expect(findOtherLanguage(versionIn(before), versionIn(after))).toBe(expected);
});

test.each<[string, boolean]>([
  ["https://a.test/login?next=%2Fp%2F3", true],
  ["https://a.test/login?next=/p/3&why=expired", true],
  ["https://id.test/auth?redirect_uri=https%3A%2F%2Fa.test%2Fp%2F3%3Fq%3D1", true],
  ["https://a.test/new/p/3", false],
  ["https://a.test/login", false],
  ["https://a.test/p/4?from=7", false],
])("a target that is told the way back: %s", (target, expected) => {
  expect(leadsBack(target, "https://a.test/p/3?q=1")).toBe(expected);
});
