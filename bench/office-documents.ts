import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeOfficeCorpus } from "./office-corpus.ts";
import { type DocumentScore, scoreOffice } from "./office-words.ts";

/**
 * What is read of real documents, against what LibreOffice says of them. Documents come from Debian packages, which
 * `apt-get` downloads, and from manuals that LibreOffice converts.
 *
 *     npm run bench:office [-- --folder FOLDER]
 */

const { values } = parseArgs({ options: { folder: { type: "string" } } });
const folder = values.folder ?? makeOfficeCorpus(join(tmpdir(), "orbweaver-documents"));
const scores: DocumentScore[] = [];
for await (const score of scoreOffice(folder, join(tmpdir(), "orbweaver-documents-reference"))) {
  scores.push(score);
  print(score);
}
for (const isTuned of [true, false]) sum(isTuned);

function print({ path, isTuned, words, found, missing, headings, links, cpuMs, cut }: DocumentScore): void {
  const name = path.replace(/.*\//, "").padEnd(38);
  const counts = `${headings.join("/")} headings, ${links.join("/")} links, ${cpuMs.toFixed(0)} ms`;
  console.log(`${isTuned ? "tuned" : "other"} ${name} ${share(found, words)} of ${words} words, ${counts}`);
  if (cut !== null) console.log(`      ${cut}`);
  if (found < 0.98 * words) console.log(`      missing: ${missing.join(" ")}`);
}

function sum(isTuned: boolean): void {
  const own = scores.filter((score) => score.isTuned === isTuned && score.words > 0 && score.cut === null);
  const add = (of: (score: DocumentScore) => number) => own.reduce((total, score) => total + of(score), 0);
  const recalls = own.map(({ found, words }) => (words === 0 ? 1 : found / words));
  console.log(
    `${isTuned ? "tuned" : "other"}: ${own.length} documents, ${share(
      add(({ found }) => found),
      add(({ words }) => words),
    )} of all words, ` +
      `worst ${share(Math.min(...recalls), 1)}, below 0.98: ${recalls.filter((recall) => recall < 0.98).length}, ` +
      `headings ${add(({ headings }) => headings[0])}/${add(({ headings }) => headings[1])}, ` +
      `links ${add(({ links }) => links[0])}/${add(({ links }) => links[1])}`,
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? "-" : (part / whole).toFixed(4);
}
