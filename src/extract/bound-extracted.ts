import type { Extracted } from "./extraction.ts";

/** Makes what a model found fit into a row of the ledger. */

/** Characters of JSON: listings read a thousand rows at once. */
export const MAX_IN_ROW = 12_000;
const MAX_WORDS = 80;

/** First the words of the evidence are cut. If that is not enough there are no values, and `problem` says so. */
export function boundExtracted(extracted: Extracted): Extracted {
  if (fits(extracted)) return extracted;
  const evidence = extracted.evidence.map((each) => ({ ...each, words: each.words?.slice(0, MAX_WORDS) ?? null }));
  const shorter = { ...extracted, evidence };
  if (fits(shorter)) return shorter;
  const problem = `what was found has more than ${MAX_IN_ROW.toLocaleString("en")} characters, which no record has: ask for less`;
  return { ...extracted, values: null, evidence: [], problem };
}

function fits(extracted: Extracted): boolean {
  return JSON.stringify(extracted).length <= MAX_IN_ROW;
}
