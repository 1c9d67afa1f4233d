// Reads the tags and tracks of sounds and films of a dozen containers from any source of bytes.
import { type IAudioMetadata, type ICommonTagsResult, type IFormat, parseFromTokenizer } from "music-metadata";
import { findMoov } from "./find-moov.ts";
import { readId3Frames } from "./id3-frames.ts";
import { emptyFacts, type MediaFacts, toDescription, toKeywords, toName, toPositive } from "./media-facts.ts";
import { type MediaSource, RANGE_BYTES, unlessMissing } from "./media-source.ts";
import { readOggSamples, readTheoraSize } from "./ogg-length.ts";
import { readQuickTime } from "./quicktime.ts";
import { SourceTokenizer } from "./source-tokenizer.ts";

/** Reads what a sound or a film says about itself. */

const QUICKTIME = "video/quicktime";
const MP4 = new Set(["audio/mp4", "video/mp4", QUICKTIME]);
/** A comment with a cover in it may be longer; then its tags are left out. */
const MAX_OGG_START_BYTES = 3 * RANGE_BYTES;

/** What a parser found, as far as it came. */
interface Parsed {
  format: Partial<IFormat>;
  common: Partial<ICommonTagsResult>;
  /** The tags as they are written, by their kind. */
  native: IAudioMetadata["native"];
  /** Bytes of sound and picture, if the parser did not see all of the table that says it. */
  payloadBytes: number | null;
  /** Why the parser stopped; null if it came to its end. */
  fault: string | null;
}

/** `type`: by the file's bytes. The fault: why some facts are missing. Throws DocumentProblem and MissingBytes. */
export async function readSound(
  source: MediaSource,
  type: string,
): Promise<{ facts: MediaFacts; fault: string | null }> {
  const parsed = await parseByType(source, type);
  const { format, common, fault } = parsed;
  const video = format.trackInfo?.find((track) => track.video !== undefined)?.video;
  const isFilm = video !== undefined || format.hasVideo === true;
  const durations = (format.trackInfo ?? []).map(({ duration }) => duration ?? 0);
  const durationS = toPositive(isFilm ? Math.max(format.duration ?? 0, ...durations) : format.duration, 3);
  const rateOf = (bytes: number | null) => (bytes === null || durationS === null ? null : (8 * bytes) / durationS);
  const tag = (name: string) => findTag(parsed, name);
  const comment = common.comment?.find(({ text }) => toName(text) !== null)?.text;
  const facts: MediaFacts = {
    ...emptyFacts(typeOf(type, format, isFilm)),
    durationS,
    width: toPositive(video?.displayUnit ? video.pixelWidth : (video?.pixelWidth ?? video?.displayWidth)),
    height: toPositive(video?.displayUnit ? video.pixelHeight : (video?.pixelHeight ?? video?.displayHeight)),
    codecs: codecsOf(format),
    bitRate: toPositive(rateOf(isFilm ? source.size : parsed.payloadBytes) ?? format.bitrate ?? rateOf(source.size)),
    sampleRate: toPositive(format.sampleRate),
    // MP4 writes 2 for one channel too: ISO/IEC 14496-12 calls it a template.
    channels: MP4.has(type) ? null : toPositive(format.numberOfChannels),
    title: toName(common.title),
    artist: toName(common.artist ?? common.albumartist),
    album: toName(common.album ?? tag("ALBUM")),
    year: toPositive(common.year ?? Number(toName(common.date ?? tag("DATE"))?.slice(0, 4))),
    track: toPositive(common.track?.no),
    genre: toName(common.genre?.join(", ")),
    description: toDescription(common.description?.[0] ?? common.longDescription ?? comment),
    keywords: toKeywords(common.keywords ?? []),
  };
  if (type !== QUICKTIME || facts.width !== null) return { facts, fault };
  const own = await unlessMissing(readQuickTime(source, await findMoov(source)), {});
  const known = Object.entries(facts).filter(([, value]) => value !== null);
  return { facts: { ...facts, ...own, ...Object.fromEntries(known) }, fault };
}

