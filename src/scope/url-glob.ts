/** Include, exclude and prefer patterns: Cloudflare's globs, matched with a URL in linear time. */

/**
 * `*` matches any run of characters except `/`, `**` any run, and other characters themselves. Case matters.
 * (https://developers.cloudflare.com/browser-run/quick-actions/crawl-endpoint/)
 *
 * A pattern must match the entire canonical URL. If it begins with `/` it must match path and query, and without `://`
 * the URL without its scheme: `example.com/docs/**`.
 *
 * The returned function allocates nothing and takes at most O(pattern × URL), whatever the pattern.
 *
 * `**` splits the pattern into groups, `*` splits a group into literals. The first group is anchored at the beginning
 * and the last at the end. Each group between takes the earliest place where it fits, since `**` matches the rest.
 */
export function compileGlob(pattern: string): (url: string) => boolean {
  const groups = pattern.split(/\*{2,}/).map((group) => group.split("*"));
  const [head = [], ...rest] = groups;
  const tail = rest.pop();
  const middle = rest.map((literals) => ({ literals, found: literals.map(() => -1), slashes: literals.map(() => -1) }));
  const subjectStart = compileSubjectStart(pattern);

  return (url) => {
    const start = subjectStart(url);
    if (tail === undefined) return matchesAll(url, start, head);
    let at = matchForward(url, start, head, head.length);
    if (at === -1) return false;
    const end = matchBackward(url, at, tail);
    if (end === -1) return false;
    for (const group of middle) {
      at = findGroup(url, at, group);
      if (at === -1 || at > end) return false;
    }
    return true;
  };
}

function compileSubjectStart(pattern: string): (url: string) => number {
  const afterScheme = (url: string) => url.indexOf("://") + 3;
  if (pattern.startsWith("/")) return (url) => url.indexOf("/", afterScheme(url));
  return pattern.includes("://") ? () => 0 : afterScheme;
}

/**
 * Returns the end of the first `count` literals, with the first at `at` and each other at its earliest place, or -1.
 * The earliest place is enough: if a later place has no slash before it, the earlier one has none either.
 */
function matchForward(text: string, at: number, literals: readonly string[], count: number): number {
  const first = literals[0] ?? "";
  if (!text.startsWith(first, at)) return -1;
  let end = at + first.length;
  for (let i = 1; i < count; i++) {
    const literal = literals[i] ?? "";
    const found = text.indexOf(literal, end);
    if (found === -1 || hasSlash(text, end, found)) return -1;
    end = found + literal.length;
  }
  return end;
}

/**
 * The reverse: returns the beginning of the literals, with the last at the end of the text and each other at its latest
 * place, or -1.
 */
function matchBackward(text: string, least: number, literals: readonly string[]): number {
  const last = literals.at(-1) ?? "";
  let start = text.length - last.length;
  if (start < least || !text.endsWith(last)) return -1;
  for (let i = literals.length - 2; i >= 0; i--) {
    const literal = literals[i] ?? "";
    if (start - literal.length < least) return -1;
    const found = text.lastIndexOf(literal, start - literal.length);
    if (found < least || hasSlash(text, found + literal.length, start)) return -1;
    start = found;
  }
  return start;
}

function matchesAll(text: string, start: number, literals: readonly string[]): boolean {
  const last = literals.at(-1) ?? "";
  const lastAt = text.length - last.length;
  if (literals.length === 1) return lastAt === start && text.endsWith(last);
  const end = matchForward(text, start, literals, literals.length - 1);
  return end !== -1 && end <= lastAt && text.endsWith(last) && !hasSlash(text, end, lastAt);
}

interface Group {
  readonly literals: readonly string[];
  /**
   * For each literal, where it was last found, and the slash before it. No search goes back to a place that it has
   * passed.
   */
  readonly found: number[];
  readonly slashes: number[];
}

/**
 * Returns the end of the group at its earliest place from `from` on, or -1.
 *
 * If a start fails at a slash, so does every other start before the next slash, and a later start never looks at an
 * earlier place. So each literal is searched for once through the text, however many starts there are.
 */
function findGroup(text: string, from: number, group: Group): number {
  const { literals, found, slashes } = group;
  found.fill(-1);
  slashes.fill(-1);
  let start = from;
  for (;;) {
    start = seek(found, 0, text, literals[0] ?? "", start);
    if (start === -1) return -1;
    let end = start + (literals[0] ?? "").length;
    let i = 1;
    for (; i < literals.length; i++) {
      const literal = literals[i] ?? "";
      const at = seek(found, i, text, literal, end);
      if (at === -1) return -1;
      const slash = seek(slashes, i, text, "/", end);
      if (slash !== -1 && slash < at) break;
      end = at + literal.length;
    }
    if (i === literals.length) return end;
    start = seek(slashes, 0, text, "/", start) + 1;
  }
}

function seek(cursors: number[], i: number, text: string, literal: string, from: number): number {
  const known = cursors[i] ?? -1;
  if (known >= from) return known;
  const at = text.indexOf(literal, from);
  cursors[i] = at;
  return at;
}

function hasSlash(text: string, from: number, to: number): boolean {
  if (from >= to) return false;
  const slash = text.indexOf("/", from);
  return slash !== -1 && slash < to;
}
