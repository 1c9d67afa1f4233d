import { packJson, unpackJson } from "../../core/formats/gzip-json.ts";
import { rankStep } from "../../graph/page-rank.ts";
import { learnPatterns } from "../../sections/learn-patterns.ts";
import { findPattern, type PatternTree } from "../../sections/pattern-tree.ts";
import { kindOf, type SectionStatus } from "../../sections/section.ts";
import { bestExamples, countPlaces, placeOf, type RankedExample, SectionSums } from "../../sections/sum-sections.ts";
import { isHtml } from "../links/gather-facts.ts";
import type { LinkRuns } from "../links/read-links.ts";
import { type Listed, type ListedRow, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { PageShapes } from "./page-shapes.ts";
import { packColumns, readColumns, type SectionColumns } from "./section-columns.ts";

/**
 * Finds the sections of a site, object `sections`: patterns are learned from a sample of the URLs, each row gets its
 * pattern, and the rows of each section are summed up. It reads the listed rows twice, and no pack.
 */

/** URLs of the sample: below 64 MB even if no two share a directory. */
const MAX_SAMPLE = 10_000;
/** 200,000 rows: some 3 s of CPU time. */
const RANGES_PER_STEP = 20;
const CPU_MS_PER_ROW = 0.012;
const CPU_MS_PER_SAMPLED = 0.05;
const CPU_MS_PER_SUM = 0.003;
/** Examples of a place before the best are chosen. */
const MAX_KEPT = 50;

/** The number of steps of `findSections`. */
export function countSectionSteps({ ranges }: Listed): number {
  return 2 + 2 * Math.ceil(ranges / RANGES_PER_STEP);
}

/** After `rankPages`. */
export async function findSections(run: PassRun, listed: Listed, { runs }: LinkRuns): Promise<void> {
  const stage = "Finding the sections";
  const groups = Array.from({ length: Math.ceil(listed.ranges / RANGES_PER_STEP) }, (_, i) => {
    const first = i * RANGES_PER_STEP;
    return { first, end: Math.min(first + RANGES_PER_STEP, listed.ranges) };
  });
  for (const { first, end } of groups)
    await run.step(`section sample ${first}`, stage, (deps, order) => sampleUrls(first, end, listed, deps, order));
  const samples = groups.map(({ first }) => first);
  await run.step("section patterns", stage, (deps, order) => learn(samples, deps, order));
  for (const { first, end } of groups)
    await run.step(`section rows ${first}`, stage, (deps, order) => placeRows(first, end, runs, listed, deps, order));
  await run.step("sections", stage, (deps, order) => sumRows(samples, listed, deps, order));
}

/** Writes the URLs of the sample among these ranges. */
async function sampleUrls(first: number, end: number, { rows }: Listed, deps: PassDeps, order: PassOrder) {
  const stride = Math.max(1, Math.ceil(rows / MAX_SAMPLE));
  const urls: string[] = [];
  for (let range = first; range < end; range++) {
    const listed = await readRange(range, deps, order);
    for (const [i, { url }] of listed.entries()) if (isSampled(range * ROWS_PER_RANGE + i, stride)) urls.push(url);
    deps.meter.add({ cpuMs: listed.length * CPU_MS_PER_ROW });
  }
  await deps.passObjects.put(order, `section-sample-${first}`, packJson(urls));
  return null;
}

/**
 * Whether a node is in the sample: one of each `stride` nodes, so that each section has its share. Not always the same
 * one, because a site may repeat itself in the order of its URLs.
 */
export function isSampled(node: number, stride: number): boolean {
  const block = Math.floor(node / stride);
  // Knuth's multiplicative hash.
  return node % stride === (Math.imul(block + 1, 0x9e37_79b1) >>> 8) % stride;
}

async function learn(samples: readonly number[], deps: PassDeps, order: PassOrder): Promise<null> {
  const urls: string[] = [];
  for (const first of samples)
    urls.push(...unpackJson<string[]>(await deps.passObjects.bytes(order, `section-sample-${first}`)));
  await deps.passObjects.put(order, "section-patterns", packJson(learnPatterns(urls)));
  deps.meter.add({ cpuMs: urls.length * CPU_MS_PER_SAMPLED });
  return null;
}

async function readPatterns({ passObjects }: PassDeps, order: PassOrder): Promise<PatternTree> {
  return unpackJson<PatternTree>(await passObjects.bytes(order, "section-patterns"));
}

/** Writes what is to be summed up of the rows in these ranges, and the examples among them. */
async function placeRows(
  first: number,
  end: number,
  runs: number,
  { rows }: Listed,
  deps: PassDeps,
  order: PassOrder,
): Promise<null> {
  const { passObjects, meter } = deps;
  const tree = await readPatterns(deps, order);
  const shapes = new PageShapes(rows);
  // Run 0 has the redirects.
  for (let run = 1; run < runs; run++) shapes.addBytes(await passObjects.bytes(order, `shapes-${run}`));
  const examples = new Map<number, RankedExample[]>();
  for (let range = first; range < end; range++) {
    const listed = await readRange(range, deps, order);
    const ranks = await readRanks(range, listed.length, deps, order);
    const columns: SectionColumns = [];
    for (const [i, row] of listed.entries()) {
      const shape = shapes.find(range * ROWS_PER_RANGE + i);
      const isRead = row.status === "completed";
      const facts = { url: row.url, isAsset: row.kind === "asset", isRead, isHtml: isHtml(row.contentType) };
      const kind = kindOf({ ...facts, pageKind: shape?.pageKind ?? null });
      const pattern = findPattern(row.url, tree);
      columns.push({ pattern, kind, ...measuresOf(row), ...linksOf(shape) });
      keepExample(
        placeOf(pattern, kind),
        { url: row.url, title: row.title, rank: ranks[i] ?? 0, isStored: isRead },
        examples,
      );
    }
    await passObjects.put(order, `section-rows-${range}`, packColumns(columns));
    meter.add({ cpuMs: listed.length * CPU_MS_PER_ROW });
  }
  await passObjects.put(order, `section-examples-${first}`, packJson([...examples]));
  return null;
}

function measuresOf({ status, bytes, durationMs, words }: ListedRow) {
  // The API shows `pending` as `queued`, too.
  const shown = (status === "pending" ? "queued" : status) as SectionStatus;
  return { status: shown, bytes: bytes ?? 0, fetchMs: durationMs ?? 0, words };
}

function linksOf(shape: { contentLinks: number; navigationLinks: number } | null) {
  return { contentLinks: shape?.contentLinks ?? null, navigationLinks: shape?.navigationLinks ?? null };
}

function keepExample(place: number, example: RankedExample, examples: Map<number, RankedExample[]>): void {
  const kept = examples.get(place);
  if (kept === undefined) examples.set(place, [example]);
  else if (kept.push(example) > MAX_KEPT) examples.set(place, bestExamples(kept));
}

async function readRanks(range: number, rows: number, { passObjects }: PassDeps, order: PassOrder) {
  if (rows === 0) return new Float64Array();
  const size = Float64Array.BYTES_PER_ELEMENT;
  const place = { offset: range * ROWS_PER_RANGE * size, length: rows * size };
  return new Float64Array((await passObjects.bytes(order, "ranks", place)).buffer);
}

async function sumRows(samples: readonly number[], { ranges, rows }: Listed, deps: PassDeps, order: PassOrder) {
  const { passObjects, meter } = deps;
  const { patterns } = await readPatterns(deps, order);
  const counts = new Uint32Array(countPlaces(patterns.length));
  for (let range = 0; range < ranges; range++)
    for (const { pattern, kind } of readColumns(await passObjects.bytes(order, `section-rows-${range}`))) {
      const place = placeOf(pattern, kind);
      counts[place] = (counts[place] ?? 0) + 1;
    }
  const sums = new SectionSums(counts);
  for (let range = 0; range < ranges; range++) {
    const columns = [...readColumns(await passObjects.bytes(order, `section-rows-${range}`))];
    const ranks = await readRanks(range, columns.length, deps, order);
    const rates = new Float64Array((await passObjects.bytes(order, `rates-${range}`)).buffer);
    for (const [i, row] of columns.entries())
      sums.add({ ...row, rank: ranks[i] ?? 0, changes: rates[2 * i] ?? 0, days: rates[2 * i + 1] ?? 0 });
  }
  for (const first of samples) {
    const bytes = await passObjects.bytes(order, `section-examples-${first}`);
    for (const [place, examples] of unpackJson<[number, RankedExample[]][]>(bytes)) sums.addExamples(place, examples);
  }
  const found = sums.finish(patterns, (rank) => rankStep(rank, rows));
  await passObjects.put(order, "sections", packJson(found));
  meter.add({ cpuMs: rows * CPU_MS_PER_SUM });
  return null;
}
