import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Fingerprints } from "../../../src/twins/candidates.ts";
import { fingerprintOf } from "../../../src/twins/fingerprint.ts";
import { groupTwins } from "../../../src/twins/group-twins.ts";
import { shinglesOf, similarityOf } from "../../../src/twins/shingles.ts";

const words = (count: number, first = 0) => Array.from({ length: count }, (_, i) => `word${first + i}`);
const distance = (one: string, other: string) =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll("0", "").length;
const print = (text: string) => fingerprintOf(text) ?? "";

describe("fingerprints", () => {
  test("a fingerprint has 16 hex digits and stays the same in each version", () => {
    expect(print(words(200).join(" "))).toBe("539799f530bcada2");
    expect(print("A short page.")).toBe("ca48af82097af9df");
    expect(fingerprintOf(" … ")).toBeNull();
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

test.each([
  ["one two three four", "one two three four", 1],
  ["one two three four", "one two three five", 1 / 3],
  ["one two three", "four five six", 0],
  ["one", "one", 1],
])("the similarity of %j and %j is that of their shingles", (one, other, similarity) => {
  expect(similarityOf(shinglesOf(one), shinglesOf(other))).toBe(similarity);
});

test("each pair within six bits is found once, and no other", () => {
  const base = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const near = fc.tuple(
    fc.constantFrom(0n, 0xffffffffffffffffn, 0x123456789abcdef0n),
    fc.array(fc.nat(63), { maxLength: 8 }),
  );
  const value = fc.oneof(
    base,
    near.map(([start, bits]) => bits.reduce<bigint>((word, bit) => word ^ (1n << BigInt(bit)), start)),
  );
  fc.assert(
    fc.property(fc.uniqueArray(value, { maxLength: 40 }), (values) => {
      const hex = values.map((word) => word.toString(16).padStart(16, "0"));
      const wanted = hex.flatMap((one, i) =>
        hex.flatMap((other, j) => (i < j && distance(one, other) <= 6 ? [`${i} ${j}`] : [])),
      );
      expect(pairsOf(hex).toSorted()).toEqual(wanted.toSorted());
    }),
    { numRuns: 30 },
  );
});

test("of equal fingerprints each is a pair with the first", () => {
  expect(
    pairsOf(["00000000000000ff", "0", "00000000000000ff", "00000000000000ff"].map((hex) => hex.padStart(16, "0"))),
  ).toEqual(["0 2", "0 3"]);
});

test("comparisons beyond a limit are counted", () => {
  const fingerprints = new Fingerprints();
  for (let i = 0; i < 600; i++) fingerprints.add(i, (i * 256 + 255).toString(16).padStart(16, "0"));
  expect(fingerprints.findPairs(() => undefined)).toBeGreaterThan(0);
});

test("twins of twins are one group, whose original comes first by the order given", () => {
  const pairs = [
    [1, 2],
    [5, 4],
    [2, 3],
    [9, 8],
  ] as const;
  expect(groupTwins(pairs, (a, b) => b - a)).toEqual(
    new Map([
      [1, 3],
      [2, 3],
      [4, 5],
      [8, 9],
    ]),
  );
});

function pairsOf(hex: readonly string[]): string[] {
  const fingerprints = new Fingerprints();
  for (const [node, each] of hex.entries()) fingerprints.add(node, each);
  const found: string[] = [];
  fingerprints.findPairs((node, other) => found.push([node, other].sort((a, b) => a - b).join(" ")));
  return found;
}
