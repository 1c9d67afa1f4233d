/** Whether a normalised pattern matches a normalised path (RFC 9309, sections 2.2.2 and 2.2.3). */

/**
 * From the first octet of the path until the pattern ends, or until both end if the pattern closes with `$`. `*` stands for any
 * octets, also none.
 *
 * Each piece between two `*` is placed where it first fits after the piece before it, and stays there: a place further left leaves
 * the most room for the rest, so nothing is ever tried twice, and the cost is at most the length of the path times that of the
 * pattern, however many `*` there are.
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
