/**
 * Makes src/topic/weights/starting-shares.ts: terms that are common in general text, whatever its subject, with the
 * share of pages that have them. It is made of the frequencies of words that wordfreq publishes
 * (https://github.com/rspeer/wordfreq, Creative Commons Attribution-ShareAlike 4.0): of encyclopedias, news, books,
 * subtitles, forums and other pages of the web.
 *
 *     node bench/focus/make-starting-shares.ts FOLDER
 *
 * FOLDER has wordfreq's `small_LANGUAGE.msgpack.gz`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { termsOf } from "../../src/topic/terms.ts";

/** Terms of a page. Words come in bursts, so that fewer pages have them than by chance. */
const PAGE_TERMS = 300;
/** Rarer terms are as rare as unknown ones. */
const MIN_SHARE = 0.01;
/** Terms of each language: English is the most frequent one on the web. */
const MAX_ENGLISH = 900;
const MAX_OTHERS: Readonly<Record<string, number>> = {
  ...{ de: 55, es: 55, fr: 55, it: 50, pt: 50, nl: 40, pl: 40, ru: 55, tr: 30, vi: 40, id: 30, ar: 40, zh: 90, ja: 90 },
  ko: 40,
};
const STEPS = [0.6, 0.45, 0.35, 0.25, 0.18, 0.13, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.012];

const [folder = "."] = process.argv.slice(2);
const english = sharesOf("en");
const shares = new Map(strongest(english, MAX_ENGLISH));
for (const [language, max] of Object.entries(MAX_OTHERS))
  for (const [term, share] of strongest(sharesOf(language), max)) {
    // A word that English has, too, is as common as there: the German article is the verb "die".
    const known = english.get(term);
    shares.set(term, known !== undefined && /^[a-z]+$/.test(term) ? known : Math.max(share, shares.get(term) ?? 0));
  }
const kept = [...shares].filter(([, share]) => share >= MIN_SHARE);
const rows = STEPS.map((step, i) => {
  const [upper, lower] = [STEPS[i - 1] ?? 2, step];
  const terms = kept.filter(([, share]) => share < upper && share >= lower).map(([term]) => term);
  return [step, terms.toSorted()] as const;
}).filter(([, terms]) => terms.length > 0);
const lines = rows.map(([share, terms]) => `  [\n    ${share},\n${wrap(terms)}\n  ],`);
writeFileSync(
  new URL("../../src/topic/weights/starting-shares.ts", import.meta.url),
  `/**
 * The share of pages that have a term, for terms that are common in general text, whatever its subject. Made by
 * bench/focus/make-starting-shares.ts of the frequencies of words in 16 languages of wordfreq by Robyn Speer,
 * https://github.com/rspeer/wordfreq, whose sources its README names: among others Wikipedia, OpenSubtitles, the Leeds
 * Internet Corpus, Google Books, and SUBTLEX by Marc Brysbaert et al. Unlike the rest of this project, this table may be
 * used under Creative Commons Attribution-ShareAlike 4.0: https://creativecommons.org/licenses/by-sa/4.0/
 */
export const STARTING_SHARES: readonly (readonly [share: number, terms: string])[] = [
${lines.join("\n")}
];
`,
);
console.log(`${rows.reduce((sum, [, terms]) => sum + terms.length, 0)} terms`);

/**
 * The share of pages that have each term of a language. A term of several words, such as a pair of characters, adds.
 */
function sharesOf(language: string): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const [at, words] of readBins(language).entries())
    for (const word of words)
      for (const term of termsOf(word)) frequencies.set(term, (frequencies.get(term) ?? 0) + 10 ** (-at / 100));
  return new Map([...frequencies].map(([term, frequency]) => [term, 1 - (1 - Math.min(1, frequency)) ** PAGE_TERMS]));
}

function strongest(terms: ReadonlyMap<string, number>, max: number): [string, number][] {
  return [...terms].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, max);
}

/** Lists of words; the frequency of those in the nth is 10 to the power of -n/100. */
function readBins(language: string): string[][] {
  const bytes = gunzipSync(readFileSync(join(folder, `small_${language}.msgpack.gz`)));
  const [, ...bins] = readMessage(bytes) as [object, ...string[][]];
  return bins;
}

/**
 * Reads the lists, maps, texts and small numbers of MessagePack: https://github.com/msgpack/msgpack/blob/master/spec.md
 */
function readMessage(bytes: Buffer): unknown {
  let at = 0;
  const skip = (length: number) => {
    at += length;
    return at - length;
  };
  const sized = (width: 1 | 2 | 4) => bytes.readUIntBE(skip(width), width);
  const list = (length: number): unknown[] => Array.from({ length }, read);
  const text = (length: number) => {
    const from = skip(length);
    return bytes.toString("utf8", from, at);
  };
  const map = (length: number) => Object.fromEntries(Array.from({ length }, () => [String(read()), read()]));
  function read(): unknown {
    const type = sized(1);
    if (type < 0x80) return type;
    if (type < 0x90) return map(type & 0x0f);
    if (type < 0xa0) return list(type & 0x0f);
    if (type < 0xc0) return text(type & 0x1f);
    if (type === 0xd9 || type === 0xda || type === 0xdb) return text(sized(type === 0xd9 ? 1 : type === 0xda ? 2 : 4));
    if (type === 0xdc || type === 0xdd) return list(sized(type === 0xdc ? 2 : 4));
    throw new Error(`MessagePack type ${type} is not read here`);
  }
  return read();
}

function wrap(terms: readonly string[]): string {
  const lines = [""];
  for (const term of terms) {
    const line = lines.at(-1) ?? "";
    if (line.length + term.length > 105) lines.push(`${term} `);
    else lines[lines.length - 1] = `${line}${term} `;
  }
  return `    ${lines.map((line, i) => JSON.stringify(i === lines.length - 1 ? line.trimEnd() : line)).join(" +\n      ")},`;
}
