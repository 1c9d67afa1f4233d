/**
 * Facts of sounds, films and pictures, read by ranges, beside those of ffprobe, exiftool and identify, and the bytes
 * that were read beside the sizes of the files. The files are made with ffmpeg, ImageMagick, exiftool and heif-enc,
 * which Debian has (ffmpeg, libimage-exiftool-perl, imagemagick, libheif-examples). Exits 1 if a fact differs.
 *
 *     npm run bench:media
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MediaFacts } from "../src/media/sound-and-picture/media-facts.ts";
import { ChunkSource, MAX_RANGES, type MediaChunk, RANGE_BYTES } from "../src/media/sound-and-picture/media-source.ts";
import { readMedia } from "../src/media/sound-and-picture/read-media.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-media-"));
const at = (name: string) => join(folder, name);
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { encoding: "utf8", maxBuffer: 1e8, stdio: ["ignore", "pipe", "pipe"] });
const ffmpeg = (...args: string[]) => run("ffmpeg", "-v", "error", "-y", ...args);

const SOUND = ["-f", "lavfi", "-i", "anoisesrc=d=60:c=pink:r=44100"];
const SHORT = ["-f", "lavfi", "-i", "sine=d=3:r=44100"];
const FILM = ["-f", "lavfi", "-i", "testsrc2=d=20:s=640x360:r=25", "-f", "lavfi", "-i", "anoisesrc=d=20:r=48000"];
const TAGS = ["title=Grüße aus Köln", "artist=The Weavers", "album=Orbits", "date=2021", "track=7", "genre=Ambient"];
const TAGGED = TAGS.flatMap((tag) => ["-metadata", tag]);
const PHOTO = [
  "-Make=Canon",
  "-Model=Canon EOS 5D",
  "-DateTimeOriginal=2024:05:01 12:30:00",
  "-ImageDescription=A spider at work",
  "-Artist=Jo Weaver",
  "-GPSLatitude=50.9375",
  "-GPSLatitudeRef=N",
  "-GPSLongitude=6.9603",
  "-GPSLongitudeRef=W",
];

function makeFiles(): string[] {
  ffmpeg("-f", "lavfi", "-i", "testsrc2=s=1200x800:d=1", "-frames:v", "1", at("plain.png"));
  ffmpeg(
    "-f",
    "lavfi",
    "-i",
    "nullsrc=s=1500x1500,geq=random(1)*255:128:128",
    "-frames:v",
    "1",
    "-q:v",
    "2",
    at("cover.jpg"),
  );
  const sounds: [name: string, ...args: string[]][] = [
    ["cbr.mp3", ...SOUND, "-b:a", "128k", "-id3v2_version", "3", ...TAGGED],
    ["vbr.mp3", ...SOUND, "-q:a", "4", "-id3v2_version", "4", ...TAGGED],
    ["id3v1.mp3", ...SOUND, "-b:a", "96k", "-map_metadata", "-1", "-write_xing", "0", "-id3v2_version", "0"],
    ["plain.mp3", ...SOUND, "-b:a", "192k", "-map_metadata", "-1"],
    ["vorbis.ogg", ...SOUND, "-c:a", "libvorbis", ...TAGGED],
    ["opus.opus", ...SOUND, "-c:a", "libopus", "-b:a", "64k", ...TAGGED],
    ["flac.flac", ...SOUND, ...TAGGED],
    ["tail.m4a", ...SOUND, "-c:a", "aac", "-b:a", "128k", ...TAGGED],
    ["head.m4a", ...SOUND, "-c:a", "aac", "-movflags", "+faststart", ...TAGGED],
    ["wave.wav", ...SOUND, ...TAGGED],
    ["wave.aiff", ...SOUND],
    ["short.mp3", ...SHORT, "-b:a", "32k", ...TAGGED],
    ["windows.wma", ...SOUND, "-c:a", "wmav2", ...TAGGED],
    ["sound.mka", ...SOUND, "-c:a", "libvorbis", ...TAGGED],
    ["tail.mp4", ...FILM, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", ...TAGGED],
    [
      "head.mp4",
      ...FILM,
      "-c:v",
      "libx264",
      "-pix_fmt",
      "yuv420p",
      "-c:a",
      "aac",
      "-movflags",
      "+faststart",
      ...TAGGED,
    ],
    ["silent.mp4", "-f", "lavfi", "-i", "testsrc2=d=15:s=320x240", "-c:v", "libx264", "-an", ...TAGGED],
    ["film.mov", ...FILM, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", ...TAGGED],
    [
      "film.webm",
      ...FILM,
      "-c:v",
      "libvpx",
      "-deadline",
      "realtime",
      "-cpu-used",
      "8",
      "-b:v",
      "1M",
      "-c:a",
      "libopus",
      ...TAGGED,
    ],
    ["film.mkv", ...FILM, "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "libvorbis", ...TAGGED],
    ["film.ogv", ...FILM, "-c:v", "libtheora", "-q:v", "5", "-c:a", "libvorbis", ...TAGGED],
  ];
  for (const [name, ...args] of sounds) ffmpeg(...args, at(name));
  appendFileSync(
    at("id3v1.mp3"),
    Buffer.from(
      `TAG${"A web".padEnd(30, "\0")}${"Jo".padEnd(30, "\0")}${"Orbits".padEnd(30, "\0")}2021`.padEnd(127, "\0") +
        "\x11",
      "latin1",
    ),
  );
  // A cover that is longer than all ranges together stands between the texts.
  ffmpeg(
    "-i",
    at("cbr.mp3"),
    "-i",
    at("cover.jpg"),
    "-map",
    "0",
    "-map",
    "1",
    "-c",
    "copy",
    "-id3v2_version",
    "3",
    at("cover.mp3"),
  );
  ffmpeg(
    "-i",
    at("tail.m4a"),
    "-i",
    at("cover.jpg"),
    "-map",
    "0",
    "-map",
    "1",
    "-c",
    "copy",
    "-disposition:v:0",
    "attached_pic",
    at("cover.m4a"),
  );
  const pictures: [name: string, ...args: string[]][] = [
    ["photo.jpg", "-q:v", "2"],
    ["plain.gif"],
    ["plain.webp", "-lossless", "1"],
    ["plain.bmp"],
    ["plain.tiff"],
    ["plain.avif", "-c:v", "libsvtav1", "-preset", "12"],
  ];
  for (const [name, ...args] of pictures) ffmpeg("-i", at("plain.png"), ...args, at(name));
  run("heif-enc", at("photo.jpg"), "-o", at("photo.heic"));
  const described = ["photo.jpg", "cover.jpg", "plain.webp", "plain.png", "plain.tiff"];
  run("exiftool", "-q", "-overwrite_original", ...PHOTO, ...described.map(at));
  writeFileSync(
    at("drawing.svg"),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 150"><title>A web</title></svg>',
  );
  return [
    ...sounds.map(([name]) => name),
    ...["cover.mp3", "cover.m4a", "plain.png", "cover.jpg", "photo.heic", "drawing.svg"],
    ...pictures.map(([name]) => name),
  ];
}

async function readByRanges(
  bytes: Uint8Array,
): Promise<{ facts: MediaFacts; problem: string | null; ranges: number; read: number }> {
  const chunks: MediaChunk[] = [];
  for (let offset = 0; ; ) {
    chunks.push({ offset, bytes: bytes.slice(offset, offset + RANGE_BYTES) });
    const source = new ChunkSource(chunks, bytes.byteLength);
    const { facts, problem } = await readMedia(source, null);
    const next = source.nextRange;
    const read = chunks.reduce((sum, chunk) => sum + chunk.bytes.byteLength, 0);
    if (next === null || chunks.length === MAX_RANGES) return { facts, problem, ranges: chunks.length, read };
    offset = next;
  }
}

interface Stream {
  codec_type: string;
  disposition: { attached_pic: number };
}

type Expected = Partial<Record<keyof MediaFacts, unknown>>;

/** ffprobe for what moves or sounds, exiftool for pictures, identify for their dimensions. */
function expectedOf(name: string, isPicture: boolean): Expected {
  if (isPicture) {
    if (name.endsWith(".svg")) return { width: 300, height: 150, title: "A web" };
    const [width, height] = run("identify", "-format", "%w %h\n", at(name)).trim().split("\n")[0]?.split(" ") ?? [];
    const [exif = {}] = JSON.parse(run("exiftool", "-json", "-n", at(name))) as Record<string, unknown>[];
    const { DateTimeOriginal: taken, Model, ImageDescription, Artist, GPSLatitude, GPSLongitude } = exif;
    const expected = {
      width: Number(width),
      height: Number(height),
      camera: Model,
      description: ImageDescription,
      artist: Artist,
    };
    const place = typeof GPSLatitude === "number" ? { latitude: GPSLatitude, longitude: GPSLongitude } : undefined;
    const takenAt = typeof taken === "string" ? taken.replace(/^(\d+):(\d+):(\d+) /, "$1-$2-$3T") : undefined;
    return { ...expected, takenAt, location: place };
  }
  const probe = JSON.parse(run("ffprobe", "-v", "error", "-show_format", "-show_streams", "-of", "json", at(name)));
  const film = probe.streams.find((each: Stream) => each.codec_type === "video" && each.disposition.attached_pic === 0);
  const sound = probe.streams.find((each: Stream) => each.codec_type === "audio");
  const tags = Object.fromEntries(
    [...Object.entries(probe.format.tags ?? {}), ...Object.entries(sound?.tags ?? {})].map(([tag, value]) => [
      tag.toLowerCase(),
      value,
    ]),
  );
  return {
    durationS: Number(probe.format.duration),
    width: film?.width,
    height: film?.height,
    // Nor does its reader take a MOV's sound.
    sampleRate: sound === undefined || name.endsWith(".mov") ? undefined : Number(sound.sample_rate),
    // An MP4 writes 2 for one channel too.
    channels: /mp4|mov/.test(probe.format.format_name) ? undefined : sound?.channels,
    title: tags.title,
    artist: tags.artist,
    album: tags.album,
    year: tags.date === undefined ? undefined : Number(String(tags.date).slice(0, 4)),
    genre: tags.genre,
  };
}

