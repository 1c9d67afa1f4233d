import { box, join, latin1, sample } from "./long-files.ts";

/** Sounds, films and pictures that lie. */

/** `size`: what the server says; undefined for the truth. */
export const LYING_FILES: [name: string, bytes: Uint8Array, size?: number | null][] = [
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

export const ZEROS = new Uint8Array(65_000);
export const uint32 = (value: number) => new Uint8Array(new Uint32Array([value]).buffer);
/**
 * The footer of an APE tag of so many bytes, with one item: http://wiki.hydrogenaud.io/index.php?title=APE_Tags_Header
 */
export const apeFooter = (bytes: number) =>
  join(latin1("APETAGEX"), uint32(2_000), uint32(bytes), uint32(1), ZEROS.slice(0, 12));
export const FRAME = join(latin1("\xff\xfb\x90\x64"), new Uint8Array(413));

/** Beginnings of files of which the server claims 3 GB. */
export const CLAIMS: [name: string, contentType: string, bytes: Uint8Array][] = [
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
