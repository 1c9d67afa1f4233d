/** Include, exclude and prefer patterns: Cloudflare's globs over a whole URL, matched in time linear in the URL. */

/**
 * `*` is any run of characters but `/`, `**` any run at all, everything else itself; upper and lower case differ.
 * (https://developers.cloudflare.com/browser-run/quick-actions/crawl-endpoint/)
 *
 * A pattern is held against the entire canonical URL. One that begins with `/` is held against path and query, and one without `://`
 * against the URL without its scheme: `example.com/docs/**`.
 *
 * The returned function allocates nothing. It takes at most O(pattern × URL), so no pattern can be made slow.
 *
 * How: `**` cuts the pattern into groups, `*` cuts a group into literals. The first group is anchored at the beginning and the last at
 * the end; each group between may stand anywhere, and the earliest place is as good as any, since `**` takes up the rest.
 */
export function compileGlob(pattern: string): (url: string) => boolean {
  const groups = pattern.split(/\*{2,}/).map((group) => group.split("*"));
  const [head = [], ...rest] = groups;
  const tail = rest.pop();
  const middle = rest.map((literals) => ({ literals, found: literals.map(() => -1), slashes: literals.map(() => -1) }));
  const subjectStart = compileSubjectStart(pattern);

  return (url) => {
    const start = subjectStart(url);
    if (tail === undefined) return isWhole(url, start, head);
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
 * The end of the first `count` literals, the first of them at `at` and each other at its earliest place, or -1. Earliest is enough: if a
 * later place has no slash before it, whatever can follow it can follow the earlier one.
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

/** The mirror image: where the literals begin when the last ends the text and each other stands at its latest place, or -1. */
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

function isWhole(text: string, start: number, literals: readonly string[]): boolean {
  const last = literals.at(-1) ?? "";
  const lastAt = text.length - last.length;
  if (literals.length === 1) return lastAt === start && text.endsWith(last);
  const end = matchForward(text, start, literals, literals.length - 1);
  return end !== -1 && end <= lastAt && text.endsWith(last) && !hasSlash(text, end, lastAt);
}

interface Group {
  readonly literals: readonly string[];
  /** For each literal, where it, and the slash before it, was last found: a search that has passed a place need not go back to it. */
  readonly found: number[];
  readonly slashes: number[];
}

/**
 * The end of the group at its earliest place from `from` on, or -1.
 *
 * A start that fails at a slash fails so for every other start before the next slash, and a later start never looks at an earlier place:
 * so each literal is sought through the text once, however many starts there are.
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

function seek(cursors: number[], i: number, text: string, what: string, from: number): number {
  const known = cursors[i] ?? -1;
  if (known >= from) return known;
  const at = text.indexOf(what, from);
  cursors[i] = at;
  return at;
}

function hasSlash(text: string, from: number, to: number): boolean {
  if (from >= to) return false;
  const slash = text.indexOf("/", from);
  return slash !== -1 && slash < to;
}
