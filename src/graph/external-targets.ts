import type { SiteLink } from "./linked-page.ts";

/** Collects the URLs of other sites that pages link to, as far as a pass checks them. */

/** A URL and the number of links to it. */
export type Target = [url: string, links: number];

/** The URLs that a pass checks: some 30 MB while they are asked. */
const MAX_TARGETS = 100_000;

/** What a reader can follow. What a page embeds or only names is none. */
export function isReadersLink({ kind }: Pick<SiteLink, "kind">): boolean {
  return kind === "a" || kind === "area";
}

/** The first `most` distinct URLs; of the others, the links are counted. */
export class TargetList {
  readonly #most: number;
  readonly #links = new Map<string, number>();
  #leftOut = 0;

  constructor(most = MAX_TARGETS) {
    this.#most = most;
  }

  add(url: string, links = 1): void {
    const known = this.#links.get(url);
    if (known === undefined && this.#links.size >= this.#most) this.#leftOut += links;
    else this.#links.set(url, (known ?? 0) + links);
  }

  get targets(): Target[] {
    return [...this.#links];
  }

  /** Links to URLs that are not in the list. */
  get leftOut(): number {
    return this.#leftOut;
  }
}
