import { joinBytes } from "../../../src/core/join-bytes.ts";
import type { MediaFacts } from "../../../src/media/sound-and-picture/media-facts.ts";
import { ChunkSource, RANGE_BYTES } from "../../../src/media/sound-and-picture/media-source.ts";
// Readers load these at their first use, which takes real time, and virtual time would go on.
import "../../../src/media/sound-and-picture/describe-media.ts";
import "../../../src/media/sound-and-picture/read-picture.ts";
import { readMedia } from "../../../src/media/sound-and-picture/read-media.ts";
import "../../../src/media/sound-and-picture/read-sound.ts";
import type { Random } from "./random.ts";
import type { Sending } from "./transfers.ts";

/** A sound as a server of the model sends it, in ranges or at once, and the facts that it has. */

export interface MediaServed extends Pick<Sending, "pieces" | "pieceMs" | "hasLength" | "end"> {
  /** Bytes of sound or of nothing before each of its tags. A gap of more than a range needs another range. */
  gaps: number[];
  /** `false` for a text that bears the name of a sound. */
  isSound: boolean;
  /** What the server makes of ranges: it sends them, the whole file, none, or none after the first one. */
  ranges: "sent" | "ignored" | "refused" | "first alone";
  /** Names the state of the file. */
  etag: string;
}

export const MEDIA_EXTENSION = ".wav";

const TAGS = ["INAM", "IART", "IPRD"];

export function drawMedia(random: Random): MediaServed {
  const gap = () => random.oneOf([100, 2_000, RANGE_BYTES, 150_000]);
  return {
    gaps: Array.from({ length: random.between(1, TAGS.length) }, gap),
    isSound: random.chance(0.9),
    ranges: random.oneOf(["sent", "sent", "sent", "sent", "sent", "ignored", "refused", "first alone"]),
    etag: "of all times",
    pieces: random.oneOf([1, 3, 10]),
    pieceMs: random.oneOf([1, 50, 500]),
    hasLength: random.chance(0.7),
    end: random.oneOf(["whole", "whole", "breaks", "hangs"]),
  };
}

/** WAV, because its header is short, and tags may stand after any number of other bytes. */
export function soundOf(url: string, { gaps, isSound }: Pick<MediaServed, "gaps" | "isSound">) {
  // A seed is a page, whatever its name. Its text is stored, and is that of other pages.
  if (!isSound) return toBytes(url);
  // One channel of 8,000 samples a second, each of 16 bits.
  const format = joinBytes([numbers(2, 1, 1), numbers(4, 8_000, 16_000), numbers(2, 2, 16)]);
  const tagged = gaps.flatMap((gap, i) => {
    const name = TAGS[i] as string;
    const value = toBytes(`${name} of ${url}\0`);
    const even = value.length % 2 === 0 ? value : joinBytes([value, new Uint8Array(1)]);
    const list = chunk("LIST", joinBytes([toBytes("INFO"), chunk(name, even)]));
    return [chunk(i === 0 ? "data" : "JUNK", new Uint8Array(gap)), list];
  });
  return chunk("RIFF", joinBytes([toBytes("WAVE"), chunk("fmt ", format), ...tagged]));
}

/** `range`: the header of the request. */
export function soundSendingOf(
  url: string,
  served: MediaServed & { headersMs?: number },
  range: string | null,
): Sending {
  const body = soundOf(url, served);
  const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  const type = served.isSound ? "audio/wav" : "text/plain";
  const sending = { ...served, kind: "media" as const, headers: { etag: served.etag } };
  const isRefused = served.ranges === "refused" || (served.ranges === "first alone" && from !== "0");
  if (from === "" || served.ranges === "ignored") return { ...sending, status: 200, type, body };
  const start = Number(from);
  if (isRefused || start >= body.byteLength) return { ...sending, status: 416, type, body: toBytes("no such range") };
  const end = Math.min(Number(to) + 1, body.byteLength);
  const headers = { ...sending.headers, "content-range": `bytes ${start}-${end - 1}/${body.byteLength}` };
  return { ...sending, headers, status: 206, type, body: body.slice(start, end) };
}

/** What its reader says of so many of its first bytes. */
export async function factsOf(url: string, served: MediaServed, bytes = Number.POSITIVE_INFINITY): Promise<MediaFacts> {
  const body = soundOf(url, served);
  const source = new ChunkSource([{ offset: 0, bytes: body.subarray(0, bytes) }], body.byteLength);
  return (await readMedia(source, "audio/wav")).facts;
}

function chunk(name: string, content: Uint8Array): Uint8Array<ArrayBuffer> {
  return joinBytes([toBytes(name), numbers(4, content.byteLength), content]);
}

/** Little-endian numbers of so many bytes each. */
function numbers(bytes: 2 | 4, ...values: number[]): Uint8Array<ArrayBuffer> {
  const array = bytes === 2 ? new Uint16Array(values) : new Uint32Array(values);
  return new Uint8Array(array.buffer);
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
