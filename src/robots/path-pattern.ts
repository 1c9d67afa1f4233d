/** Matches a pattern with a path, both in normal form (RFC 9309, sections 2.2.2 and 2.2.3). */

/**
 * The pattern must match a prefix of the path, or the entire path if it ends with `$`. `*` matches any number of
 * octets.
 *
 * Each literal between two `*` takes the first place where it fits, which leaves the most room for the others. So
 * nothing is tried twice, and the cost is at most the length of the path times that of the pattern, however many `*`
 * there are.
 */
export function matchesPattern(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const end = anchored ? pattern.length - 1 : pattern.length;
  let star = pattern.indexOf("*");
  if (star === -1) return anchored ? path === pattern.slice(0, end) : path.startsWith(pattern);
  if (!path.startsWith(pattern.slice(0, star))) return false;

  let at = star;
  for (;;) {
    const from = star + 1;
    star = pattern.indexOf("*", from);
    if (star === -1) {
      const tail = pattern.slice(from, end);
      return anchored ? path.length - at >= tail.length && path.endsWith(tail) : path.includes(tail, at);
    }
    const found = path.indexOf(pattern.slice(from, star), at);
    if (found === -1) return false;
    at = found + star - from;
  }
}
