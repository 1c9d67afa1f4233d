import { decodePageLinks, type PageLinks } from "../../graph/page-links.ts";
import { readLinkLines } from "../../store/mirror/kept-links.ts";
import type { PageStores } from "../../store/mirror/read-mirror.ts";
import type { UrlIndex } from "../links/url-index.ts";
import { type Member, readMembers } from "../members.ts";
import type { PassDeps, PassOrder } from "../pass-run.ts";

/** Reads the kept links of pages, one page in memory at a time beside the members that are read at once. */

/** An invocation has six connections. */
const READS_AT_ONCE = 5;

/**
 * The pages of the members with these numbers, each with its node. Pages that no row names are ignored: those of a
 * batch that was delivered again, and those that changed since. Throws if a pack is missing.
 */
export async function* readPages(
  numbers: readonly number[],
  index: UrlIndex,
  deps: Pick<PageStores, "packs"> & Pick<PassDeps, "passObjects">,
  order: PassOrder,
): AsyncGenerator<{ node: number; page: PageLinks }> {
  const members = await readMembers(numbers, (block) => deps.passObjects.bytes(order, `members-${block}`));
  yield* readPagesOf(numbers, members, index, deps, order, "throw");
}

/** Likewise, with the members at hand. If a pack is missing, it throws, or leaves its pages out. */
export async function* readPagesOf(
  numbers: readonly number[],
  members: ReadonlyMap<number, Member>,
  index: UrlIndex,
  { packs }: Pick<PageStores, "packs">,
  { crawl }: Pick<PassOrder, "crawl">,
  ifMissing: "throw" | "leave out",
): AsyncGenerator<{ node: number; page: PageLinks }> {
  for (let from = 0; from < numbers.length; from += READS_AT_ONCE) {
    const some = numbers.slice(from, from + READS_AT_ONCE);
    const read = await Promise.all(
      some.map((number) => {
        const [pack, offset, length] = members.get(number) as Member;
        return readLinkLines(crawl, { pack, offset, length }, packs);
      }),
    );
    for (const [i, bytes] of read.entries()) {
      if (bytes === null && ifMissing === "throw") throw new Error("a pack of links is missing");
      for (const page of bytes === null ? [] : decodePageLinks(bytes)) {
        const node = index.find(page.url);
        if (node !== null && index.memberOf(node) === some[i]) yield { node, page };
      }
    }
  }
}
