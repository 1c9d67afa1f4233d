import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { machineNumber, readNumber } from "../../../../../src/media/html/fields/read-number.ts";

const numberIn = (written: string, language: string | null) => {
  const read = readNumber(written, { language });
  return "problem" in read ? null : read.value;
};

test.each<[string, string | null, number | null]>([
  ["1.234,56 €", "de", 1234.56],
  ["1.234,56 €", "en", 1234.56],
  ["$1,234.56", "en", 1234.56],
  ["$1,234.56", "de", 1234.56],
  ["1 234,56", "fr", 1234.56],
  ["1\u202f234,56\u00a0€", "fr", 1234.56],
  ["₹1,23,456.78", "en-IN", 123456.78],
  ["₹ 12,34,56,789", "hi", 123456789],
  ["CHF 1’234.50", "de-CH", 1234.5],
  ["1'234'567", "de-CH", 1234567],
  ["CHF 12.–", "de-CH", 12],
  ["5,- €", "de", 5],
  ["1 299,-", "nb", 1299],
  ["kr 12 500", "nb", 12500],
  ["2 499 000 Kč", "cs", 2499000],
  ["R$ 1.299,90", "pt-BR", 1299.9],
  ["-5", "en", -5],
  ["−12,50 €", "de", -12.5],
  ["-€5.20", "en", -5.2],
  ["€ -5.20", "en", -5.2],
  ["$-3", "en", -3],
  ["- 3 €", "de", -3],
  ["(12)", "en", 12],
  ["+3.5", "en", 3.5],
  [".5", "en", 0.5],
  ["0,500 kg", "de", 0.5],
  ["45 %", "de", 45],
  ["١٬٢٣٤٫٥٦", "ar", 1234.56],
  ["१,२३,४५६", "hi", 123456],
  ["１２，３４５円", "ja", 12345],
  ["1億2000万円", "ja", 120_000_000],
  ["1.2k views", "en", 1200],
  ["1,2 Mio. €", "de", 1_200_000],
  ["3.5 million", "en", 3_500_000],
  ["2.5 crore", "en-IN", 25_000_000],
  ["Preis: 1.299,00 EUR inkl. MwSt.", "de", 1299],
  ["A4 paper 3,99 €", "de", 3.99],
  ["RTX 4090 for 1,999.00 USD", "en", 1999],
  ["2 für 3,99 €", "de", 3.99],
  ["4.5 out of 5", "en", 4.5],
  ["10–20 €", "de", 10],
  ["from 1,250 to 1,900", "en", 1250],
  // One sign before three digits.
  ["1.234", "de", 1234],
  ["1.234", "en", 1.234],
  ["1,234", "de", 1.234],
  ["1,234", "en", 1234],
  ["1.234", null, 1.234],
  ["1,234", null, 1234],
  ["1.234", "xx-nonsense", 1.234],
  ["1.234 €", "en", 1234],
  ["KWD 1.234", "en", 1.234],
  ["KWD 1,234", "en", 1234],
  ["0.123", "de", 0.123],
  ["12345.678", "de", 12345.678],
  // No numbers.
  ["1.2.3", "en", null],
  ["12,345.678,9", "en", null],
  ["1.5.2026", "de", null],
  ["1,1'1", "de", null],
  ["1.234,5 000", "de", null],
  ["9".repeat(400), "en", null],
  [`${"9".repeat(305)}億`, "ja", null],
  ["soon", "en", null],
  ["", "en", null],
  ["mp3", "en", null],
])("%j in %j is %j", (written, language, value) => expect(numberIn(written, language)).toBe(value));

describe("an ambiguous number says how it was decided", () => {
  test.each([
    ["1.234", "de", "1.234 is 1234: the page's language is de"],
    ["1,234", null, "1,234 is 1234: the page names no language, so it is read as in English"],
    ["1.234 €", "en", "1.234 is 1234: an amount of € has no three decimals"],
    ["statt 99 nur 79", "de", "the first number counts"],
    ["2 für 3,99 €", "de", "the number beside the currency counts"],
    ["1.234,50", "de", null],
  ])("%s", (written, language, note) => expect(readNumber(written, { language })).toMatchObject({ note }));
});

test.each([
  ["1299.95", 1299.95],
  ["1.234", 1.234],
  ["-3", -3],
  ["1e3", 1000],
  ["1,234.5", null],
  ["12 €", null],
  ["", null],
  ["NaN", null],
])("%j for programs is %j", (written, value) => expect(machineNumber(written)).toBe(value));

test("a number that a language writes is read back in that language", () => {
  const languages = [
    "en",
    "de",
    "fr",
    "de-CH",
    "en-IN",
    "pt-BR",
    "sv",
    "pl",
    "ja",
    "ar-EG",
    "fa",
    "hi",
    "es",
    "it",
    "nl",
    "cs",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...languages), fc.integer({ min: -99_999_999, max: 99_999_999 }), (language, cents) => {
      const value = cents / 100;
      for (const style of [{}, { style: "currency", currency: "EUR" }] as Intl.NumberFormatOptions[]) {
        const written = new Intl.NumberFormat(language, { ...style, minimumFractionDigits: 2 }).format(value);
        expect(numberIn(written, language), `${written} in ${language}`).toBe(value === 0 ? 0 : value);
      }
    }),
  );
});

test("any text is read in little time, or is none", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: fc.constantFrom("1", "2", ".", ",", " ", "'", "-", "€", "k", "億"), maxLength: 400 }),
        fc.string({ unit: fc.constantFrom("1", "000", ".", ",", " ", "'"), maxLength: 9 }),
        fc.string({ unit: fc.constantFrom("0", "9"), minLength: 290, maxLength: 500 }),
      ),
      fc.constantFrom("de", "en", "ja", null),
      (written, language) => {
        const read = readNumber(written, { language });
        if ("problem" in read) expect(read.problem).not.toBe("");
        else expect(Number.isFinite(read.value)).toBe(true);
      },
    ),
  );
});
