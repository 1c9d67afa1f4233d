import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decodeHtml } from "../src/media/characters/charset.ts";
import { readMetadata } from "../src/media/html/facts/metadata.ts";
import { nameWords } from "../src/media/html/facts/name-words.ts";
import { titleChoice } from "../src/media/html/facts/page-title.ts";
import { FEATURES, TitleFeatures } from "../src/media/html/facts/title-features.ts";
import { extractPage } from "../src/media/html/page.ts";
import { copyDocument } from "../src/media/html/tree/copy-document.ts";
import { parseHtml } from "../src/media/html/tree/linkedom.ts";
import { canonicalize } from "../src/url/canonicalize.ts";
import { halfOf, readMozilla, readWcxb, type SetPage, type StatedFacts } from "./page-sets.ts";
import { type Rows, trainTrees } from "./train/boosted-trees.ts";
import { writeModel } from "./train/write-model.ts";

/**
 * Trains the model that chooses the title of a page, from the even halves of WCXB and of Readability's test pages, and
 * writes src/media/html/facts/title-model.ts:
 *
 *     node bench/train-titles.ts --set FOLDER --set FOLDER
 *
 * A row is a candidate; it is right if it has the words of the title that people wrote down.
 */

const OPTIONS = { trees: 100, leaves: 6, rate: 0.06, minWeight: 5, penalty: 5, rows: 0.7, columns: 0.5 };

const { values } = parseArgs({ options: { set: { type: "string", multiple: true } } });
if (values.set === undefined) throw new Error("node bench/train-titles.ts --set FOLDER [--set FOLDER]");

/** A page with its candidates, one of which is right. */
interface Example {
  rows: Float32Array[];
  right: number;
}

function exampleOf({ html, url, facts: { title } }: SetPage & { facts: StatedFacts }): Example | null {
  const document = parseHtml(decodeHtml(html, "text/html").text);
  const facts = readMetadata(copyDocument(document), extractPage(document, url, canonicalize)).titleFacts;
  const candidates = titleChoice(facts);
  if (title === null || !Array.isArray(candidates)) return null;
  const features = new TitleFeatures(facts, candidates);
  const rows = candidates.map((candidate) => {
    const row = new Float32Array(FEATURES.length);
    features.write(candidate, row);
    return row;
  });
  const words = nameWords(title).join(" ");
  const right = candidates.findIndex(({ name }) => name === words);
  return right < 0 ? null : { rows, right };
}

function rowsOf(examples: readonly Example[]): Rows {
  const rows = examples.flatMap((example) => example.rows);
  const features = new Float32Array(rows.length * FEATURES.length);
  for (const [at, row] of rows.entries()) features.set(row, at * FEATURES.length);
  const labels = examples.flatMap(({ rows: own, right }) => own.map((_, at) => (at === right ? 1 : 0)));
  return {
    width: FEATURES.length,
    features,
    labels: Float32Array.from(labels),
    weights: new Float32Array(rows.length).fill(1),
  };
}

const pages = values.set
  .flatMap((folder) => (existsSync(join(folder, "test", "test-pages")) ? readMozilla(folder) : readWcxb(folder)))
  .filter(({ name }) => halfOf(name) === "even");
const examples = pages.flatMap((page) => exampleOf(page) ?? []);
console.error(`${pages.length} pages, ${examples.length} with a right candidate`);
const model = trainTrees(rowsOf(examples), OPTIONS);
writeModel(model, {
  name: "TITLE_MODEL",
  path: "facts/title-model.ts",
  script: import.meta.filename,
  features: FEATURES,
});
