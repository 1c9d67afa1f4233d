import { ownString } from "../core/own-string.ts";
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
    // Equal texts share one string, and neither keeps the page that it was cut from.
    const own = ownString(href);
    known.set(own, url === href ? own : url);
    return url;
  };
}
