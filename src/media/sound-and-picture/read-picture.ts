// Reads EXIF, IPTC and XMP of JPEG, TIFF and PNG; bytes alone, without a canvas or a file system.
import exifr from "exifr";
// Reads the dimensions of some twenty kinds of pictures from their first bytes; exifr knows neither GIF nor WebP.
import { imageSize } from "image-size";
import { decodeHtml } from "../characters/charset.ts";
import { emptyFacts, type MediaFacts, toDescription, toKeywords, toName, toPositive } from "./media-facts.ts";
import { type MediaSource, RANGE_BYTES, unlessMissing } from "./media-source.ts";
import { findWebpExif } from "./webp-exif.ts";

/** Reads what a picture says about itself. */

/** The head of a JPEG may be longer than a range: a thumbnail, a colour profile, a second picture. */
const MAX_HEAD_BYTES = 4 * RANGE_BYTES;

/**
 * What a drawing says about itself stands at its beginning. Patterns that search a longer text take seconds of some.
 */
const SVG_BYTES = 8_192;

const EXIF_OPTIONS = {
  tiff: true,
  exif: true,
  gps: true,
  iptc: true,
  xmp: true,
  icc: false,
  jfif: false,
  ihdr: false,
  makerNote: false,
  userComment: false,
  interop: false,
  ifd1: false,
  mergeOutput: true,
  translateValues: false,
  // Dates stay as they are written: EXIF names no time zone.
  reviveValues: false,
};

type Exif = Readonly<Record<string, unknown>>;

/** `type`: by the file's bytes. The fault: why some facts are missing. Throws MissingBytes. */
export async function readPicture(
  source: MediaSource,
  type: string,
): Promise<{ facts: MediaFacts; fault: string | null }> {
  const isSvg = type === "image/svg+xml";
  const { head, size } = isSvg ? await readSvgSize(source) : await readSize(source);
  const exif = await readExif(source, type, head);
  const facts: MediaFacts = {
    ...emptyFacts(type),
    width: toPositive(size?.width, isSvg ? 2 : 0),
    height: toPositive(size?.height, isSvg ? 2 : 0),
    title: isSvg ? titleOfSvg(head) : firstName(exif, ["ObjectName", "Headline", "title", "Title"]),
    artist: firstName(exif, ["Artist", "Byline", "creator", "Author"]),
    description: toDescription(firstText(exif, ["ImageDescription", "Caption", "description", "Description"])),
    keywords: toKeywords([exif.Keywords ?? exif.subject ?? []].flat()),
    camera: cameraOf(exif),
    takenAt: toIsoTime(exif.DateTimeOriginal ?? exif.CreateDate ?? exif.DateCreated),
    location: toLocation(exif),
  };
  return { facts, fault: size === null ? "its dimensions could not be read" : null };
}

/** Reads on while the dimensions are further back. */
async function readSize(source: MediaSource): Promise<{ head: Uint8Array; size: Size | null }> {
  for (let length = RANGE_BYTES; ; length += RANGE_BYTES) {
    const whole = await unlessMissing(source.read(0, length), null);
    const head = whole ?? (await source.readKnown(0, length));
    const size = tryImageSize(head);
    const isAll = whole === null || head.byteLength < length || length >= MAX_HEAD_BYTES;
    // Only the segments of a JPEG are read in their order.
    if (size !== null || isAll || head[0] !== 0xff || head[1] !== 0xd8) return { head, size };
  }
}

async function readSvgSize(source: MediaSource): Promise<{ head: Uint8Array; size: Size | null }> {
  const head = await source.readKnown(0, SVG_BYTES);
  return { head, size: tryImageSize(head) };
}

type Size = ReturnType<typeof imageSize>;

function tryImageSize(head: Uint8Array): Size | null {
  try {
    return imageSize(head);
  } catch {
    return null;
  }
}

/** A picture whose EXIF is broken, or stands behind its head, has none. */
async function readExif(source: MediaSource, type: string, head: Uint8Array): Promise<Exif> {
  const bytes =
    type === "image/webp" ? await unlessMissing(findWebpExif(source), null) : EXIF_TYPES.has(type) ? head : null;
  if (bytes === null) return {};
  try {
    const found: Exif | undefined = await exifr.parse(bytes, EXIF_OPTIONS);
    return found ?? {};
  } catch {
    return {};
  }
}

/** Not HEIC and AVIF: exifr does not end on a box of no length. */
const EXIF_TYPES = new Set(["image/jpeg", "image/tiff", "image/png"]);

function titleOfSvg(head: Uint8Array): string | null {
  const written = /<title[^<>]{0,200}>([^<]{1,2000})<\/title>/i.exec(decodeHtml(head, "image/svg+xml").text)?.[1];
  const text = written?.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? "");
  return toName(text);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

function firstText(exif: Exif, names: readonly string[]): unknown {
  for (const name of names) {
    const value = textOf(exif[name]);
    if (toName(value) !== null) return value;
  }
  return null;
}

/** XMP gives some values with their language, or as a list. */
function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => typeof each === "string").join(", ");
  return typeof value === "object" && value !== null && "value" in value ? value.value : value;
}

function firstName(exif: Exif, names: readonly string[]): string | null {
  return toName(firstText(exif, names));
}

/** Most models name their maker. */
function cameraOf({ Make, Model }: Exif): string | null {
  const make = toName(Make);
  const model = toName(Model);
  if (make === null || model === null) return model ?? make;
  return model.toLowerCase().startsWith(make.toLowerCase().split(" ")[0] ?? "") ? model : `${make} ${model}`;
}

/** EXIF writes `2024:05:01 12:00:00`, XMP as ISO 8601 does. */
function toIsoTime(value: unknown): string | null {
  const written = typeof value === "string" ? value : "";
  const [, year, month, day, time] = /^(\d{4})[:-](\d\d)[:-](\d\d)(?:[ T](\d\d:\d\d:\d\d))?/.exec(written) ?? [];
  if (year === undefined || year === "0000" || month === "00") return null;
  return `${year}-${month}-${day}${time === undefined ? "" : `T${time}`}`;
}

function toLocation({ latitude, longitude }: Exif): MediaFacts["location"] {
  if (typeof latitude !== "number" || typeof longitude !== "number") return null;
  const isPlace = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  // A camera without a fix writes 0 for both.
  if (!isPlace || (latitude === 0 && longitude === 0)) return null;
  return { latitude: Number(latitude.toFixed(6)), longitude: Number(longitude.toFixed(6)) };
}
