import { createHash } from "node:crypto";
import { hashId } from "../media/id-hash.ts";
import type { LinkedPage, SiteLink } from "./linked-page.ts";
import { joinPairs, type PairSet, PairSink, repeatedPairs, secondsOf, subtractPairs, toPairSet } from "./pairs.ts";
import { followRedirects, type SiteFacts, stateOf, UrlState } from "./problems/site-facts.ts";

/**
 * What has to be known of all pages before the findings of any one can be told: shared titles, other canonical pages,
 * alternate languages, and fragments. It is noted in two readings of the pages, both by ranges in any order:
 *
 * 1. `PageNotes` of each range; `joinNotes` of all.
 * 2. `findIds` of each page, joined by `findMissingFragments`.
 *
 * All are arrays of pairs, 8 bytes each: one for each title and description, for each distinct (page, fragment) that is
 * linked, and for each alternate. Fragments and alternates beyond 4,000,000 are left out and counted: 32 MB each.
 */

export interface NoteParts {
  titles: Uint32Array<ArrayBuffer>;
  headings: Uint32Array<ArrayBuffer>;
  descriptions: Uint32Array<ArrayBuffer>;
  canonicals: Uint32Array<ArrayBuffer>;
  alternates: Uint32Array<ArrayBuffer>;
  fragments: Uint32Array<ArrayBuffer>;
}

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
  /** Fragments that are linked: node and `hashId`. */
  fragments: PairSet;
  /** Fragments and alternates that are not checked. */
  leftOut: number;
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

/** Joins the notes of all ranges. Memory: twice that of the largest kind of pairs. */
export function joinNotes(parts: readonly NoteParts[]): SiteNotes {
  const join = (name: keyof NoteParts) => joinPairs(parts.map((part) => part[name]));
  const alternates = toPairSet(join("alternates"));
  const fragments = toPairSet(join("fragments"));
  const cut = (pairs: PairSet) => pairs.subarray(0, 2 * MAX_PAIRS);
  const beyond = ({ length }: PairSet) => Math.max(0, length / 2 - MAX_PAIRS);
  return {
    titles: repeatedPairs(join("titles")),
    headings: repeatedPairs(join("headings")),
    descriptions: repeatedPairs(join("descriptions")),
    canonicals: toPairSet(join("canonicals")),
    alternates: cut(alternates),
    fragments: cut(fragments),
    leftOut: beyond(alternates) + beyond(fragments),
  };
}

/** Adds the fragments of a page that are linked and exist. Of a page whose ids are not known, all exist. */
export function findIds(node: number, page: LinkedPage, { fragments }: SiteNotes, found: PairSink): void {
  const ids = page.ids === null ? null : new Set(page.ids);
  for (const id of secondsOf(fragments, node)) if (ids === null || ids.has(id)) found.add(node, id);
}

/** The fragments that are linked and do not exist. `found`: what `findIds` added, of all ranges. */
export function findMissingFragments({ fragments }: SiteNotes, found: readonly Uint32Array[]): PairSet {
  return subtractPairs(fragments, toPairSet(joinPairs(found)));
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
