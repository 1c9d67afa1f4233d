/**
 * Makes src/topic/weights/starting-shares.ts: terms that are common in manuals of many subjects, with the share of
 * pages that have them. Manuals of the subjects that bench/focus.ts reports on are left out.
 *
 *     node bench/focus/make-starting-shares.ts [ROOT]
 */
import { writeFileSync } from "node:fs";
import { termsOf } from "../../src/topic/terms.ts";
import { median } from "../median.ts";
import { cutManual } from "./cut-pages.ts";
import { findManuals } from "./manuals.ts";
import { HELD_OUT } from "./subjects.ts";

/** Pages of each manual that are read. */
const PAGES = 600;
/** Rarer terms are as rare as unknown ones. */
const MIN_SHARE = 0.01;
/** Where there are fewer than three manuals, what is longer may be their subject. */
const MAX_SHORT = 5;
/** Terms of each language, by the number of manuals that are read. */
const MAX_TERMS = { many: 900, some: 250, one: 60 };
const STEPS = [0.6, 0.45, 0.35, 0.25, 0.18, 0.13, 0.1, 0.07, 0.05, 0.035, 0.025, 0.018, 0.012];

const { found } = findManuals(process.argv[2] ?? "/");
const read = found.filter(({ name }) => !HELD_OUT.some(({ isAbout }) => isAbout({ manual: name, path: "" })));
const languageOf = (name: string) => /-(?!en)([a-z]{2})$/.exec(name)?.[1] ?? "en";
const shares = new Map<string, number>();
for (const [language, manuals] of Map.groupBy(read, ({ name }) => languageOf(name))) {
  const tables = manuals.map((manual) => {
    const pages = cutManual(manual, PAGES);
    const counts = new Map<string, number>();
    for (const { text } of pages)
      for (const term of new Set(termsOf(text))) counts.set(term, (counts.get(term) ?? 0) + 1);
    return { pages: Math.max(pages.length, 1), counts };
  });
  const terms = new Set(tables.flatMap(({ counts }) => [...counts.keys()]));
  // What is common in half of the manuals is of no subject.
  const common = [...terms].map((term): [string, number] => [
    term,
    tables.length < 3
      ? Math.min(...tables.map(({ pages, counts }) => (counts.get(term) ?? 0) / pages))
      : median(tables.map(({ pages, counts }) => (counts.get(term) ?? 0) / pages)),
  ]);
  const max = tables.length >= 10 ? MAX_TERMS.many : tables.length >= 3 ? MAX_TERMS.some : MAX_TERMS.one;
  const kept = common
    .filter(([term, share]) => share >= MIN_SHARE && (tables.length >= 3 || term.length <= MAX_SHORT))
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, max);
  for (const [term, share] of kept) shares.set(term, Math.max(share, shares.get(term) ?? 0));
  console.log(`${language}: ${manuals.length} manuals, ${kept.length} terms`);
}
const rows = STEPS.map((step, i) => {
  const [upper, lower] = [STEPS[i - 1] ?? 2, step];
  const terms = [...shares].filter(([, share]) => share < upper && share >= lower).map(([term]) => term);
  return [step, terms.toSorted()] as const;
}).filter(([, terms]) => terms.length > 0);
const lines = rows.map(([share, terms]) => `  [\n    ${share},\n${wrap(terms)}\n  ],`);
writeFileSync(
  new URL("../../src/topic/weights/starting-shares.ts", import.meta.url),
  `/**
 * The share of pages that have a term, for terms that are common whatever the subject: the median over Debian's manuals
 * in English, Japanese and Chinese, and the commonest words of some other languages. Made by
 * bench/focus/make-starting-shares.ts.
 */
export const STARTING_SHARES: readonly (readonly [share: number, terms: string])[] = [
${lines.join("\n")}
];
`,
);

function wrap(terms: readonly string[]): string {
  const lines = [""];
  for (const term of terms) {
    const line = lines.at(-1) ?? "";
    if (line.length + term.length > 105) lines.push(`${term} `);
    else lines[lines.length - 1] = `${line}${term} `;
  }
  return `    ${lines.map((line, i) => JSON.stringify(i === lines.length - 1 ? line.trimEnd() : line)).join(" +\n      ")},`;
}
