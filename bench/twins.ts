/**
 * How many near duplicates the fingerprints of src/twins/ find, and how many pairs are false: the versions of the pages
 * in a git repository stand for the pages of a site. Two versions of a page whose texts have a Jaccard index of at
 * least 0.95 are to be found. A pair is false if the two share less than 80% of their words, counted without their
 * order. Exits 1 if less than 95% are found, or more than one pair in 10,000 pages is false.
 *
 *     node bench/twins.ts --git DIR [--ref HEAD] [--under FOLDER] [--extension html] [--main body] [--skip nav,footer]
 *         [--pages 500] [--versions 10] [--seed 1]
 */
import { parseArgs } from "node:util";
import { Fingerprints } from "../src/twins/candidates.ts";
import { MIN_SIMILARITY } from "../src/twins/group-twins.ts";
import { wordsOf } from "../src/twins/shingles.ts";
import { printText } from "../src/twins/text-print.ts";
import { estimateSimilarity } from "../src/twins/text-sketch.ts";
import { shinglesOf, similarityOf } from "../test/exact-shingles.ts";
import { HISTORY_OPTIONS, readNamedHistory } from "./git-history.ts";
import { sourceText } from "./source-text.ts";

const { values } = parseArgs({
  options: {
    ...HISTORY_OPTIONS,
    main: { type: "string", default: "body" },
    pages: { type: "string", default: "500" },
    versions: { type: "string", default: "10" },
  },
});

const WANTED_SIMILARITY = 0.95;
const MIN_RECALL = 0.95;
const MAX_FALSE_PER_PAGE = 1 / 10_000;
const MIN_SHARED_WORDS = 0.8;

const { histories, main, skip } = readNamedHistory(values);
const pages = histories.flatMap(({ path, versions }) =>
  versions.map(({ text }) => {
    const said = /\.html?$/i.test(path) ? sourceText(text, main, skip) : text;
    return { path, text: said, shingles: shinglesOf(said) };
  }),
);

const start = process.cpuUsage();
const prints = pages.map(({ text }) => printText(text));
const printMs = milliseconds(start) / pages.length;

const pairsStart = process.cpuUsage();
const fingerprints = new Fingerprints();
for (const [node, print] of prints.entries()) if (print !== null) fingerprints.add(node, print.fingerprint);
const candidates: [number, number][] = [];
const leftOut = fingerprints.findPairs((node, other) => candidates.push([node, other]));
const pairsMs = milliseconds(pairsStart);

const told = candidates.filter(([node, other]) => estimate(node, other) >= MIN_SIMILARITY);
const isFalse = ([node, other]: [number, number]) => sharedWords(node, other) < MIN_SHARED_WORDS;
const falsePairs = told.filter(isFalse).length;
const { wanted, found } = countWanted();
const recall = found / wanted;

console.log(`${histories.length} pages in ${pages.length} versions; a fingerprint takes ${printMs.toFixed(2)} ms`);
console.log(
  `${wanted} pairs of versions at ${WANTED_SIMILARITY} or above: ${(100 * recall).toFixed(1)}% found and verified`,
);
console.log(`${candidates.length} candidates in ${pairsMs.toFixed(0)} ms, ${leftOut} comparisons left out`);
console.log(
  `false: ${candidates.filter(isFalse).length} of the candidates, ${falsePairs} of ${told.length} verified pairs`,
);
if (recall < MIN_RECALL || falsePairs > Math.max(1, pages.length * MAX_FALSE_PER_PAGE)) process.exitCode = 1;

/** Pairs of versions of one page that are to be found, and those whose fingerprints are near. */
function countWanted() {
  let [wanted, found] = [0, 0];
  for (let one = 0; one < pages.length; one++)
    for (let other = one + 1; pages[other]?.path === pages[one]?.path && other < pages.length; other++) {
      if (similarity(one, other) < WANTED_SIMILARITY) continue;
      wanted += 1;
      if (isNear(one, other) && estimate(one, other) >= MIN_SIMILARITY) found += 1;
    }
  return { wanted, found };
}

/** Within 8 bits, as `findPairs` decides by other means. */
function isNear(one: number, other: number): boolean {
  const [a, b] = [prints[one], prints[other]];
  if (!a || !b) return false;
  const difference = BigInt(`0x${a.fingerprint}`) ^ BigInt(`0x${b.fingerprint}`);
  return difference.toString(2).replaceAll("0", "").length <= 8;
}

/** As a pass verifies. */
function estimate(one: number, other: number): number {
  const [a, b] = [prints[one], prints[other]];
  return a && b ? estimateSimilarity(a.sketch, b.sketch) : 0;
}

function similarity(one: number, other: number): number {
  return similarityOf(pages[one]?.shingles ?? new Set(), pages[other]?.shingles ?? new Set());
}

/** The words that both have, with repetitions, of all words of the longer one. */
function sharedWords(one: number, other: number): number {
  const [first, second] = [one, other].map((page) => wordsOf(pages[page]?.text ?? "")) as [string[], string[]];
  const left = new Map<string, number>();
  for (const word of first) left.set(word, (left.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of second) {
    const count = left.get(word) ?? 0;
    if (count > 0) shared += 1;
    left.set(word, count - 1);
  }
  return shared / Math.max(first.length, second.length, 1);
}

function milliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
