import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokenize } from "../../../src/changes/tokenize.ts";
import { Fingerprints } from "../../../src/twins/candidates.ts";
import { groupTwins } from "../../../src/twins/group-twins.ts";
import { hashWord, hashWords, wordsOf } from "../../../src/twins/shingles.ts";
import { printText } from "../../../src/twins/text-print.ts";
import { estimateSimilarity } from "../../../src/twins/text-sketch.ts";
import { shinglesOf, similarityOf } from "../../exact-shingles.ts";

const words = (count: number, first = 0) => Array.from({ length: count }, (_, i) => `word${first + i}`);
const distance = (one: string, other: string) =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll("0", "").length;
const print = (text: string) => printText(text)?.fingerprint ?? "";

describe("fingerprints", () => {
  test("a fingerprint has 16 hex digits and stays the same in each version", () => {
    expect(print(words(200).join(" "))).toBe("08445e26eff29911");
    expect(print("A short page.")).toBe("efa194f8204ea8b9");
    expect(printText(" … ")).toBeNull();
  });

  test.each([
    ["case and punctuation", "One, two: THREE", "one two three"],
    ["white space", "one\n two\u00a0 three", "one two three"],
    ["forms of a character", "ｏｎｅ ﬁve", "one five"],
  ])("%s do not count", (_, one, other) => {
    for (const end of ["", ` ${words(100).join(" ")}`]) expect(print(one + end)).toBe(print(other + end));
  });

  test("one changed word of a thousand changes few bits, and another text half of them", () => {
    const text = words(1_000);
    const changed = text.with(500, "other");
    expect(distance(print(text.join(" ")), print(changed.join(" ")))).toBeLessThanOrEqual(6);
    expect(distance(print(text.join(" ")), print(words(1_000, 5_000).join(" ")))).toBeGreaterThan(15);
  });

  test("the order of words counts", () => {
    expect(distance(print(words(500).join(" ")), print(words(500).toReversed().join(" ")))).toBeGreaterThan(15);
  });

  test("below 80 words one changed word changes the fingerprint as any other", () => {
    const text = words(79);
    expect(distance(print(text.join(" ")), print(text.with(40, "other").join(" ")))).toBeGreaterThan(15);
  });

  test("a text without spaces has shingles of characters", () => {
    const text = Array.from({ length: 400 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 37) % 2_000)));
    expect(shinglesOf(text.join("")).size).toBe(398);
    expect(distance(print(text.join("")), print(text.with(200, "\u3042").join("")))).toBeLessThanOrEqual(6);
  });
});

test("words are the tokens of a text that have a letter or a number", () => {
  const text = fc.string({ unit: fc.constantFrom(..."aB0_ -’éｏﬁ爬虫ひค้한\u0301٣") });
  fc.assert(
    fc.property(text, (written) => {
      const tokens = [...tokenize(written.normalize("NFKC").toLowerCase())];
      expect(wordsOf(written)).toEqual(tokens.filter((token) => /[\p{L}\p{N}]/u.test(token)));
    }),
  );
});

test("the words of a text in ASCII are hashed as those of any other", () => {
  const text = fc.string({ unit: fc.constantFrom(..."aBz09_ -.\n\t’—…é") });
  fc.assert(
    fc.property(text, (written) => {
      expect([...hashWords(written)]).toEqual(wordsOf(written).flatMap(hashWord));
    }),
  );
});

test.each([
  ["one two three four", "one two three four", 1],
  ["one two three four", "one two three five", 1 / 3],
  ["one two three", "four five six", 0],
  ["one", "one", 1],
])("the similarity of %j and %j is that of their shingles", (one, other, similarity) => {
  expect(similarityOf(shinglesOf(one), shinglesOf(other))).toBe(similarity);
});

