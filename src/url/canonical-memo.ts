import { canonicalize } from "./canonicalize.ts";

/**
 * `canonicalize` with a memory: the pages of a site link to the same URLs in the same words, and parsing them is a good part of what a
 * page costs. Absolute hrefs alone are remembered, for only they mean the same on every page. When `most` are known it starts anew.
 */
export function memoizeCanonicalize(most: number): (href: string, base: string) => string | null {
  const known = new Map<string, string | null>();
  return (href, base) => {
    if (!href.startsWith("http://") && !href.startsWith("https://")) return canonicalize(href, base);
    const before = known.get(href);
    if (before !== undefined) return before;
    const url = canonicalize(href);
    if (known.size >= most) known.clear();
    // One string for both where they are the same.
    known.set(href, url === href ? href : url);
    return url;
  };
}