function isSame(fact: unknown, expected: unknown, name: keyof MediaFacts): boolean {
  if (expected === undefined) return true;
  if (name === "durationS") return Math.abs(Number(fact) - Number(expected)) <= Math.max(0.1, Number(expected) / 100);
  if (name === "location") {
    const [a, b] = [fact, expected] as MediaFacts["location"][];
    return (
      Math.abs((a?.latitude ?? 99) - (b?.latitude ?? 0)) < 1e-4 &&
      Math.abs((a?.longitude ?? 999) - (b?.longitude ?? 0)) < 1e-4
    );
  }
  // ffprobe reads a short text of ID3v1 as it is.
  return fact === expected;
}

try {
  let facts = 0;
  let differing = 0;
  let all = 0;
  let fetched = 0;
  const names = makeFiles();
  console.log("file               type                 bytes  ranges    read  problem and differences");
  for (const name of names) {
    const bytes = readFileSync(at(name));
    const { facts: found, problem, ranges, read } = await readByRanges(bytes);
    const expected = expectedOf(name, found.type.startsWith("image/"));
    const notes = problem === null ? [] : [problem];
    for (const [fact, value] of Object.entries(expected) as [keyof MediaFacts, unknown][]) {
      if (value === undefined) continue;
      facts += 1;
      if (isSame(found[fact], value, fact)) continue;
      differing += 1;
      notes.push(`${fact}: ${JSON.stringify(found[fact])} for ${JSON.stringify(value)}`);
    }
    all += bytes.byteLength;
    fetched += read;
    console.log(
      `${name.padEnd(18)} ${found.type.padEnd(16)} ${String(bytes.byteLength).padStart(9)}  ${String(ranges).padStart(6)} ${String(read).padStart(7)}  ${notes.join("; ")}`,
    );
    if (process.argv.includes("--facts")) console.log(JSON.stringify(found));
  }
  console.log(
    `${names.length} files, ${facts} facts, ${differing} differ; ${fetched} of ${all} bytes read (${((100 * fetched) / all).toFixed(1)}%)`,
  );
  process.exitCode = differing > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true });
}
