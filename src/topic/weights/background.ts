/**
 * How common each term is outside of the subject: the share of pages that have it. It begins with a small table
 * (starting-shares.ts) and becomes the crawl's own. Terms are known by their hashes.
 */

import { hashTerm } from "../terms.ts";
import { packNumbers, unpackNumbers } from "./packed-numbers.ts";
import { STARTING_SHARES } from "./starting-shares.ts";

export interface Background {
  /** Pages that were counted. A page that is probably on the subject counts for less than one. */
  pages: number;
  /** Hashes and tenths of pages in turns, packed. The rarest terms are left out. */
  counts: string;
}

export const EMPTY_BACKGROUND: Background = { pages: 0, counts: "" };

/** The starting table weighs as much as so many pages. */
const STARTING_PAGES = 60;
/** The share of a term that is in no table. */
const RARE_SHARE = 0.001;
/** Terms whose counts are kept. */
const MAX_TERMS = 2_400;
/** From so many pages on, all counts are halved, so that the table follows the crawl. */
const MEMORY_PAGES = 2_000;
const PARTS_OF_PAGE = 10;

/** Inverse document frequencies, for a lens: terms that are in no row have the greatest. */
export interface IdfTable {
  greatest: number;
  /** Each row: an idf, and the packed hashes of the terms that have it. */
  rows: [idf: number, hashes: string][];
}

/** Terms whose idf a lens has. */
const MAX_IDF_TERMS = 1_800;
const IDF_STEP = 0.1;

const startingShares = new Map<number, number>();
for (const [share, terms] of STARTING_SHARES)
  for (const term of terms.split(" ")) startingShares.set(hashTerm(term), share);

/** Adds pages, each as the hashes of its distinct terms and the share of it (0 to 1) that counts. */
export function addPages(
  background: Background,
  pages: readonly { hashes: readonly number[]; share: number }[],
): Background {
  const counts = readCounts(background);
  let total = background.pages;
  for (const { hashes, share } of pages) {
    if (share <= 0) continue;
    total += share;
    for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + share);
  }
  const halving = total > MEMORY_PAGES ? 0.5 : 1;
  const entries = [...counts].sort(([a, more], [b, less]) => less - more || a - b).slice(0, MAX_TERMS);
  const numbers = entries.flatMap(([hash, count]) => {
    const parts = Math.round(count * halving * PARTS_OF_PAGE);
    return parts > 0 ? [hash, Math.min(parts, 0xffffff)] : [];
  });
  return { pages: total * halving, counts: packNumbers(numbers) };
}

function readCounts({ counts }: Background): Map<number, number> {
  const numbers = unpackNumbers(counts);
  const read = new Map<number, number>();
  for (let at = 0; at + 1 < numbers.length; at += 2)
    read.set(numbers[at] as number, (numbers[at + 1] as number) / PARTS_OF_PAGE);
  return read;
}

export function idfTableOf(background: Background): IdfTable {
  const counts = readCounts(background);
  const total = background.pages + STARTING_PAGES;
  const idfOf = (share: number) => Math.round(-Math.log(Math.min(1, share)) / IDF_STEP) * IDF_STEP;
  const shares = [...new Set([...startingShares.keys(), ...counts.keys()])].map((hash): [number, number] => {
    const starting = startingShares.get(hash) ?? RARE_SHARE;
    return [hash, ((counts.get(hash) ?? 0) + starting * STARTING_PAGES) / total];
  });
  const common = shares.sort(([a, more], [b, less]) => less - more || a - b).slice(0, MAX_IDF_TERMS);
  const rows = [...Map.groupBy(common, ([, share]) => idfOf(share))].map(([idf, terms]): [number, string] => [
    Number(idf.toFixed(1)),
    packNumbers(terms.map(([hash]) => hash)),
  ]);
  return { greatest: Number(idfOf(RARE_SHARE).toFixed(1)), rows };
}

/** Looks up a term's idf. */
export function readIdfTable({ greatest, rows }: IdfTable): (term: string) => number {
  const idfs = new Map<number, number>();
  for (const [idf, hashes] of rows) for (const hash of unpackNumbers(hashes)) idfs.set(hash, idf);
  return (term) => idfs.get(hashTerm(term)) ?? greatest;
}
