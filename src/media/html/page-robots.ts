/**
 * What a page asks of crawlers, in its `meta` elements and its X-Robots-Tag header. No standard: the rules are those that the search
 * engines document, https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag
 */

export interface PageRobots {
  /** What forbids keeping the page, as written where: `meta: noindex`. Null where nothing does. */
  noindex: string | null;
  /** What forbids following its links. */
  nofollow: string | null;
}

/** Directives with a value, so that what stands before their colon is no crawler's name. */
const WITH_VALUE = new Set(["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"]);

/** A `content` is read this far. */
const MAX_CONTENT = 10_000;

/** `meta`: directives in lower case, of the page's `robots` and of our own name; `header`: those that `headerDirectives` read. The strictest counts. */
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
 * The directives of X-Robots-Tag that are for `agent`, a product token, in lower case. Several headers come joined by commas, and a
 * crawler's name before a colon holds for what follows, up to the next name.
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

/** The directives of a `meta` element's content: a name, with all up to the comma as its value where there is one. People also write `noindex nofollow`. */
export function metaDirectives(content: string): string[] {
  const text = content.slice(0, MAX_CONTENT).toLowerCase();
  return (text.match(/[^\s,:]+(?:\s*:[^,]*)?/g) ?? []).map((directive) => directive.trim());
}
