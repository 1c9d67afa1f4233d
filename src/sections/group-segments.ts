import { collapseIds } from "../scope/traps.ts";
import {
  ANY_KEY,
  extensionKey,
  infixKey,
  literalKey,
  stemKey,
  stemOf,
  suffixKey,
  suffixOf,
  variantKey,
} from "./pattern-tree.ts";
import { isIndexName, splitExtension } from "./url-parts.ts";

/**
 * Decides which siblings share a pattern: the names in a directory, and the directories in one. Siblings that differ in
 * numbers are variants from two or three on; words need five.
 */

const MIN_NUMBERS = 2;
const MIN_VARIANTS = 3;
const MIN_WORDS = 5;
/** Names that nothing joins share a pattern from this number on. */
const MIN_OTHERS = 3;
/** The share of its siblings from which a first word makes a pattern: `git-*`, but not `the-*` among titles. */
const MIN_STEM_SHARE = 0.3;
/**
 * Names of a few words say their kind in front, as `sql-createtable` does, or behind, as `class-members`: then a
 * smaller share is enough. Titles have more words, and the words of a title are combined with others.
 */
const MIN_WORD_SHARE = 0.005;
const MIN_PREFIXED = 8;
const MIN_SUFFIXED = 12;
/** What so large a share of the names ends with tells none from the others. */
const MAX_SUFFIX_SHARE = 0.9;
const MAX_KIND_WORDS = 3;
/** The share of names whose other words come with another kind, too, as in `red-shirt` and `blue-shirt`. */
const MAX_COMBINED = 0.6;
/** The share of names with the same first word that the same last word needs. */
const MIN_INFIX_SHARE = 0.3;
/** A directory of so few URLs may be one item of many. */
const MAX_ITEM_URLS = 3;
/** A parent with more directories has items, not parts. */
const MAX_PARTS = 50;
const MIN_PART_SHARE = 0.02;

/** Whether it has no word in it: a number, a date, an id. */
function isNumeric(segment: string): boolean {
  const variant = collapseIds(segment);
  return variant !== segment && !/\p{L}|%/u.test(variant);
}

/** The key of each name. */
export function groupNames(names: readonly string[]): Map<string, string> {
  const keys = new Map<string, string>();
  const open: string[] = [];
  for (const name of names) {
    if (isIndexName(name)) keys.set(name, literalKey(name));
    else open.push(name);
  }
  const others: string[] = [];
  for (const group of Map.groupBy(open, (name) => splitExtension(name)[1]).values()) {
    const words: string[] = [];
    const numbers: string[] = [];
    for (const variants of Map.groupBy(group, variantKey).values()) {
      const first = variants[0] ?? "";
      if (isNumeric(splitExtension(first)[0])) numbers.push(...variants);
      else if (collapseIds(first) !== first && variants.length >= MIN_VARIANTS)
        for (const name of variants) keys.set(name, variantKey(name));
      else words.push(...variants);
    }
    if (numbers.length >= MIN_NUMBERS) for (const name of numbers) keys.set(name, extensionKey(name));
    else words.push(...numbers);
    const left: string[] = [];
    const rests = countRests(words, stemOf, afterStem);
    const behind: string[] = [];
    for (const [stem, same] of Map.groupBy(words, stemOf)) {
      const isLarge = same.length >= Math.max(MIN_WORDS, words.length * MIN_STEM_SHARE);
      if (stem === "" || !(isLarge || isKind(same, words, MIN_PREFIXED, rests, afterStem))) behind.push(...same);
      else for (const [name, key] of divideStem(same)) keys.set(name, key);
    }
    const starts = countRests(words, suffixOf, beforeSuffix);
    for (const [suffix, same] of Map.groupBy(behind, suffixOf)) {
      const divides = suffix !== "" && same.length < words.length * MAX_SUFFIX_SHARE;
      if (!divides || !isKind(same, words, MIN_SUFFIXED, starts, beforeSuffix)) left.push(...same);
      else for (const name of same) keys.set(name, suffixKey(name));
    }
    if (left.length >= MIN_WORDS) for (const name of left) keys.set(name, extensionKey(name));
    else others.push(...left);
  }
  for (const name of others) keys.set(name, others.length >= MIN_OTHERS ? ANY_KEY : literalKey(name));
  return keys;
}

