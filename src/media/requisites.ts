import { type Canonicalize, HrefResolver } from "./links.ts";

/** Requisites: the URLs of the images, styles, scripts and fonts that a document is shown with. */

/** Per document. The largest shops and galleries have some hundreds. */
const MAX_REQUISITES = 1_000;

export type AddRequisite = (href: string | null) => void;

/** Canonical, in the order in which `gather` adds them, each URL once, without the document itself. */
export function collectRequisites(
  url: string,
  base: string,
  canonicalize: Canonicalize,
  gather: (add: AddRequisite) => void,
): string[] {
  const resolver = new HrefResolver(base, url, canonicalize);
  const found = new Set<string>();
  gather((href) => {
    // An empty value names nothing; resolved, it would be the document itself.
    if (href === null || href.trim() === "" || found.size >= MAX_REQUISITES || resolver.isFull) return;
    const requisite = resolver.resolve(href);
    if (requisite !== null && requisite !== url) found.add(requisite);
  });
  return [...found];
}
