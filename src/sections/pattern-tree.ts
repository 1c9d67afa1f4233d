import { collapseIds } from "../scope/traps.ts";
import { partsOf, splitExtension } from "./url-parts.ts";

/**
 * Patterns of URLs as a tree of path segments: every URL has exactly one. A key says how a segment is met; the nearest
 * one wins. All keys begin with a mark, so no segment of a URL can be a name that objects have.
 */

export interface PatternNode {
  /** Numbers of patterns by the key of the last segment, with the query pattern behind it. */
  names: Record<string, number>;
  /** By the key of the next segment. */
  dirs: Record<string, PatternNode>;
  /** The pattern of what no key meets; null: that of the node above. */
  rest: number | null;
}

export interface PatternTree {
  /** Each once, such as `https://example.com/blog/*`. `**` stands for several segments. */
  patterns: string[];
  origins: Record<string, PatternNode>;
  /** The pattern of other origins. */
  others: number;
}

/** Levels of directories in a pattern. */
export const MAX_DIRECTORIES = 8;

export const literalKey = (text: string) => `=${text}`;
/** Segments that differ in numbers and ids alone. */
export const variantKey = (text: string) => `#${collapseIds(text)}`;
/** Names with the same first word and the same extension. */
export const stemKey = (name: string) => `^${stemOf(name)}*${splitExtension(name)[1]}`;
/** Names with the same last word. */
export const suffixKey = (name: string) => `$*${suffixOf(name)}${splitExtension(name)[1]}`;
/** Names with the same first word and the same last one, such as `ref_*_api.html`. */
export const infixKey = (name: string) => `^${stemOf(name)}*${suffixOf(name)}${splitExtension(name)[1]}`;
export const extensionKey = (name: string) => `*${splitExtension(name)[1]}`;
export const ANY_KEY = "*";

/** The first word of a name with the separator behind it: `git-` of `git-add.html`. Empty if it has one word. */
export function stemOf(name: string): string {
  return /^\p{L}+[-_.](?=.)/u.exec(splitExtension(name)[0])?.[0] ?? "";
}

/** The last word of a name with its separator: `-members` of `class-members.html`. Empty if it has one word. */
export function suffixOf(name: string): string {
  return /(?<=.)[-_.]\p{L}+$/u.exec(splitExtension(name)[0])?.[0] ?? "";
}

/** The number of the pattern that a canonical URL has. */
export function findPattern(url: string, { origins, others }: PatternTree): number {
  const { origin, dirs, name, query } = partsOf(url);
  let node = origins[origin];
  let rest = others;
  for (const dir of dirs.slice(0, MAX_DIRECTORIES)) {
    rest = node?.rest ?? rest;
    node = node?.dirs[literalKey(dir)] ?? node?.dirs[variantKey(dir)] ?? node?.dirs[ANY_KEY];
    if (node === undefined) return rest;
  }
  rest = node?.rest ?? rest;
  if (node === undefined || dirs.length > MAX_DIRECTORIES) return rest;
  const words = [infixKey(name), stemKey(name), suffixKey(name)];
  for (const key of [literalKey(name), variantKey(name), ...words, extensionKey(name), ANY_KEY]) {
    const found = node.names[key + query];
    if (found !== undefined) return found;
  }
  return rest;
}
