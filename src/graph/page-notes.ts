import { createHash } from "node:crypto";
import { hashId } from "../media/id-hash.ts";
import type { LinkedPage, SiteLink } from "./linked-page.ts";
import { joinPairs, type PairSet, PairSink, PairUnion, repeatedPairs, secondsOf, toPairSet } from "./pairs.ts";
import { followRedirects, type SiteFacts, stateOf, UrlState } from "./problems/site-facts.ts";

/**
 * What has to be known of all pages before the findings of any one can be told: shared titles, other canonical pages,
 * alternate languages, and fragments. It is noted in two readings of the pages, both by ranges in any order:
 *
 * 1. `PageNotes` of each range; `JoinedNotes` of all, a kind at a time.
 * 2. `findIds` of each page, and `MissingPairs` of all fragments.
 *
 * All are arrays of pairs, 8 bytes each: one for each title and description, for each distinct (page, fragment) that is
 * linked, and for each alternate. Fragments and alternates beyond 4,000,000 are left out and counted: 32 MB each.
 */

/** Pairs of the pages of a range, by kind. */
export interface NoteParts {
  titles: Uint32Array<ArrayBuffer>;
  headings: Uint32Array<ArrayBuffer>;
  descriptions: Uint32Array<ArrayBuffer>;
  canonicals: Uint32Array<ArrayBuffer>;
  alternates: Uint32Array<ArrayBuffer>;
  /** Fragments that are linked: node and `hashId`. */
  fragments: Uint32Array<ArrayBuffer>;
}

/** What of it is needed to tell the findings of a page. */
export interface SiteNotes {
  /** Hashes of the titles that several canonical pages have. */
  titles: PairSet;
  /** Likewise of first headings. */
  headings: PairSet;
  descriptions: PairSet;
  /** Pages that name another canonical page: node and node. */
  canonicals: PairSet;
  /** Pages and their alternates: node and node. */
  alternates: PairSet;
}

const MAX_PAIRS = 4_000_000;

/** Notes the pages of one range. */
export class PageNotes {
  readonly #titles = new PairSink();
  readonly #headings = new PairSink();
  readonly #descriptions = new PairSink();
  readonly #canonicals = new PairSink();
  readonly #alternates = new PairSink();
  readonly #fragments = new PairSink();
  readonly #site: SiteFacts;

  constructor(site: SiteFacts) {
    this.#site = site;
  }

  /** Each page once, and what else has links. `node`: the page's own. */
  add(node: number, page: LinkedPage): void {
    for (const link of page.links) {
      const place = findFragment(link, this.#site);
      if (place !== null) this.#fragments.add(...place);
    }
    if (stateOf(node, this.#site) !== UrlState.page) return;
    const canonical = page.canonical === null ? node : this.#site.findNode(page.canonical);
    if (canonical === node) {
      if (page.audit?.firstHeading) this.#headings.add(...hashName(page.audit.firstHeading));
      if (page.title) this.#titles.add(...hashName(page.title));
      if (page.description) this.#descriptions.add(...hashName(page.description));
    } else if (canonical !== null) this.#canonicals.add(node, canonical);
    for (const { url } of page.alternates) {
      const alternate = this.#site.findNode(url);
      if (alternate !== null) this.#alternates.add(node, alternate);
    }
  }

  toParts(): NoteParts {
    return {
      titles: this.#titles.toPairs(),
      headings: this.#headings.toPairs(),
      descriptions: this.#descriptions.toPairs(),
      canonicals: toPairSet(this.#canonicals.toPairs()),
      alternates: toPairSet(this.#alternates.toPairs()),
      fragments: toPairSet(this.#fragments.toPairs()),
    };
  }
}

/** Joins what all ranges noted of one kind. Memory: twice its pairs, of which a kind that may have many is cut. */
export class JoinedNotes {
  readonly #kind: keyof NoteParts;
  /** Of a kind that is cut. */
  readonly #union: PairUnion | null;
  readonly #parts: Uint32Array[] = [];

  constructor(kind: keyof NoteParts) {
    this.#kind = kind;
    this.#union = kind === "alternates" || kind === "fragments" ? new PairUnion(MAX_PAIRS) : null;
  }

  add(part: Uint32Array): void {
    if (this.#union === null) this.#parts.push(part);
    else this.#union.add(part);
  }

  finish(): { pairs: PairSet; leftOut: number } {
    if (this.#union !== null) return this.#union.finish();
    const joined = joinPairs(this.#parts);
    return { pairs: this.#kind === "canonicals" ? toPairSet(joined) : repeatedPairs(joined), leftOut: 0 };
  }
}

/**
 * Adds the fragments of a page that are linked and exist. `fragments`: of all pages, node and `hashId`. Of a page whose
 * ids are not known, all exist.
 */
export function findIds(node: number, page: LinkedPage, fragments: PairSet, found: PairSink): void {
  const ids = page.ids === null ? null : new Set(page.ids);
  for (const id of secondsOf(fragments, node)) if (ids === null || ids.has(id)) found.add(node, id);
}

/**
 * The page and the `hashId` of the place that a link leads to. Null where it leads to no id of a page: to the top, to a
 * text (`:~:text=`), to a route of a script (`#/`, `#!`), or to what is no page. A browser keeps a fragment over
 * redirects, and looks for an id as it is written and then decoded, so this takes the decoded one.
 * https://html.spec.whatwg.org/multipage/browsing-the-web.html#find-a-potential-indicated-element
 * https://wicg.github.io/scroll-to-text-fragment/#the-fragment-directive
 */
export function findFragment({ url, fragment }: SiteLink, site: SiteFacts): [node: number, id: number] | null {
  const id = decode(fragment?.split(":~:", 1)[0] ?? "");
  if (id === "" || id.toLowerCase() === "top" || id.startsWith("/") || id.startsWith("!")) return null;
  const first = site.findNode(url);
  if (first === null) return null;
  const { node } = followRedirects(first, url, site);
  return node !== null && stateOf(node, site) === UrlState.page ? [node, hashId(id)] : null;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // It is no percent-encoded text, so it is the id as it is written.
    return fragment;
  }
}

/** 64 bits. Two of a million titles share one with a chance of 3 in 100 million. */
export function hashName(name: string): [high: number, low: number] {
  const digest = createHash("sha256").update(name.trim()).digest();
  return [digest.readUInt32BE(0), digest.readUInt32BE(4)];
}