async function parseByType(source: MediaSource, type: string): Promise<Parsed> {
  if (type === "audio/ogg") return parseOgg(source);
  if (type === "audio/mpeg") {
    // Tags at the end say the same as those at the beginning, or less.
    const hasTags = await unlessMissing(readId3Frames(source), true);
    return parse(new SourceTokenizer(source, { type, hasTagsAtEnd: !hasTags }));
  }
  if (!MP4.has(type)) return parse(new SourceTokenizer(source, { type }));
  const { start, end } = await findMoov(source);
  const tokenizer = new SourceTokenizer(source, { type, end });
  const parsed = await parse(tokenizer);
  return tokenizer.hasHoles && source.size !== null ? { ...parsed, payloadBytes: source.size - (end - start) } : parsed;
}

/** The pages are read until the tags have come, and the last one for the duration: those between say nothing. */
async function parseOgg(source: MediaSource): Promise<Parsed> {
  const most = Math.min(source.size ?? MAX_OGG_START_BYTES, MAX_OGG_START_BYTES);
  let end = Math.min(most, RANGE_BYTES);
  let parsed = await parse(new SourceTokenizer(source, { type: "audio/ogg", end }));
  while (parsed.fault === null && Object.keys(parsed.native).length === 0 && end < most) {
    end = Math.min(most, end + RANGE_BYTES);
    await unlessMissing(source.read(0, end), null);
    parsed = await parse(new SourceTokenizer(source, { type: "audio/ogg", end }));
  }
  const start = await source.readKnown(0, RANGE_BYTES);
  const samples = await unlessMissing(readOggSamples(source, start), null);
  const size = readTheoraSize(start);
  const { sampleRate = 0, codec = "" } = parsed.format;
  const rate = codec.startsWith("Opus") ? 48_000 : sampleRate;
  const duration = samples === null || rate === 0 ? undefined : samples / rate;
  const { duration: _, bitrate, ...format } = parsed.format;
  // The bit rate that a parser computes from a part of the file is wrong; Vorbis names its own.
  const named = codec.startsWith("Vorbis") ? bitrate : undefined;
  const known = { ...format, ...(duration === undefined ? {} : { duration }) };
  const trackInfo = (format.trackInfo ?? []).map((track) =>
    track.video === undefined || size === null ? track : { ...track, video: { ...track.video, ...size } },
  );
  const heard = named === undefined ? known : { ...known, bitrate: named };
  return { ...parsed, format: { ...heard, trackInfo }, payloadBytes: named === undefined ? source.size : null };
}

/** A parser that stops leaves what it found before. */
async function parse(tokenizer: SourceTokenizer): Promise<Parsed> {
  let found: Pick<IAudioMetadata, "format" | "common"> | null = null;
  const observer = ({ metadata }: { metadata: Pick<IAudioMetadata, "format" | "common"> }) => {
    found = metadata;
  };
  try {
    const options = { skipCovers: true, skipPostHeaders: true, duration: false, mkvUseIndex: true, observer };
    const { format, common, native } = await parseFromTokenizer(tokenizer, options);
    return { format, common, native, payloadBytes: null, fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    const { format = {}, common = {} } = (found ?? {}) as Partial<IAudioMetadata>;
    return { format, common, native: {}, payloadBytes: null, fault };
  }
}

/** A container of films may hold a sound alone, and the other way round. */
function typeOf(type: string, { hasAudio, hasVideo }: Partial<IFormat>, isFilm: boolean): string {
  if (isFilm) return type.replace(/^audio\/(mp4|ogg)/, "video/$1");
  const isSound = hasAudio === true && hasVideo !== true;
  return isSound ? type.replace(/^video\/(mp4|webm)/, "audio/$1").replace("video/x-ms-asf", "audio/x-ms-wma") : type;
}

/** A tag that the parser gives no common name. */
function findTag({ native }: Parsed, name: string): unknown {
  const tags = Object.values(native).flat();
  return tags.find(({ id }) => id.toUpperCase() === name || id.endsWith(`:${name}`))?.value;
}

function codecsOf({ codec, trackInfo = [] }: Partial<IFormat>): string[] {
  const names = trackInfo.map(({ codecName, codecId }) => codecName ?? codecId);
  const named = names.some((name) => toName(name) !== null) ? names : [codec];
  // A codec that the parser does not know has its four letters in brackets.
  return toKeywords(named.map((name) => name?.replace(/^<(.*)>$/, "$1")));
}
