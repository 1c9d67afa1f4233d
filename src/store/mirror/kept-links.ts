import { readRecord } from "../../archive/read-warc-record.ts";
import type { Packs } from "./packs.ts";

/** The place of the record that holds the links of a batch's pages. */
export interface LinksPlace {
  pack: string;
  offset: number;
  length: number;
}

/**
 * The lines of a batch's pages, for `decodePageLinks` and `findPageLinks` (graph/page-links.ts); null if there is no
 * such pack. Some of its pages may have other links by now: a line counts where the row of its URL names this place.
 */
export async function readLinkLines(
  crawl: string,
  place: LinksPlace,
  packs: Pick<Packs, "read">,
): Promise<Uint8Array | null> {
  const member = await packs.read(crawl, place.pack, place.offset, place.length);
  return member === null ? null : (await readRecord(member)).payload;
}
