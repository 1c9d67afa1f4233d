import {
  ChunkSource,
  MAX_RANGES,
  type MediaChunk,
  RANGE_BYTES,
} from "../../../../src/media/sound-and-picture/media-source.ts";
import { type MediaReading, readMedia } from "../../../../src/media/sound-and-picture/read-media.ts";

/** Reads a file as a crawl does: one range after the other, at most MAX_RANGES. `size`: as the server names it. */
export async function readByRanges(
  bytes: Uint8Array,
  { size = bytes.byteLength, contentType = null }: { size?: number | null; contentType?: string | null } = {},
): Promise<MediaReading & { starts: number[] }> {
  const chunks: MediaChunk[] = [];
  for (let offset = 0; ; ) {
    chunks.push({ offset, bytes: bytes.slice(offset, offset + RANGE_BYTES) });
    const source = new ChunkSource(chunks, size);
    const reading = await readMedia(source, contentType);
    const next = source.nextRange;
    const isOver = next === null || chunks.length === MAX_RANGES || next >= bytes.byteLength;
    if (isOver) return { ...reading, starts: chunks.map((chunk) => chunk.offset) };
    offset = next;
  }
}
