import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { PageMetadata } from "../src/media/document.ts";
import { readHtml } from "../src/media/html/tree/read-html.ts";
import { halfOf, readMozilla, readWcxb, type SetPage, type StatedFacts } from "./page-sets.ts";

/**
 * How many titles, authors and dates of pages are right, wrong and missing, and how many we give to pages without one:
 *
 *     npm run bench:metadata -- --set FOLDER [--list title|author|date]
 *
 * FOLDER is a copy of one of two sets, which you fetch: WCXB, as for `bench:text`, or Readability (mozilla/readability)
 * with its test pages. `--list` prints the pages of the even half where the fact differs, and where it was read.
 *
 * "Right" is the same words in the same order, whatever their case, accents and punctuation; the names of several
 * authors in any order; the same day as the page writes it. "Near" counts beside it:
 *
 * - a title with or without the name of the site, which stands apart from it by a sign like `|`: a set has titles of
 *   both kinds;
 * - an author with or without a degree, an office or a second name;
 * - a date of the day before or after, which another time zone has.
 */

const FACTS = ["title", "author", "date"] as const;
const SOURCES = { title: "title", author: "author", date: "publishedAt" } as const;
type Fact = (typeof FACTS)[number];
type Verdict = "right" | "near" | "wrong" | "missing" | "invented" | "absent";

interface Row {
  page: SetPage;
  wanted: StatedFacts;
  found: StatedFacts;
  metadata: PageMetadata | undefined;
}

const { values } = parseArgs({ options: { set: { type: "string" }, list: { type: "string" } } });
if (values.set === undefined) throw new Error("npm run bench:metadata -- --set FOLDER [--list title|author|date]");
const isMozilla = existsSync(join(values.set, "test", "test-pages"));

const rows = (isMozilla ? readMozilla(values.set) : readWcxb(values.set)).map((page): Row => {
  const facts = { url: page.url, contentType: "text/html", headers: [] };
  const wanted = { agent: "bench", scriptLinks: false, requisites: false, obeyNoindex: false, formats: [] };
  const metadata = readHtml(page.html, facts, wanted).content?.metadata;
  const { title = null, author = null, publishedAt: date = null } = metadata ?? {};
  return { page, wanted: page.facts, found: { title, author, date }, metadata };
});

function judge(fact: Fact, { wanted, found }: Row): Verdict {
  const [expected, ours] = [wanted[fact], found[fact]];
  if (expected === null) return ours === null ? "absent" : "invented";
  if (ours === null) return "missing";
  return COMPARISONS[fact](expected, ours);
}

const COMPARISONS: Record<Fact, (expected: string, ours: string) => "right" | "near" | "wrong"> = {
  title(expected, ours) {
    if (wordsOf(expected) === wordsOf(ours)) return "right";
    const [shorter, longer] = [expected, ours].toSorted((a, b) => a.length - b.length);
    return titleParts(longer ?? "").includes(wordsOf(shorter ?? "")) ? "near" : "wrong";
  },
  author(expected, ours) {
    const [wanted, found] = [expected, ours].map(namesOf);
    if (wanted?.join() === found?.join()) return "right";
    const [a, b] = [` ${wordsOf(expected)} `, ` ${wordsOf(ours)} `];
    return a.includes(b) || b.includes(a) ? "near" : "wrong";
  },
  date(expected, ours) {
    if (ours.startsWith(expected) || ours.slice(0, 10) === expected.slice(0, 10)) return "right";
    const apart = Math.abs(Date.parse(ours.slice(0, 10)) - Date.parse(expected.slice(0, 10)));
    return apart <= 86_400_000 ? "near" : "wrong";
  },
};

function wordsOf(text: string): string {
  const plain = text
    .normalize("NFKD")
    .replace(/\p{M}|['’‘`]/gu, "")
    .toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

/** Each run of parts between signs that may stand before or after the name of a site. */
function titleParts(title: string): string[] {
  const parts = title.split(/\s*[|·•»«›‹_/\\~]\s*|\s+[-–—:]+\s+|:\s+|(?<=\S)\s*[—–]\s*/u).map(wordsOf);
  return parts.flatMap((_, from) =>
    parts.slice(from).map((_, to) =>
      parts
        .slice(from, from + to + 1)
        .join(" ")
        .trim(),
    ),
  );
}

function namesOf(author: string): string[] {
  const names = author
    .replace(/^\s*(?:written\s+)?(?:by|par|von|por)\s+/i, "")
    .split(/\s*(?:[,;&]|\s(?:and|und|et|y)\s)\s*/i);
  return names
    .map(wordsOf)
    .filter((name) => name !== "")
    .toSorted();
}

const HEADINGS = [
  "fact",
  "pages",
  "with one",
  "right",
  "right or near",
  "wrong",
  "missing",
  "without one",
  "given one",
];
console.log(`| ${HEADINGS.join(" | ")} |\n| ${HEADINGS.map(() => "---").join(" | ")} |`);
function print(fact: Fact, name: string, some: readonly Row[]): void {
  const verdicts = some.map((row) => judge(fact, row));
  const count = (...which: Verdict[]) => verdicts.filter((verdict) => which.includes(verdict)).length;
  const having = count("right", "near", "wrong", "missing");
  const share = (part: number, all: number) => (all === 0 ? "-" : (part / all).toFixed(3));
  const cells = [count("right"), count("right", "near"), count("wrong"), count("missing")].map((n) => share(n, having));
  const without = count("invented", "absent");
  console.log(`| ${[fact, name, having, ...cells, without, share(count("invented"), without)].join(" | ")} |`);
}
for (const fact of FACTS)
  for (const half of ["even", "odd"])
    print(
      fact,
      half,
      rows.filter(({ page }) => halfOf(page.name) === half),
    );

const listed = FACTS.find((fact) => fact === values.list);
if (listed !== undefined)
  for (const row of rows.filter(({ page }) => halfOf(page.name) === "even")) {
    const verdict = judge(listed, row);
    if (verdict !== "right" && verdict !== "absent")
      console.log(
        `${row.page.name} (${row.page.type}): ${verdict}, ${JSON.stringify(row.wanted[listed])}, ours ${JSON.stringify(row.found[listed])} by ${row.metadata?.sources[SOURCES[listed]]}, ${row.page.url}`,
      );
  }
