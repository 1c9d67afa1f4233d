import { parseLastmod } from "../../sitemap/sitemap-date.ts";

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
const UNAVAILABLE_AFTER = /^unavailable_after\s*:(.*)$/s;

/** Characters of a `content` that are read. */
const MAX_CONTENT = 10_000;

/**
 * `meta`: directives in lower case, for `robots` and for our own name. `header`: the result of `headerDirectives`. The
 * strictest counts. `now`: milliseconds since the epoch; from the date of `unavailable_after` on, it counts as
 * `noindex`. Without `now` no date counts. A date that cannot be read does not count, as search engines document.
 */
export function decidePageRobots(
  meta: readonly string[],
  header: readonly string[],
  now = Number.NEGATIVE_INFINITY,
): PageRobots {
  const rule = (applies: (directive: string) => boolean): string | null => {
    const inMeta = meta.find(applies);
    if (inMeta !== undefined) return `meta: ${inMeta}`;
    const inHeader = header.find(applies);
    return inHeader === undefined ? null : `X-Robots-Tag: ${inHeader}`;
  };
  return {
    noindex: rule((directive) => directive === "noindex" || directive === "none" || isOver(directive, now)),
    nofollow: rule((directive) => directive === "nofollow" || directive === "none"),
  };
}

function isOver(directive: string, now: number): boolean {
  const date = UNAVAILABLE_AFTER.exec(directive)?.[1];
  return date !== undefined && (parseLastmod(date) ?? Number.POSITIVE_INFINITY) <= now;
}

/**
 * Returns the directives of X-Robots-Tag for `agent`, a product token, in lower case. A crawler's name before a colon
 * applies to the directive after it, and to a `nofollow` that follows on its `noindex`, as search engines document. The
 * runtime joins several headers by commas, so anything else after another crawler's directive may be a header of its
 * own, which is for all. In doubt it counts.
 */
export function headerDirectives(value: string | null, agent: string): string[] {
  if (value === null) return [];
  const ours = agent.toLowerCase();
  const directives: string[] = [];
  /** The last directive, if it is another crawler's. */
  let others: string | null = null;
  for (const part of directivesIn(value)) {
    const colon = part.indexOf(":");
    const name = part.slice(0, Math.max(0, colon)).trim();
    const isNamed = colon !== -1 && !WITH_VALUE.has(name);
    const directive = (isNamed ? part.slice(colon + 1) : part).trim();
    const isOther: boolean = isNamed
      ? name !== ours && name !== "*" && name !== "robots"
      : others === "noindex" && directive === "nofollow";
    others = isOther ? directive : null;
    if (!isOther && directive !== "") directives.push(directive);
  }
  return directives;
}

/**
 * Returns the directives of a `meta` element: names, some with a value. People also write `noindex nofollow`. A date
 * extends to the next comma or semicolon, any other value to the next space.
 */
export function metaDirectives(content: string): string[] {
  return directivesIn(content.slice(0, MAX_CONTENT)).flatMap((part) =>
    (part.match(DIRECTIVES) ?? []).map((directive) => directive.trim()),
  );
}

const DIRECTIVES = /unavailable_after\s*:[\s\S]*|[^\s:]+(?:\s*:\s*\S+)?/g;

/** Splits at commas and semicolons, in lower case. The comma after the weekday of a date does not count. */
function directivesIn(text: string): string[] {
  return text.toLowerCase().match(PARTS) ?? [];
}

const PARTS = /[^,;]*unavailable_after\s*:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,[^,;]*|[^,;]+/g;
