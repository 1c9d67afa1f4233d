import type { EncodeQuery } from "../characters/query-encoding.ts";
import { type Canonicalize, type DroppedLinks, HrefResolver } from "./links.ts";

/** Requisites: the URLs of the images, styles, scripts and fonts that a document is shown with. */

/** Per document. The largest shops and galleries have some hundreds. */
const MAX_REQUISITES = 1_000;

export type AddRequisite = (href: string | null) => void;

/**
 * Canonical, in the order in which `gather` adds them, each URL once, without the document itself. `dropped` counts
 * those beyond the limit, once for each place that names them.
 */
export function collectRequisites(
  url: string,
  base: string,
  canonicalize: Canonicalize,
  dropped: DroppedLinks,
  gather: (add: AddRequisite) => void,
  encodeQuery: EncodeQuery | null = null,
): string[] {
  const resolver = new HrefResolver(base, url, canonicalize, encodeQuery);
  const found = new Set<string>();
  gather((href) => {
    // An empty value names nothing; resolved, it would be the document itself.
    if (href === null || href.trim() === "") return;
    if (resolver.isFull) return dropped.add(null);
    const requisite = resolver.resolve(href);
    if (requisite === null || requisite === url || found.has(requisite)) return;
    if (found.size < MAX_REQUISITES) found.add(requisite);
    else dropped.add(requisite);
  });
  return [...found];
}
