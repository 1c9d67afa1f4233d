import { expect, test } from "vitest";
import { DocumentProblem } from "../../../../src/media/document-problem.ts";
import type { MediaFacts } from "../../../../src/media/sound-and-picture/media-facts.ts";
import { ChunkSource, RANGE_BYTES } from "../../../../src/media/sound-and-picture/media-source.ts";
import { readMedia } from "../../../../src/media/sound-and-picture/read-media.ts";
import { join, latin1, longSound, sample } from "../../../samples/media/long-files.ts";
import { readByRanges } from "./read-by-ranges.ts";

const text = (written: string) => new TextEncoder().encode(written);

const TAGS = { title: "Grüße", artist: "Weavers", album: "Orbits", year: 2021, track: 7, genre: "Ambient" };
const PHOTO = {
  width: 64,
  height: 48,
  artist: "Jo Weaver",
  description: "A spider at work",
  camera: "Canon EOS 5D",
  takenAt: "2024-05-01T12:30:00",
  location: { latitude: 50.9375, longitude: -6.9603 },
};
const PICTURE = { width: 64, height: 48 };
/** What a parser of QuickTime does not read is left out. */
const QUICKTIME = { title: "Grüße", artist: "Weavers", album: "Orbits", year: 2021, genre: "Ambient", track: null };
const FILM = { ...PICTURE, sampleRate: 22_050 };

const SAMPLES: [name: string, facts: Partial<MediaFacts>][] = [
  ["id3v23.mp3", { ...TAGS, type: "audio/mpeg", bitRate: 32_000, sampleRate: 22_050, channels: 1 }],
  ["id3v24.mp3", { ...TAGS, type: "audio/mpeg", sampleRate: 22_050, channels: 1 }],
  ["vorbis.ogg", { ...TAGS, type: "audio/ogg", durationS: 1, codecs: ["Vorbis I"], channels: 1 }],
  ["opus.opus", { ...TAGS, type: "audio/ogg", durationS: 1, codecs: ["Opus"], channels: 1 }],
  ["flac.flac", { ...TAGS, type: "audio/flac", durationS: 0.2, codecs: ["FLAC"], sampleRate: 8_000 }],
  ["tail.m4a", { ...TAGS, type: "audio/mp4", codecs: ["MPEG-4/AAC"], channels: null }],
  ["wave.wav", { ...TAGS, type: "audio/wav", durationS: 0.2, bitRate: 128_000, codecs: ["PCM"] }],
  ["head.mp4", { ...TAGS, ...FILM, type: "video/mp4", codecs: ["avc1", "MPEG-4/AAC"] }],
  ["film.mov", { ...PICTURE, ...QUICKTIME, type: "video/quicktime", codecs: ["avc1", "MPEG-4/AAC"] }],
  ["film.webm", { ...TAGS, ...PICTURE, type: "video/webm", codecs: ["VP8", "OPUS"] }],
  ["film.mkv", { ...TAGS, ...PICTURE, type: "video/webm", codecs: ["MPEG4/ISO/AVC", "VORBIS"] }],
  ["photo.jpg", { ...PHOTO, type: "image/jpeg", title: "A web", keywords: ["web", "spider"] }],
  ["picture.png", { ...PICTURE, type: "image/png", camera: null, location: null }],
  ["picture.gif", { ...PICTURE, type: "image/gif" }],
  ["picture.webp", { ...PHOTO, type: "image/webp" }],
  ["picture.avif", { ...PICTURE, type: "image/avif" }],
  ["picture.heic", { width: 128, height: 64, type: "image/heic" }],
];

test.each(SAMPLES)("%s says what it is, whatever the server calls it", async (name, expected) => {
  const { facts, problem, starts } = await readByRanges(sample(name), { contentType: "text/plain" });
  expect(problem).toBeNull();
  expect(facts).toMatchObject(expected);
  expect(starts).toEqual([0]);
});

test.each(SAMPLES.filter(([, { type = "" }]) => !type.startsWith("image/")))(
  "%s lasts a second, or 0.2",
  async (name) => {
    const { facts } = await readByRanges(sample(name));
    const expected = ["flac.flac", "wave.wav"].includes(name) ? 0.2 : 1;
    expect(Math.abs((facts.durationS ?? 0) - expected)).toBeLessThan(0.15);
  },
);

test("a drawing has a title and a size", async () => {
  const svg = '<?xml version="1.0"?><!-- x --><svg viewBox="0 0 30 15"><title>Cats &amp; dogs</title></svg>';
  const { facts } = await readByRanges(text(svg));
  expect(facts).toMatchObject({ type: "image/svg+xml", width: 30, height: 15, title: "Cats & dogs" });
});