test.each([
  ["each with each", 4_096, 30],
  ["in blocks", 0, 2],
])("each pair within eight bits is found once, and no other, compared %s", (_, maxEachWithEach, numRuns) => {
  const base = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const near = fc.tuple(
    fc.constantFrom(0n, 0xffffffffffffffffn, 0x123456789abcdef0n),
    fc.array(fc.nat(63), { maxLength: 10 }),
  );
  const value = fc.oneof(
    base,
    near.map(([start, bits]) => bits.reduce<bigint>((word, bit) => word ^ (1n << BigInt(bit)), start)),
  );
  fc.assert(
    fc.property(fc.uniqueArray(value, { minLength: 20, maxLength: 80 }), (values) => {
      const hex = values.map((word) => word.toString(16).padStart(16, "0"));
      const wanted = hex.flatMap((one, i) =>
        hex.flatMap((other, j) => (i < j && distance(one, other) <= 8 ? [`${i} ${j}`] : [])),
      );
      expect(pairsOf(hex, maxEachWithEach).toSorted()).toEqual(wanted.toSorted());
    }),
    { numRuns },
  );
});

test("of equal fingerprints each is a pair with the first", () => {
  expect(
    pairsOf(["0000000000000fff", "0", "0000000000000fff", "0000000000000fff"].map((hex) => hex.padStart(16, "0"))),
  ).toEqual(["0 2", "0 3"]);
});

test("comparisons beyond a limit are counted", () => {
  const fingerprints = new Fingerprints(0);
  for (let i = 0; i < 600; i++) fingerprints.add(i, (i * 256 + 255).toString(16).padStart(16, "0"));
  expect(fingerprints.findPairs(() => undefined, 0, 1)).toBeGreaterThan(0);
});

test("members of a group have the original that comes first by the order given and that they are twins of", () => {
  const pairs = [
    [1, 2],
    [5, 4],
    [2, 3],
    [9, 8],
    [3, 6],
  ] as const;
  const similarityOf = (node: number, other: number) => (Math.abs(node - other) < 4 ? 0.95 : 0.8);
  const originals = new Map([...groupTwins(pairs, (a, b) => b - a, similarityOf)].map(([a, b]) => [a, b.original]));
  // 1 and 2 are linked to 6 over 3, and too unlike 6.
  expect(originals).toEqual(
    new Map([
      [1, 2],
      [3, 6],
      [4, 5],
      [8, 9],
    ]),
  );
});

describe("sketches", () => {
  const sketch = (text: readonly string[]) => printText(text.join(" "))?.sketch ?? new Uint8Array();

  test("only equal texts have a similarity of 1", () => {
    const text = words(300);
    expect(estimateSimilarity(sketch(text), sketch(text))).toBe(1);
    expect(estimateSimilarity(sketch(text), sketch([...text, ...text]))).toBe(0.5);
    expect(estimateSimilarity(sketch(text), sketch([...text, "more"]))).toBeGreaterThan(0.95);
    expect(estimateSimilarity(sketch(words(79)), sketch(words(79)))).toBe(1);
    expect(estimateSimilarity(sketch(words(79)), sketch(words(78)))).toBe(0);
  });

  test("an estimate is near the similarity of the shingles", () => {
    const changes = fc.record({ length: fc.integer({ min: 80, max: 3_000 }), changed: fc.nat(60), seed: fc.nat() });
    fc.assert(
      fc.property(changes, ({ length, changed, seed }) => {
        const text = words(length, seed);
        const other = text.map((word, i) => (i % 61 < changed ? word : `other${seed}-${i}`));
        const exact = similarityOf(shinglesOf(text.join(" ")), shinglesOf(other.join(" ")));
        // Five standard errors.
        expect(Math.abs(estimateSimilarity(sketch(text), sketch(other)) - exact)).toBeLessThan(0.16);
      }),
      { numRuns: 30 },
    );
  });
});

function pairsOf(hex: readonly string[], maxEachWithEach?: number): string[] {
  const fingerprints = new Fingerprints(maxEachWithEach);
  for (const [node, each] of hex.entries()) fingerprints.add(node, each);
  const found: string[] = [];
  fingerprints.findPairs((node, other) => found.push([node, other].sort((a, b) => a - b).join(" ")));
  return found;
}
