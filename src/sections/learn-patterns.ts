import { type DirFacts, groupDirs, groupNames } from "./group-segments.ts";
import {
  ANY_KEY,
  extensionKey,
  literalKey,
  MAX_DIRECTORIES,
  type PatternNode,
  type PatternTree,
} from "./pattern-tree.ts";
import { isIndexName, partsOf, type UrlParts } from "./url-parts.ts";

/**
 * Learns the patterns of a site from its URLs, or from a sample of them. Siblings are grouped from the root down, and
 * what few URLs have joins the rest of its directory. Lei et al. grow such a tree of URL tokens ("A Pattern Tree-based
 * Approach to Learning URL Normalization Rules", 2010).
 */

/** A pattern needs this share of the URLs, and this number of them. */
const MIN_SHARE = 0.005;
const MIN_URLS = 2;
/** Origins with patterns of their own: the largest. */
const MAX_ORIGINS = 20;
export const OTHER_ORIGINS = "*://*/**";

interface NamePattern {
  pattern: string;
  urls: number;
  isHome: boolean;
  /** The only name without a query that has it; null otherwise. */
  literal: string | null;
}

interface Draft {
  prefix: string;
  names: Map<string, NamePattern>;
  dirs: Map<string, Draft>;
  /** URLs without a pattern of their own. */
  rest: number;
}

export function learnPatterns(urls: readonly string[]): PatternTree {
  const all = urls.map(partsOf);
  const byOrigin = [...Map.groupBy(all, ({ origin }) => origin)]
    .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .slice(0, MAX_ORIGINS);
  const least = Math.max(MIN_URLS, Math.ceil(urls.length * MIN_SHARE));
  const patterns: string[] = [OTHER_ORIGINS];
  const origins: PatternTree["origins"] = {};
  for (const [origin, parts] of byOrigin) {
    const draft = draftNode(parts, 0, `${origin}/`);
    foldSmall(draft, least);
    origins[origin] = toNode(draft, patterns, true);
  }
  return { patterns, origins, others: 0 };
}

/** `parts`: URLs below the prefix, whose directories are known up to `level`. */
function draftNode(parts: readonly UrlParts[], level: number, prefix: string): Draft {
  const draft: Draft = { prefix, names: new Map(), dirs: new Map(), rest: 0 };
  const { here = [], below = [] } = Object.groupBy(parts, ({ dirs }) => (dirs.length === level ? "here" : "below"));
  addNames(here, level, draft);
  if (level >= MAX_DIRECTORIES) {
    draft.rest += below.length;
    return draft;
  }
  const byDir = Map.groupBy(below, ({ dirs }) => dirs[level] ?? "");
  const keys = groupDirs([...byDir].map(([dir, inDir]) => factsOf(dir, inDir, level)));
  const byKey = Map.groupBy(byDir, ([dir]) => keys.get(dir) ?? ANY_KEY);
  for (const [key, group] of byKey) {
    const inGroup = group.flatMap(([, each]) => each);
    draft.dirs.set(key, draftNode(inGroup, level + 1, `${prefix}${textOf(key)}/`));
  }
  return draft;
}

function factsOf(dir: string, parts: readonly UrlParts[], level: number): DirFacts {
  const children = new Set(parts.map(({ dirs, name }) => (dirs.length > level + 1 ? `${dirs[level + 1]}/` : name)));
  return { dir, urls: parts.length, children };
}

function addNames(parts: readonly UrlParts[], level: number, draft: Draft): void {
  for (const [query, some] of Map.groupBy(parts, (each) => each.query)) {
    const byName = Map.groupBy(some, ({ name }) => name);
    const keys = groupNames([...byName.keys()]);
    for (const [name, each] of byName) {
      const key = keys.get(name) ?? literalKey(name);
      const found = draft.names.get(key + query);
      if (found !== undefined) found.urls += each.length;
      else {
        const literal = query === "" && key.startsWith("=") ? name : null;
        const pattern = draft.prefix + textOf(key) + query;
        draft.names.set(key + query, {
          pattern,
          urls: each.length,
          isHome: level === 0 && literal !== null && isIndexName(literal),
          literal,
        });
      }
    }
  }
}

/** How a key is written in a pattern. */
function textOf(key: string): string {
  const text = key.startsWith("*") ? key : key.slice(1);
  return key.startsWith("#") ? text.replaceAll(/#(?:[^\p{L}#]+#)*/gu, "*") : text;
}

/**
 * Moves what fewer URLs have than `least` to the rest of its directory, and a small rest to that of the one above. A
 * single name, such as the index of a directory, joins the pages in it where their pattern fits.
 */
function foldSmall(draft: Draft, least: number): void {
  const { names, dirs } = draft;
  const isLarge = (found: NamePattern | undefined) => found !== undefined && (found.urls >= least || found.isHome);
  for (const [key, found] of names) {
    if (isLarge(found)) continue;
    const joined = found.literal === null ? [] : [extensionKey(found.literal), ANY_KEY].map((each) => names.get(each));
    const pages = joined.find(isLarge);
    if (pages !== undefined) found.pattern = pages.pattern;
    else {
      names.delete(key);
      draft.rest += found.urls;
    }
  }
  for (const [key, below] of dirs) {
    foldSmall(below, least);
    if (below.rest < least) {
      draft.rest += below.rest;
      below.rest = 0;
    }
    if (below.rest === 0 && below.names.size === 0 && below.dirs.size === 0) dirs.delete(key);
  }
}

function toNode({ prefix, names, dirs, rest }: Draft, patterns: string[], isRoot: boolean): PatternNode {
  const add = (pattern: string) => {
    const known = patterns.indexOf(pattern);
    return known === -1 ? patterns.push(pattern) - 1 : known;
  };
  const inOrder = <T>(map: Map<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    names: Object.fromEntries(inOrder(names).map(([key, { pattern }]) => [key, add(pattern)])),
    dirs: Object.fromEntries(inOrder(dirs).map(([key, below]) => [key, toNode(below, patterns, false)])),
    rest: rest > 0 || isRoot ? add(`${prefix}**`) : null,
  };
}
