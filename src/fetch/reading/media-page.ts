import type { PageFetched } from "../../crawl/page/outcome.ts";
import type { ContentFormat } from "../../media/document.ts";
import { ChunkSource } from "../../media/sound-and-picture/media-source.ts";
import { type MediaReading, readMedia } from "../../media/sound-and-picture/read-media.ts";

/** What a page has of a media file: its facts, and a document that lists them. */
type MediaPart = Pick<PageFetched, "title" | "media" | "content" | "text">;

/** All are made at once, because there is no body from which to make another one later. */
const FORMATS: readonly ContentFormat[] = ["html", "markdown", "text"];

/** `size`: of the file in bytes; null if it is not known. `search`: its text goes into the index. */
export async function mediaPart(
  { facts }: MediaReading,
  url: string,
  size: number | null,
  search: boolean,
): Promise<MediaPart> {
  // Loaded at its first use, as the readers of documents are (kinds.ts).
  const { describeMedia } = await import("../../media/sound-and-picture/describe-media.ts");
  const { content, title } = describeMedia(facts, { url, size }, FORMATS);
  const kept = new TextEncoder().encode(JSON.stringify({ ...content, links: [] }));
  return { title, media: facts, content: kept, text: search ? (content?.text ?? null) : null };
}

/** Describes a media file that is stored. A file that cannot be read is stored without its facts. */
export async function describeBody(
  body: Uint8Array,
  contentType: string,
  url: string,
  search: boolean,
): Promise<Partial<MediaPart>> {
  const source = new ChunkSource([{ offset: 0, bytes: body }], body.byteLength);
  const reading = await readMedia(source, contentType).catch(() => null);
  return reading === null ? {} : mediaPart(reading, url, body.byteLength, search);
}
