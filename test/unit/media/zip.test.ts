import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { expect, test } from "vitest";
import { DocumentProblem } from "../../../src/media/document-problem.ts";
import { ZipFile } from "../../../src/media/kind/zip.ts";

const text = (zip: ZipFile, name: string) =>
  [...zip.chunks(name)].map((chunk) => new TextDecoder().decode(chunk)).join("");
const faultOf = (work: () => unknown) => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof DocumentProblem) return error.fault;
    throw error;
  }
};
const LONG = "0123456789".repeat(10_000);
const made = zipSync({ "a/Stored.txt": [strToU8("stored"), { level: 0 }], "a/long.txt": strToU8(LONG) });
/** Where the entry of the directory for a part begins. */
const entryOf = (bytes: Uint8Array, nth: number) => {
  const view = new DataView(bytes.buffer);
  let at = -1;
  for (let found = -1; found < nth; ) {
    at += 1;
    if (view.getUint32(at, true) === 0x02014b50) found += 1;
  }
  return at;
};
const changed = (change: (bytes: Uint8Array, view: DataView) => void) => {
  const bytes = Uint8Array.from(made);
  change(bytes, new DataView(bytes.buffer));
  return bytes;
};

test("parts are read, whatever the case of their names", () => {
  const zip = new ZipFile(made);
  expect([...zip.names]).toEqual(["a/Stored.txt", "a/long.txt"]);
  expect(text(zip, "A/stored.TXT")).toBe("stored");
  expect(text(zip, "a/long.txt")).toBe(LONG);
  expect([zip.has("a/LONG.txt"), zip.has("b"), text(zip, "b")]).toEqual([true, false, ""]);
});

test("what stands before the file shifts its positions", () => {
  const shifted = new Uint8Array(made.length + 100);
  shifted.set(made, 100);
  expect(text(new ZipFile(shifted), "a/long.txt")).toBe(LONG);
});

test("an early end inflates no more", () => {
  const zip = new ZipFile(zipSync({ bomb: new Uint8Array(20_000_000) }));
  let bytes = 0;
  for (const chunk of zip.chunks("bomb")) {
    bytes += chunk.length;
    if (bytes > 1_000_000) break;
  }
  expect(bytes).toBeLessThan(5_000_000);
});

test.each([
  ["more than the limit is inflated", () => text(new ZipFile(made, 99_999), "a/long.txt"), "too-complex"],
  [
    "all parts together are more than it",
    () => {
      const zip = new ZipFile(made, 150_000);
      text(zip, "a/long.txt");
      text(zip, "a/long.txt");
    },
    "too-complex",
  ],
  [
    "a bomb says that it is small",
    () =>
      text(
        new ZipFile(
          changed((bytes, view) => view.setUint32(entryOf(bytes, 1) + 24, 1, true)),
          99_999,
        ),
        "a/long.txt",
      ),
    "too-complex",
  ],
  [
    "more parts than the limit",
    () =>
      new ZipFile(zipSync(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`${i}`, new Uint8Array(0)])))),
    "too-complex",
  ],
  [
    "an encrypted part",
    () => text(new ZipFile(changed((bytes, view) => view.setUint16(entryOf(bytes, 1) + 8, 1, true))), "a/long.txt"),
    "password",
  ],
  [
    "an unknown method",
    () => text(new ZipFile(changed((bytes, view) => view.setUint16(entryOf(bytes, 1) + 10, 99, true))), "a/long.txt"),
    "damaged",
  ],
  [
    "a part that begins elsewhere",
    () => text(new ZipFile(changed((bytes, view) => view.setUint32(entryOf(bytes, 1) + 42, 7, true))), "a/long.txt"),
    "damaged",
  ],
  [
    "a part that is longer than the file",
    () => text(new ZipFile(changed((bytes, view) => view.setUint32(entryOf(bytes, 1) + 20, 1e9, true))), "a/long.txt"),
    "damaged",
  ],
  [
    "a part that is cut",
    () => text(new ZipFile(changed((bytes, view) => view.setUint32(entryOf(bytes, 1) + 20, 50, true))), "a/long.txt"),
    "damaged",
  ],
  ["a file without its end", () => new ZipFile(made.subarray(0, made.length - 30)), "damaged"],
  ["a file that is empty", () => new ZipFile(new Uint8Array(0)), "damaged"],
  ["a ZIP file without parts", () => new ZipFile(zipSync({})), "damaged"],
])("%s: refused", (_, work, fault) => {
  expect(faultOf(work)).toBe(fault);
});

test("whatever is changed in a file, it is read or refused", () => {
  const change = fc.array(fc.tuple(fc.nat(made.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(change, (changes) => {
      const bytes = Uint8Array.from(made);
      for (const [at, byte] of changes) bytes[at] = byte;
      faultOf(() => {
        const zip = new ZipFile(bytes, 1_000_000);
        for (const name of zip.names) text(zip, name);
      });
    }),
    { numRuns: 300 },
  );
});
