import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Chunk } from "../../../src/chunks/chunk.ts";
import { compareChunks } from "../../../src/chunks/compare-chunks.ts";

/** A chunk `A/text`: a heading and an id. */
function chunkOf(written: string, order: number): Chunk {
  const [heading = "", text = ""] = written.split("/");
  const place = { anchor: null, link: "", order, offset: 0, length: 0, tokens: 1 };
  return { id: written, headings: [heading], text, ...place };
}

const page = (written: string) => written.split(" ").filter(Boolean).map(chunkOf);
const say = (before: string, after: string) =>
  compareChunks(page(before), page(after)).map((each) =>
    each.change === "removed"
      ? `-${each.id}`
      : each.change === "added"
        ? `+${each.chunk.id}`
        : `${each.was}>${each.chunk.id}`,
  );

describe("what became of chunks", () => {
  test.each<[name: string, before: string, after: string, changes: string[]]>([
    ["nothing", "A/1 B/2", "A/1 B/2", []],
    ["all are new", "", "A/1 B/2", ["+A/1", "+B/2"]],
    ["all are gone", "A/1 B/2", "", ["-A/1", "-B/2"]],
    ["another text in its place", "A/1 B/2", "A/9 B/2", ["A/1>A/9"]],
    ["another section is no place", "A/1", "B/1", ["+B/1", "-A/1"]],
    ["one more at the end of a section", "A/1 A/2", "A/1 A/2 A/3", ["+A/3"]],
    ["one more before others that stay", "A/1 A/2", "A/0 A/1 A/2", ["+A/0"]],
    ["the middle one", "A/1 A/2 A/3", "A/1 A/9 A/3", ["A/2>A/9"]],
    ["two become one", "A/1 A/2 A/3 B/1", "A/1 A/9 B/1", ["A/2>A/9", "-A/3"]],
    ["one becomes two", "A/1 A/2", "A/8 A/9 A/2", ["A/1>A/8", "+A/9"]],
    ["a move is no change", "A/1 A/2 B/3", "B/3 A/2 A/1", []],
  ])("%s", (_, before, after, changes) => expect(say(before, after)).toEqual(changes));

  test("an index that applies the changes has the chunks of today, and no other", () => {
    const chunks = fc
      .uniqueArray(fc.tuple(fc.constantFrom("A", "B"), fc.nat(9)), { selector: String, maxLength: 12 })
      .map((pairs) => pairs.map(([heading, text], i) => chunkOf(`${heading}/${text}`, i)));
    fc.assert(
      fc.property(chunks, chunks, (before, after) => {
        const index = new Set(before.map(({ id }) => id));
        for (const each of compareChunks(before, after)) {
          if (each.change === "removed") expect(index.delete(each.id)).toBe(true);
          else {
            if (each.change === "changed") expect(index.delete(each.was)).toBe(true);
            expect(index.has(each.chunk.id)).toBe(false);
            index.add(each.chunk.id);
          }
        }
        expect([...index].sort()).toEqual(after.map(({ id }) => id).sort());
      }),
    );
  });
});
