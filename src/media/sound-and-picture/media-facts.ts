/** What a sound, a film or a picture says about itself. A fact that the file does not give is null. */
export interface MediaFacts {
  /** The media type by its first bytes; the server's if they do not show it. */
  type: string;
  /** In seconds. */
  durationS: number | null;
  /** In pixels, before any rotation. */
  width: number | null;
  height: number | null;
  /** The names of its codecs, each once. */
  codecs: string[];
  /** Bits per second: of the sound, or of the whole file if it is a film. */
  bitRate: number | null;
  /** In hertz. */
  sampleRate: number | null;
  channels: number | null;
  title: string | null;
  artist: string | null;
  album: string | null;
  year: number | null;
  track: number | null;
  genre: string | null;
  /** A caption or a comment. */
  description: string | null;
  keywords: string[];
  /** Maker and model. */
  camera: string | null;
  /** ISO 8601, in the camera's local time: EXIF names no time zone. */
  takenAt: string | null;
  /** Where the picture was taken, in degrees. */
  location: { latitude: number; longitude: number } | null;
}

/** The facts of a file of which only the type is known. */
export function emptyFacts(type: string): MediaFacts {
  return {
    type,
    durationS: null,
    width: null,
    height: null,
    codecs: [],
    bitRate: null,
    sampleRate: null,
    channels: null,
    title: null,
    artist: null,
    album: null,
    year: null,
    track: null,
    genre: null,
    description: null,
    keywords: [],
    camera: null,
    takenAt: null,
    location: null,
  };
}

const MAX_NAME = 300;
const MAX_DESCRIPTION = 2_000;
const MAX_KEYWORDS = 30;
// biome-ignore lint/suspicious/noControlCharactersInRegex: tags are padded with them
const BLANKS = /[\s\0-\x1f\x7f]+/g;

/** A text of a tag on one line; null if it is empty or no text. */
export function toName(value: unknown, max = MAX_NAME): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  // Before the search for blanks, because a tag may be megabytes long.
  const text = asUtf8(String(value).slice(0, max)).replace(BLANKS, " ").trim().toWellFormed();
  return text === "" ? null : text;
}

/** Many programs write UTF-8 where the format says ISO 8859-1. Text in that is hardly ever valid UTF-8 by chance. */
function asUtf8(text: string): string {
  if (!/[\x80-\xff]/.test(text) || /[^\0-\xff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(text, (char) => char.charCodeAt(0)),
    );
  } catch {
    return text;
  }
}

export function toDescription(value: unknown): string | null {
  return toName(value, MAX_DESCRIPTION);
}

export function toKeywords(values: readonly unknown[]): string[] {
  return [...new Set(values.slice(0, MAX_KEYWORDS).flatMap((value) => toName(value) ?? []))];
}

/** A number above 0, rounded to `digits` decimals; null for anything else. */
export function toPositive(value: unknown, digits = 0): number | null {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return null;
  const rounded = Number(value.toFixed(digits));
  return rounded > 0 && Number.isSafeInteger(Math.trunc(rounded)) ? rounded : null;
}
