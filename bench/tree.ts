/** A tree of pages over many hosts, whose links can be computed: for crawls whose known URLs are too many to list. */

export interface Tree {
  /** Page `n` is on the host of `n` modulo their number. */
  hosts: string[];
  /** How many there are. The first ones, one on each host, are the roots. */
  pages: number;
  /** Children of a page, until there are no pages left. */
  links: number;
  /** Links of a page to pages before it. */
  back: number;
}

export function pathOf(page: number): string {
  return `/p/${page}`;
}

/** Null for another path. */
export function numberIn(path: string): number | null {
  const digits = /^\/p\/(\d{1,10})$/.exec(path)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The pages that a page links to, each once. */
export function linksOf(page: number, { hosts, pages, links, back }: Tree): number[] {
  const first = hosts.length + page * links;
  const children = Array.from({ length: Math.max(0, Math.min(links, pages - first)) }, (_, i) => first + i);
  // A multiplier that spreads them over all earlier pages, and so over all hosts.
  const earlier = Array.from({ length: Math.min(back, page) }, (_, i) => ((page + i * 7919) * 48_271) % page);
  return [...new Set([...children, ...earlier])];
}