/** The frames of an MP3 alone. */
function withoutId3(file: Uint8Array): Uint8Array {
  const size = [...file.subarray(6, 10)].reduce((sum, byte) => sum * 128 + byte, 0);
  return file.subarray(10 + size);
}

test("ID3v1 at the end, in ISO 8859-1", async () => {
  const sound = withoutId3(sample("id3v23.mp3"));
  const field = (value: string) => value.padEnd(30, "\0");
  const tag = `TAG${field("Über")}${field("Jo")}${field("Orbits")}1999`.padEnd(127, "\0");
  const long = join(sound, ...Array.from({ length: 40 }, () => sound), latin1(`${tag}\x1a`));
  const { facts, starts } = await readByRanges(long);
  expect(facts).toMatchObject({ title: "Über", artist: "Jo", album: "Orbits", year: 1999 });
  expect(starts).toEqual([0, long.byteLength - RANGE_BYTES]);
});

test("what describes an MP4 is found behind its sound, in two ranges", async () => {
  const file = longSound(5_000_000);
  const { facts, starts, problem } = await readByRanges(file);
  expect(facts).toMatchObject({ ...TAGS, type: "audio/mp4" });
  expect([problem, starts]).toEqual([null, [0, file.byteLength - RANGE_BYTES]]);
});

test("a cover that is longer than all ranges is passed over", async () => {
  const frame = (id: string, body: Uint8Array) => {
    const head = new DataView(new ArrayBuffer(4));
    head.setUint32(0, body.byteLength);
    return join(latin1(id), new Uint8Array(head.buffer), new Uint8Array(2), body);
  };
  const frames = join(
    frame("TIT2", latin1("\0Before")),
    frame("APIC", join(latin1("\0image/jpeg\0\x03\0"), new Uint8Array(700_000).fill(0x55))),
    frame("TPE1", latin1("\0After")),
  );
  const length = frames.byteLength;
  const size = [21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f);
  const file = join(latin1("ID3\x03\0\0"), Uint8Array.from(size), frames, withoutId3(sample("id3v23.mp3")));
  const { facts, starts } = await readByRanges(file);
  expect(facts).toMatchObject({ title: "Before", artist: "After", bitRate: 32_000 });
  expect(starts.length).toBeLessThanOrEqual(3);
});

test("an Ogg file is read at its beginning and at its end", async () => {
  const file = sample("vorbis.ogg");
  const lastPage = Buffer.from(file).lastIndexOf("OggS");
  // Pages of the same stream stand between, which nobody reads. No packet ends on them.
  const serial = file.subarray(14, 18);
  const page = join(latin1("OggS\0\0"), new Uint8Array(8).fill(255), serial, Uint8Array.from([99]), new Uint8Array(7));
  const filler = join(page, Uint8Array.from([200]), new Uint8Array(200).fill(255), new Uint8Array(200 * 255));
  const long = join(file.subarray(0, lastPage), ...Array.from({ length: 100 }, () => filler), file.subarray(lastPage));
  const { facts, starts } = await readByRanges(long);
  expect(facts).toMatchObject({ ...TAGS, durationS: 1 });
  expect(starts).toEqual([0, long.byteLength - RANGE_BYTES]);
});

test.each([
  ["vorbis.ogg", { ...TAGS, durationS: null }],
  ["id3v23.mp3", { ...TAGS, bitRate: 32_000 }],
  ["head.mp4", { ...TAGS, ...PICTURE }],
  ["film.webm", { ...PICTURE, codecs: ["VP8", "OPUS"] }],
  ["photo.jpg", PHOTO],
  ["picture.webp", PICTURE],
])("%s of a server that sends its beginning alone has what stands there", async (name, expected) => {
  const file = sample(name);
  const beginning = file.subarray(0, file.byteLength - 200);
  const { facts } = await readMedia(new ChunkSource([{ offset: 0, bytes: beginning }], 9_000_000), null);
  expect(facts).toMatchObject(expected);
});

test.each([
  ["a page", text("<!doctype html><title>No</title>"), "text/html"],
  ["plain text", text("not a sound"), "text/plain"],
  ["nothing known", new Uint8Array(100), null],
])("%s is no medium", async (_, bytes, contentType) => {
  await expect(readByRanges(bytes, { contentType })).rejects.toThrow(DocumentProblem);
});

test("a medium that nobody reads has its type alone", async () => {
  const { facts } = await readByRanges(text("MThd and more"), { contentType: "audio/midi; x=1" });
  expect(facts).toMatchObject({ type: "audio/midi", durationS: null, title: null });
});
