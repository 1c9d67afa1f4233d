import { unpackJson } from "../../core/formats/gzip-json.ts";
import { type HostSamePages, reduceUrl } from "../../scope/same-page-rules.ts";
import { hostOf } from "../../url/host-key.ts";

/**
 * The URLs that stand for other ones. A crawl refuses URLs that its rules about same pages tell from a stored one only
 * by parts that never change the page; links to them are links to that page. Object `same-pages`.
 */

/** Names of each sort, some 10 MB. Links to URLs beyond are links to nothing. */
export const MAX_SAME_NAMES = 100_000;
/** URLs whose reduced ones are remembered: some 4 MB. */
const MAX_REDUCED = 20_000;

export interface StoredNames {
  /** The hosts with rules in use. */
  hosts: [host: string, rules: HostSamePages][];
  /** Rows that were refused as the same page, and the URLs that stand for them. */
  refused: [node: number, url: string][];
  /** Stored pages by the URL that the rules make of theirs, which may have no row of its own. */
  stored: [reduced: string, node: number][];
}

const NO_NAMES: StoredNames = { hosts: [], refused: [], stored: [] };

export class SamePageNames {
  readonly #hosts: ReadonlyMap<string, HostSamePages>;
  readonly #refused: ReadonlyMap<number, string>;
  readonly #stored: ReadonlyMap<string, number>;
  /** Pages of a site repeat the same links. */
  readonly #reduced = new Map<string, string | null>();

  constructor({ hosts, refused, stored }: StoredNames = NO_NAMES) {
    this.#hosts = new Map(hosts);
    this.#refused = new Map(refused);
    this.#stored = new Map(stored);
  }

  /** The URL that stands for the row of this node; null for any other row. */
  ofRow(node: number): string | null {
    return this.#refused.get(node) ?? null;
  }

  /** The URL without the parts that never change its page; null if it has none. */
  reduce(url: string): string | null {
    if (this.#hosts.size === 0) return null;
    const known = this.#reduced.get(url);
    if (known !== undefined) return known;
    const rules = this.#hosts.get(hostOf(url));
    const reduced = rules === undefined ? null : (reduceUrl(rules, url)?.reduced ?? null);
    if (this.#reduced.size >= MAX_REDUCED) this.#reduced.clear();
    this.#reduced.set(url, reduced);
    return reduced;
  }

  /** The stored page whose URL reduces to this one; null if there is none. */
  storedAs(reduced: string): number | null {
    return this.#stored.get(reduced) ?? null;
  }
}

/** From the bytes of the object. */
export function namesOf(bytes: Uint8Array): SamePageNames {
  return new SamePageNames(unpackJson<StoredNames>(bytes));
}
