import { globSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { cleanMarkdown } from "../src/changes/template/clean-markdown.ts";
import { cleanText } from "../src/changes/template/clean-text.ts";
import { findPattern } from "../src/sections/pattern-tree.ts";
import { plainPages } from "../test/sites/plain-pages.ts";
import { learnSite, type ReadPage, readSitePage } from "../test/sites/read-site.ts";
import { templateSites } from "../test/sites/template-sites.ts";

/**
 * What the template of a crawl brings, and what it costs, on twenty sites: manuals of Debian's packages (git-doc,
 * debian-handbook, debian-reference-en, python3.11-doc, valgrind, libxslt1-dev), shops and blogs from templates, and
 * pages whose elements and class names say nothing. Precision and recall are those of words: of a page that was made,
 * what it says of itself; of a manual, the lines that stand on fewer than half of the siblings.
 *
 *     npm run bench:clean
 */

const MANUALS = [
  ["git-doc", "/usr/share/doc/git-doc", "*.html"],
  ["debian-handbook, English", "/usr/share/doc/debian-handbook/html/en-US", "*.html"],
  ["debian-handbook, German", "/usr/share/doc/debian-handbook/html/de-DE", "*.html"],
  ["debian-handbook, French", "/usr/share/doc/debian-handbook/html/fr-FR", "*.html"],
  ["debian-reference", "/usr/share/debian-reference", "*.en.html"],
  ["python3.11", "/usr/share/doc/python3.11/html", "**/*.html"],
  ["valgrind", "/usr/share/doc/valgrind/html", "*.html"],
  ["libxslt", "/usr/share/doc/libxslt1-dev", "**/*.html"],
] as const;

/** `own`: what a person would mark; null if only the siblings tell. */
interface Site {
  name: string;
  pages: (ReadPage & { own: readonly string[] | null })[];
}

function manual([name, folder, pattern]: (typeof MANUALS)[number]): Site {
  const paths = globSync(`${folder}/${pattern}`).sort();
  const urlOf = (path: string) => `https://manual.test/${relative(folder, path)}`;
  return { name, pages: paths.map((path) => ({ ...readSitePage(urlOf(path), readFileSync(path)), own: null })) };
}

function* sites(): Generator<Site> {
  for (const each of MANUALS) yield manual(each);
  for (const { name, pages } of templateSites(60))
    yield { name, pages: pages.map(({ url, html, own }) => ({ ...readSitePage(url, html), own })) };
  const plain = plainPages(50).map(({ html, own }, at) => ({
    ...readSitePage(`https://plain.test/${at}`, html),
    own: own,
  }));
  yield { name: "meaningless names", pages: plain };
}

/** Sentences, and other lines. */
function sentencesOf(text: string): string[] {
  return text
    .split("\n")
    .flatMap((line) => line.split(/(?<=[.!?]) +/))
    .map((each) => each.trim())
    .filter((each) => /[\p{L}\p{N}]/u.test(each));
}

function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

const sizeOf = (words: ReadonlyMap<string, number>) => [...words.values()].reduce((sum, count) => sum + count, 0);

class Score {
  #shared = 0;
  #said = 0;
  #wanted = 0;

  add(text: string, wanted: string): void {
    const [said, all] = [wordsOf(text), wordsOf(wanted)];
    for (const [word, count] of said) this.#shared += Math.min(count, all.get(word) ?? 0);
    this.#said += sizeOf(said);
    this.#wanted += sizeOf(all);
  }

  get precision(): string {
    return (this.#shared / Math.max(1, this.#said)).toFixed(3);
  }

  get recall(): string {
    return (this.#shared / Math.max(1, this.#wanted)).toFixed(3);
  }
}

function measure({ name, pages }: Site): { lost: number } {
  const started = performance.now();
  const { template, plan } = learnSite(pages);
  const learned = performance.now();
  const cleaned = pages.map((page) => {
    const own = template?.of(page.url) ?? null;
    if (own === null) return { text: page.text, markdown: page.markdown, removed: 0 };
    const text = cleanText(page.text, own, page.headings);
    return { text: text.text, markdown: cleanMarkdown(page.markdown, own).text, removed: text.removed };
  });
  const ended = performance.now();
  const [before, after, written] = [new Score(), new Score(), new Score()];
  let [lost, lostInMarkdown, removed, sentences] = [0, 0, 0, 0];
  const indexOf = new Map(pages.map(({ url }, at) => [url, at]));
  for (const siblings of Map.groupBy(pages, ({ url }) => findPattern(url, plan.tree)).values()) {
    const on = new Map<string, number>();
    for (const { text } of siblings)
      for (const each of new Set(sentencesOf(text))) on.set(each, (on.get(each) ?? 0) + 1);
    for (const page of siblings) {
      const at = indexOf.get(page.url) as number;
      const { text, markdown, removed: lines } = cleaned[at] as (typeof cleaned)[number];
      const isRare = (each: string) => (on.get(each) ?? 0) * 2 < siblings.length;
      const own = pages[at]?.own ?? null;
      const wanted = own === null ? sentencesOf(page.text).filter(isRare).join("\n") : own.join("\n");
      before.add(page.text, wanted);
      after.add(text, wanted);
      written.add(markdown.replace(/\]\([^)]*\)/g, "]"), wanted);
      removed += lines;
      const left = new Set(sentencesOf(text));
      const letters = (some: string) => some.replace(/\]\([^)\s]*\)/g, "").replace(/[^\p{L}\p{N}]/gu, "");
      const [whole, kept] = [letters(page.markdown), letters(markdown)];
      for (const each of new Set(sentencesOf(page.text)))
        if (isRare(each)) {
          sentences += 1;
          if (!left.has(each)) lost += 1;
          if (whole.includes(letters(each)) && !kept.includes(letters(each))) lostInMarkdown += 1;
        }
    }
  }
  const ms = (time: number) => (time / pages.length).toFixed(2);
  const precisions = [before, after, written].map(({ precision }) => precision);
  const cells = [name, pages.length, ...precisions, after.recall, (removed / pages.length).toFixed(1)];
  const losses = lost + lostInMarkdown === 0 ? "none" : `${lost} in text, ${lostInMarkdown} in Markdown`;
  console.log(`| ${[...cells, sentences.toLocaleString("en"), losses].join(" | ")} |`);
  console.error(`${name}: ${ms(learned - started)} ms a page to learn, ${ms(ended - learned)} to leave out`);
  return { lost: lost + lostInMarkdown };
}

console.log(
  "| site | pages | precision before | after | in Markdown | recall after | lines left out a page | sentences on fewer than half | lost |",
);
console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
let lost = 0;
for (const site of sites()) lost += measure(site).lost;
console.log(lost === 0 ? "\nNo sentence that stands on fewer than half of the siblings is lost." : `\nLost: ${lost}.`);
