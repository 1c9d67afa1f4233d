import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
import { MAX_RANGES } from "../../../../src/media/sound-and-picture/media-source.ts";
import { box, join, latin1, sample } from "../../../samples/media/long-files.ts";
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

const CASES: [name: string, bytes: Uint8Array, size?: number | null][] = [
  ["endless boxes of eight bytes", join(latin1("\0\0\0\x08ftyp"), ...Array(50_000).fill(latin1("\0\0\0\x08free")))],
  ["boxes in boxes", nest(2_000)],
  ["a box that is longer than the file", join(latin1("\0\0\0\x10ftypisom\0\0\0\0"), latin1("\x7f\xff\xff\xffmoov"))],
  ["a box of no length", join(latin1("\0\0\0\x10ftypisom\0\0\0\0"), latin1("\0\0\0\x00moov"), new Uint8Array(99))],
  ["a box of 2^63 bytes", join(latin1("\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x01mdat"), new Uint8Array(8).fill(127))],
  ["a tag of 256 MB", join(latin1("ID3\x04\0\0\x7f\x7f\x7f\x7fTIT2\x7f\x7f\x7f\x7f\0\0"), new Uint8Array(5_000))],
  ["a comment of 4 GB", join(sample("vorbis.ogg").slice(0, 90), new Uint8Array(9_000).fill(255))],
  [
    "an element of 2 GB",
    join(sample("film.webm").slice(0, 60), latin1("\x08\x7f\xff\xff\xff\xff"), new Uint8Array(999)),
    5e9,
  ],
  ["a WAV of 4 GB", join(latin1("RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\xff"), new Uint8Array(999))],
  ["a size of 2^52", sample("tail.m4a"), 2 ** 52],
  ["a size of a byte", sample("tail.m4a"), 1],
  ["no size", sample("vorbis.ogg"), null],
  [
    "EXIF that leads to itself",
    join(latin1("\xff\xd8\xff\xe1\0\x1eExif\0\0II*\0\x08\0\0\0\x01\0\x69\x87\x04\0\x01\0\0\0\x08\0\0\0")),
  ],
  [
    "a picture of 2^32 pixels",
    join(latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff\x08\0\0\0\0")),
  ],
  ["comments of SVG", latin1(`<svg>${"<!--".repeat(20_000)}`)],
  ["an AVIF of zeros", join(latin1("\0\0\0\x10ftypavif\0\0\0\0"), new Uint8Array(70_000))],
  ["roots of SVG", latin1("<svg ".repeat(13_000))],
  ["quotes of SVG", latin1(`<svg ${'a="'.repeat(20_000)}`)],
  ["tags of SVG", latin1(`<svg>${"<title".repeat(10_000)}`)],
  ["attributes of SVG", latin1("<svg width= ".repeat(5_000))],
  ["blanks of SVG", latin1(`<?xml ${"<".repeat(4_000)}${" ".repeat(60_000)}`)],
];

/** Boxes of `moov`, each in the one before. */
function nest(depth: number): Uint8Array {
  let inner: Uint8Array = new Uint8Array(0);
  for (let i = 0; i < depth; i++) inner = box(i % 2 === 0 ? "udta" : "trak", inner);
  return join(latin1("\0\0\0\x10ftypqt  \0\0\0\0"), box("moov", inner));
}

test.each(CASES)("%s", async (_, bytes, size) => {
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
const ZEROS = new Uint8Array(65_000);
const uint32 = (value: number) => new Uint8Array(new Uint32Array([value]).buffer);
/**
 * The footer of an APE tag of so many bytes, with one item: http://wiki.hydrogenaud.io/index.php?title=APE_Tags_Header
 */
const apeFooter = (bytes: number) =>
  join(latin1("APETAGEX"), uint32(2_000), uint32(bytes), uint32(1), ZEROS.slice(0, 12));
const FRAME = join(latin1("\xff\xfb\x90\x64"), new Uint8Array(413));

/** Beginnings of files of which the server claims 3 GB. */
const CLAIMS: [name: string, contentType: string, bytes: Uint8Array][] = [
  ["Monkey's Audio", "audio/ape", join(latin1("MAC "), ZEROS)],
  ["Monkey's Audio, by another name", "audio/x-monkeys-audio", join(latin1("MAC "), ZEROS)],
  ["Monkey's Audio of an unknown type", "audio/x-nothing", join(latin1("MAC "), ZEROS)],
  ["Musepack 7", "audio/musepack", join(latin1("MP+\x07"), ZEROS)],
  ["Musepack 8", "audio/x-musepack", join(latin1("MPCK"), latin1("AP\x03"), ZEROS)],
  ["Musepack of an unknown type", "audio/x-nothing", join(latin1("MPCK"), latin1("AP\x03"), ZEROS)],
  ["WavPack", "audio/wavpack", join(latin1("wvpk"), ZEROS)],
  [
    "Windows Media",
    "video/x-ms-asf",
    join(latin1("\x30\x26\xb2\x75\x8e\x66\xcf\x11"), new Uint8Array(65_000).fill(0x7f, 60_000)),
  ],
  ["DSD", "audio/dsf", join(latin1("DSD "), ZEROS)],
  ["DSDIFF", "audio/dsd", join(latin1("FRM8"), ZEROS)],
  ["AIFF", "audio/aiff", join(latin1("FORM\x7f\xff\xff\xffAIFFID3 \x7f\xff\xff\xf0"), ZEROS)],
  ["WAV", "audio/wav", join(latin1("RIFF\xff\xff\xff\xffWAVEid3 \xff\xff\xff\xf0"), ZEROS)],
  ["Matroska", "video/webm", join(sample("film.webm").slice(0, 60), latin1("\x08\x7f\xff\xff\xff\xff"), ZEROS)],
];

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
