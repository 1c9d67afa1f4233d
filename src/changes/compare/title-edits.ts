import type { HostTemplate } from "../template/host-template.ts";
import type { SharedEdit } from "../template/shared-rounds.ts";
import { isOfTemplate } from "../template/template-blocks.ts";
import { titleHash, titleParts } from "../template/template-hashes.ts";
import type { PageChange } from "./compare-versions.ts";

/**
 * The new parts of a title in which a part of the template was replaced, such as the name of the site. Null for a title
 * that has lost a part of its own, or none: then the change is the page's.
 */
export function sharedTitleEdits(
  { before, after }: NonNullable<PageChange["title"]>,
  { blocks, pages }: HostTemplate,
): SharedEdit[] | null {
  const had = new Set(titleParts(before).map(titleHash));
  const has = new Set(titleParts(after).map(titleHash));
  const came = titleParts(after).filter((part) => !had.has(titleHash(part)));
  const gone = [...had].filter((hash) => !has.has(hash)).map((hash) => ({ hash, spread: blocks[hash] }));
  const [first] = gone;
  const isOwn = gone.some(({ spread }) => spread === undefined || !isOfTemplate(spread, pages));
  if (came.length === 0 || first?.spread === undefined || isOwn) return null;
  const share = Math.min(1, first.spread[0] / Math.max(pages, 1));
  return came.map((text) => ({
    key: `+${titleHash(text)}`,
    text,
    had: `n${first.hash}`,
    share,
    learns: titleHash(text),
  }));
}
