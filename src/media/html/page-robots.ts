/**
 * Reads the robots directives of a page, from its `meta` elements and its X-Robots-Tag header. There is no standard:
 * the rules are those that search engines document,
 * https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */

interface PageRobots {
  /** The directive that forbids keeping the page, with its source: `meta: noindex`. Null if there is none. */
  noindex: string | null;
  /** The directive that forbids following its links. */
  nofollow: string | null;
}

/** Directives with a value: the word before their colon is no crawler's name. */
const WITH_VALUE = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);

/** Characters of a `content` that are read. */
const MAX_CONTENT = 10_000;

/**
 * `meta`: directives in lower case, for `robots` and for our own name. `header`: the result of `headerDirectives`. The
 * strictest counts.
 */
export function decidePageRobots(meta: readonly string[], header: readonly string[]): PageRobots {
  const rule = (name: string): string | null => {
    const says = (directive: string) => directive === name || directive === "none";
    const inMeta = meta.find(says);
    if (inMeta !== undefined) return `meta: ${inMeta}`;
    const inHeader = header.find(says);
    return inHeader === undefined ? null : `X-Robots-Tag: ${inHeader}`;
  };
  return { noindex: rule("noindex"), nofollow: rule("nofollow") };
}

/**
 * Returns the directives of X-Robots-Tag for `agent`, a product token, in lower case. Several headers are joined by
 * commas. A crawler's name before a colon applies to what follows, up to the next name.
 */
export function headerDirectives(value: string | null, agent: string): string[] {
  if (value === null) return [];
  const ours = agent.toLowerCase();
  const directives: string[] = [];
  let applies = true;
  for (const part of value.toLowerCase().split(",")) {
    const colon = part.indexOf(":");
    const name = part.slice(0, Math.max(0, colon)).trim();
    if (colon === -1 || WITH_VALUE.has(name)) {
      if (applies) directives.push(part.trim());
      continue;
    }
    applies = name === ours || name === "*" || name === "robots";
    if (applies) directives.push(part.slice(colon + 1).trim());
  }
  return directives.filter((directive) => directive !== "");
}

/**
 * Returns the directives of a `meta` element: names, a value extending to the next comma. People also write `noindex
 * nofollow`.
 */
export function metaDirectives(content: string): string[] {
  const text = content.slice(0, MAX_CONTENT).toLowerCase();
  return (text.match(/[^\s,:]+(?:\s*:[^,]*)?/g) ?? []).map((directive) => directive.trim());
}