/** Names with the same first word: those with the same last word are apart if they are many of them. */
function divideStem(same: readonly string[]): [name: string, key: string][] {
  const least = Math.max(MIN_SUFFIXED, same.length * MIN_INFIX_SHARE);
  return [...Map.groupBy(same, suffixOf)].flatMap(([suffix, some]) => {
    // Of two words, the last one is what they differ in.
    const isInfix = suffix !== "" && some.length >= least;
    return some.map((name): [string, string] => [name, isInfix ? infixKey(name) : stemKey(name)]);
  });
}

const baseOf = (name: string) => splitExtension(name)[0];
const afterStem = (name: string) => baseOf(name).slice(stemOf(name).length);
const beforeSuffix = (name: string) => baseOf(name).slice(0, baseOf(name).length - suffixOf(name).length);

/** How many names have each rest beside a word. */
function countRests(
  names: readonly string[],
  wordOf: (name: string) => string,
  restOf: (name: string) => string,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) if (wordOf(name) !== "") counts.set(restOf(name), (counts.get(restOf(name)) ?? 0) + 1);
  return counts;
}

/** Whether most of them have few words. */
function isShort(names: readonly string[]): boolean {
  return names.filter((name) => baseOf(name).split(/[-_.]+/).length <= MAX_KIND_WORDS).length * 2 > names.length;
}

/** Whether the word that these names share says of what kind they are. */
function isKind(
  same: readonly string[],
  names: readonly string[],
  least: number,
  rests: ReadonlyMap<string, number>,
  restOf: (name: string) => string,
): boolean {
  if (same.length < Math.max(least, names.length * MIN_WORD_SHARE) || !isShort(same)) return false;
  const combined = same.filter((name) => (rests.get(restOf(name)) ?? 0) > 1);
  return combined.length <= same.length * MAX_COMBINED;
}

/** A directory: its number of URLs, and the distinct names of what is in it. */
export interface DirFacts {
  dir: string;
  urls: number;
  children: ReadonlySet<string>;
}

/** The key of each directory. */
export function groupDirs(dirs: readonly DirFacts[]): Map<string, string> {
  const keys = new Map<string, string>();
  const words: DirFacts[] = [];
  const numbers = dirs.filter(({ dir }) => isNumeric(dir));
  for (const variants of Map.groupBy(dirs, ({ dir }) => variantKey(dir)).values()) {
    const dir = variants[0]?.dir ?? "";
    if (isNumeric(dir) && numbers.length >= MIN_NUMBERS) for (const each of variants) keys.set(each.dir, ANY_KEY);
    else if (collapseIds(dir) !== dir && variants.length >= MIN_VARIANTS)
      for (const each of variants) keys.set(each.dir, variantKey(each.dir));
    else words.push(...variants);
  }
  const items = findItems(words);
  for (const { dir } of words) keys.set(dir, items.has(dir) ? ANY_KEY : literalKey(dir));
  return keys;
}

/** The directories that are items of a list, such as products or users, and no parts of the site. */
function findItems(dirs: readonly DirFacts[]): Set<string> {
  const items = new Set<string>();
  const small = dirs.filter(({ urls }) => urls <= MAX_ITEM_URLS);
  if (small.length >= MIN_WORDS && small.length * 2 >= dirs.length) for (const { dir } of small) items.add(dir);
  const large = dirs.filter(({ dir }) => !items.has(dir));
  const alike = findAlike(large);
  if (alike.length >= MIN_WORDS) for (const { dir } of alike) items.add(dir);
  const left = large.filter(({ dir }) => !items.has(dir));
  if (left.length > MAX_PARTS) {
    const least = MIN_PART_SHARE * dirs.reduce((sum, { urls }) => sum + urls, 0);
    for (const { dir, urls } of left) if (urls < least) items.add(dir);
  }
  return items;
}

/** The directories that have mostly the same things in them as half of the others. */
function findAlike(dirs: readonly DirFacts[]): readonly DirFacts[] {
  const counts = new Map<string, number>();
  for (const { children } of dirs) for (const child of children) counts.set(child, (counts.get(child) ?? 0) + 1);
  return dirs.filter(({ children }) => {
    const common = [...children].filter((child) => (counts.get(child) ?? 0) * 2 >= dirs.length).length;
    return common * 2 >= children.size;
  });
}
