import { readRecord } from "../../archive/read-warc-record.ts";
import { viewUrn } from "../../archive/view-urn.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { ArchiveIndex } from "../../store/mirror/archive-index.ts";
import { readStoredContent, type Stores } from "../../store/mirror/read-mirror.ts";

/** Reads the picture of a page, as a browser drew it last. */

type Screenshot =
  /** `picture`: a JPEG. */
  | { kind: "picture"; picture: Uint8Array<ArrayBuffer> }
  /** `why`: for people. */
  | { kind: "none"; why: string };

/** `url`: canonical. */
export async function readScreenshot(
  crawl: Crawl,
  url: string,
  deps: Stores & { archiveIndex: ArchiveIndex },
): Promise<Screenshot> {
  const place = await deps.archiveIndex.answer(crawl.id, viewUrn(url));
  const member = place === null ? null : await deps.packs.read(crawl.id, place.pack, place.offset, place.length);
  if (member !== null) return { kind: "picture", picture: (await readRecord(member)).payload };
  if (!crawl.options.screenshot) return { kind: "none", why: "it was started without screenshots" };
  const content = await readStoredContent(crawl, url, [], deps, await deps.records.packed(crawl.id, url));
  if (content?.drawn === undefined) return { kind: "none", why: "no browser drew the page" };
  return { kind: "none", why: content.drawn.rendering.noPicture ?? "its record is missing" };
}
