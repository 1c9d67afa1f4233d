/** Decides at the end of a crawl which of the URLs that a rule holds back are fetched. */

/** A URL that rules reduce to another one. */
export interface WithheldLink {
  readonly url: string;
  /** URLs of which one shows the same page by the rules: the reduced form, or another one that is reduced to it. */
  readonly same: readonly string[];
  /** One of any number, such as a new session: it was found on a page of which rules speak themselves. */
  readonly ofCopy?: true;
}

interface WithheldChoice<T> {
  /** Nothing holds them back any more: no rule speaks of them, or no URL of their page was stored. */
  released: T[];
  /** They test the rule. */
  tests: T[];
  kept: T[];
  /** Whether the kept ones must be looked at again once those that are released have been fetched. */
  isOpen: boolean;
}

/** One in so many of the URLs that a rule holds back is fetched, and so many at least. */
const TEST_EVERY = 10;
const MIN_TESTS = 100;

interface Facts {
  /** URLs that were fetched to test the rule before. */
  tested: number;
  /** Whether rules speak of the URL now. */
  isRuled(url: string): boolean;
  /** Whether a page is stored by the URL, as far as the crawl stores it. */
  isStored(url: string): boolean;
  /** A random number for each URL: the lowest are the tests. */
  orderOf(url: string): number;
}

/**
 * URLs that were found on copies do not count, and test a rule only if there are too few others: each test of a session
 * finds new ones. Of a page that no URL stores, twice as many URLs are fetched at each look, because most pages have
 * one that works.
 */
export function chooseWithheld<T extends WithheldLink>(
  links: readonly T[],
  { tested, isRuled, isStored, orderOf }: Facts,
): WithheldChoice<T> {
  const { ruled = [], free = [] } = Object.groupBy(links, ({ url }) => (isRuled(url) ? "ruled" : "free"));
  const { stored = [], lost = [] } = Object.groupBy(ruled, ({ same }) => (same.some(isStored) ? "stored" : "lost"));
  const inOrder = (some: readonly T[]): T[] => some.toSorted((a, b) => orderOf(a.url) - orderOf(b.url));

  const released = [...free];
  const waiting: T[] = [];
  for (const group of Map.groupBy(lost, ({ same }) => same.join(" ")).values()) {
    const same = group[0]?.same ?? [];
    const others = inOrder(group);
    const next = others.splice(0, Math.max(1, same.length));
    released.push(...next);
    waiting.push(...others.map((link) => ({ ...link, same: [...same, ...next.map(({ url }) => url)] })));
  }

  const ordered = inOrder(stored);
  const { own = [], copies = [] } = Object.groupBy(ordered, ({ ofCopy }) => (ofCopy ? "copies" : "own"));
  const tests = [...own, ...copies].slice(0, Math.max(0, testsOf(own.length + tested) - tested));
  const taken = new Set(tests);
  return {
    released,
    tests,
    kept: [...ordered.filter((link) => !taken.has(link)), ...waiting],
    isOpen: waiting.length > 0,
  };
}

function testsOf(links: number): number {
  return Math.max(MIN_TESTS, Math.ceil(links / TEST_EVERY));
}
