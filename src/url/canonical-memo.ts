import { canonicalize } from "./canonicalize.ts";

/**
 * Returns a `canonicalize` that remembers its answers. The pages of a site repeat their links, and parsing links is a
 * large part of the cost of a page. It remembers only absolute hrefs, which mean the same on every page. It forgets all
 * of them when there are `maxEntries`.
 */
export function memoizeCanonicalize(maxEntries: number): (href: string, base: string) => string | null {
  const known = new Map<string, string | null>();
  return (href, base) => {
    if (!href.startsWith("http://") && !href.startsWith("https://")) return canonicalize(href, base);
    const before = known.get(href);
    if (before !== undefined) return before;
    const url = canonicalize(href);
    if (known.size >= maxEntries) known.clear();
    // Equal texts share one string.
    known.set(href, url === href ? href : url);
    return url;
  };
}
