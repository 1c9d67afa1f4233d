import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GAP, type Piece, type SplitRecord, splitRecords } from "../../../src/archive/split-records.ts";

/** Records of other tools, whole and damaged, however their bytes arrive. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const record = (
  type: string,
  block: string,
  { end = "\r\n\r\n", eol = "\r\n", said = block.length, version = "WARC/1.0" } = {},
) => [version, `WARC-Type: ${type}`, `Content-Length: ${said}`, "", ""].join(eol) + block + end;

async function split(pieces: Iterable<Piece>, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const found: string[] = [];
  for await (const each of splitRecords(pieces, () => most))
    found.push("malformed" in each ? `! ${each.malformed}` : describeRecord(each));
  return found;
}

const describeRecord = ({ nth, fields, block, length, isWhole }: SplitRecord) =>
  `${nth} ${fields.get("warc-type")} ${decoder.decode(block)}${length === block.length ? "" : ` of ${length}`}${isWhole ? "" : " cut"}`;

const bytes = (text: string) => [encoder.encode(text)];

describe("records", () => {
  test.each<[name: string, file: string, found: string[]]>([
    ["of WARC 1.0 and 1.1", record("a", "x") + record("b", "yy", { version: "WARC/1.1" }), ["0 a x", "1 b yy"]],
    ["with LF alone", record("a", "x", { eol: "\n", end: "\n\n" }) + record("b", "y"), ["0 a x", "1 b y"]],
    [
      "with one empty line, or many, between",
      record("a", "x", { end: "\r\n" }) + record("b", "y", { end: "\r\n\r\n\r\n" }) + record("c", ""),
      ["0 a x", "1 b y", "2 c "],
    ],
    [
      "with a folded line and an unknown field",
      "WARC/1.0\r\nWARC-Type:\r\n a\r\nX: y\r\nContent-Length: 1\r\n\r\nz\r\n\r\n",
      ["0 a z"],
    ],
    ["of an empty file", "", []],
    ["that hold the word WARC/", record("a", "WARC/1.0\r\n"), ["0 a WARC/1.0\r\n"]],
  ])("%s", async (_, file, found) => {
    expect(await split(bytes(file))).toEqual(found);
  });

  test.each<[name: string, file: string, found: string[]]>([
    ["that break off", record("a", "x") + record("b", "yyyy", { end: "" }).slice(0, -2), ["0 a x", "1 b yy cut"]],
    [
      "whose header breaks off",
      `${record("a", "x")}WARC/1.0\r\nWARC-Type: b`,
      ["0 a x", "! a record whose header does not end"],
    ],
    [
      "without a length",
      `WARC/1.0\r\nWARC-Type: a\r\n\r\nxxx\r\n\r\n${record("b", "y")}`,
      ['! a record whose Content-Length is ""', "0 b y"],
    ],
    [
      "with a negative length",
      record("a", "", { said: -1 }) + record("b", "y"),
      ['! a record whose Content-Length is "-1"', "0 b y"],
    ],
    [
      "without a type",
      `WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n${record("b", "y")}`,
      ["! a record whose header cannot be read", "0 b y"],
    ],
    [
      "said to be too short",
      record("a", "xyz", { said: 1 }) + record("b", "y"),
      ["0 a x", "! 2 bytes that begin no record", "1 b y"],
    ],
    ["with noise before", `noise W WAR ${record("a", "x")}`, ["! 12 bytes that begin no record", "0 a x"]],
    ["that are none at all", "<html>no archive</html>", ["! 23 bytes that begin no record"]],
  ])("%s are named, and the next one is found", async (_, file, found) => {
    expect(await split(bytes(file))).toEqual(found);
  });

  test("end at a gap, and go on after it", async () => {
    const [first, second] = [record("a", "xxxx", { end: "" }).slice(0, -1), record("b", "y")];
    expect(
      await split([encoder.encode(first), GAP, encoder.encode(`tail${second}`), GAP, GAP, encoder.encode(second)]),
    ).toEqual([...["0 a xxx cut", "! 4 bytes that begin no record", "1 b y", "2 b y"]]);
  });

  test("are held only as far as somebody asks", async () => {
    expect(await split(bytes(record("a", "0123456789") + record("b", "y")), 4)).toEqual(["0 a 0123 of 10", "1 b y"]);
  });

  test("are the same however their bytes arrive, and whatever was damaged", async () => {
    const file = encoder.encode(record("a", "WARC/1.0\r\n\r\n") + record("b", "", { eol: "\n" }) + record("c", "zzz"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(file.length), { maxLength: 5 }),
        fc.option(fc.record({ at: fc.nat(file.length - 1), byte: fc.nat(255) })),
        async (cuts, damage) => {
          const bad = file.slice();
          if (damage !== null) bad[damage.at] = damage.byte;
          const at = [0, ...cuts.sort((a, b) => a - b), bad.length];
          const pieces = at.slice(1).map((end, i) => bad.slice(at[i], end));
          expect(await split(pieces)).toEqual(await split([bad]));
        },
      ),
    );
  });
});
