import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
import { MAX_RANGES } from "../../../../src/media/sound-and-picture/media-source.ts";
import { join, latin1, sample } from "../../../samples/media/long-files.ts";
import { apeFooter, CLAIMS, FRAME, LYING_FILES, uint32 } from "../../../samples/media/lying-files.ts";
import { readByRanges } from "./read-by-ranges.ts";

/** Files that lie: whatever they say, a reading ends, holds little and asks for six ranges at most. */

const NAMES = [
  "id3v23.mp3",
  "vorbis.ogg",
  "flac.flac",
  "tail.m4a",
  "wave.wav",
  "film.mov",
  "film.webm",
  "photo.jpg",
  "picture.png",
  "picture.gif",
  "picture.webp",
  "picture.avif",
  "picture.heic",
];

/** Whatever happens is a reading or the fault of the file. */
async function readHostile(
  bytes: Uint8Array,
  size: number | null = bytes.byteLength,
  contentType: string | null = null,
): Promise<void> {
  try {
    const { starts, facts } = await readByRanges(bytes, { size, contentType });
    expect(starts.length).toBeLessThanOrEqual(MAX_RANGES);
    for (const start of starts) expect(Number.isSafeInteger(start) && start >= 0).toBe(true);
    expect(JSON.stringify(facts).length).toBeLessThan(30_000);
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
  }
}

test.each(LYING_FILES)("%s", async (_, bytes, size) => {
  const before = process.cpuUsage();
  await readHostile(bytes, size === undefined ? bytes.byteLength : size);
  const { user, system } = process.cpuUsage(before);
  // Microseconds. It takes some milliseconds; what backtracks takes minutes.
  expect(user + system).toBeLessThan(1_000_000);
});

test.each(NAMES)("%s, changed, cut or called larger than it is", async (name) => {
  const file = sample(name);
  const changes = fc.array(fc.tuple(fc.nat(file.byteLength - 1), fc.nat(255)), { maxLength: 12 });
  const length = fc.integer({ min: 1, max: file.byteLength });
  const grown = fc.constantFrom(0, 1, 70_000, 10_000_000, 2 ** 40);
  await fc.assert(
    fc.asyncProperty(changes, length, grown, async (changed, end, more) => {
      const bytes = file.slice(0, end);
      // The start stays, so that the file is read as what it was.
      for (const [at, value] of changed) if (at > 11 && at < end) bytes[at] = value;
      await readHostile(bytes, end + more);
    }),
    { numRuns: 40 },
  );
});

/** The longest array that anything makes meanwhile, in bytes. */
async function longestArray(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  class Measured extends Uint8Array {
    constructor(...given: ConstructorParameters<typeof Uint8Array>) {
      const [length] = given as unknown[];
      if (typeof length === "number") {
        longest = Math.max(longest, length);
        // What fails is told by its length.
        if (length > MOST_AT_ONCE) throw new RangeError(`${length} bytes at once`);
      }
      super(...given);
    }
  }
  vi.stubGlobal("Uint8Array", Measured);
  await work();
  vi.unstubAllGlobals();
  return longest;
}

const MOST_AT_ONCE = 8 * 1024 * 1024;
afterEach(() => vi.unstubAllGlobals());

test.each(CLAIMS)("%s that claims 3 GB allocates no more than is there", async (_, contentType, bytes) => {
  for (const size of [3_000_000_000, bytes.byteLength, null])
    expect(await longestArray(() => readHostile(bytes, size, contentType))).toBeLessThanOrEqual(MOST_AT_ONCE);
});

test.each(NAMES)("%s whose server claims 3 GB allocates no more than is there", async (name) => {
  const bytes = sample(name);
  expect(await longestArray(() => readHostile(bytes, 3_000_000_000))).toBeLessThanOrEqual(MOST_AT_ONCE);
});

const CLAIMED = 3_000_000_000;

/** A file of 3 GB of zeros with these bytes at these places. */
function sparse(...parts: [at: number, bytes: Uint8Array][]): Uint8Array {
  const slice = (from: number, to: number) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(to, CLAIMED) - from));
    for (const [at, part] of parts)
      for (const [i, byte] of part.entries()) if (at + i >= from && at + i < to) bytes[at + i - from] = byte;
    return bytes;
  };
  return { byteLength: CLAIMED, slice } as unknown as Uint8Array;
}

test.each([
  ["as long as the file", 2_900_000_000],
  ["of 60 MB", 60_000_000],
])("an MP3 whose tag at the end claims to be %s allocates no more than is there", async (_, length) => {
  const item = join(uint32(length - 1_000), uint32(0), latin1("Title\0"));
  const frames = join(...Array(100).fill(FRAME));
  const file = sparse([0, frames], [CLAIMED - length, item], [CLAIMED - 32, apeFooter(length)]);
  expect(await longestArray(() => readHostile(file, CLAIMED, "audio/mpeg"))).toBeLessThanOrEqual(MOST_AT_ONCE);
});
