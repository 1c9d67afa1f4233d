import { isEdgeKind, type LinkedPage } from "./linked-page.ts";
import { type SiteFacts, stateOf, UrlState } from "./problems/site-facts.ts";

/** The first pages that link to each redirect, by its node, with a bound of all of them. */
export type SourceList = (readonly [node: number, pages: readonly string[]])[];

const MAX_PER_REDIRECT = 3;
/** Of all redirects: some 20 MB. */
const MAX_SOURCES = 100_000;

export class RedirectSources {
  readonly #pages = new Map<number, string[]>();
  #count = 0;

  add({ url, links }: Pick<LinkedPage, "url" | "links">, site: SiteFacts): void {
    for (const link of links) {
      const node = isEdgeKind(link.kind) ? site.findNode(link.url) : null;
      if (node !== null && stateOf(node, site) === UrlState.redirect) this.#put(node, url);
    }
  }

  join(list: SourceList): void {
    for (const [node, pages] of list) for (const page of pages) this.#put(node, page);
  }

  toList(): SourceList {
    return [...this.#pages];
  }

  #put(node: number, page: string): void {
    const known = this.#pages.get(node) ?? [];
    if (known.length >= MAX_PER_REDIRECT || known.includes(page) || this.#count >= MAX_SOURCES) return;
    known.push(page);
    this.#pages.set(node, known);
    this.#count += 1;
  }
}
