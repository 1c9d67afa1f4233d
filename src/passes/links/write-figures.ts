import { unpackJson } from "../../core/formats/gzip-json.ts";
import type { FactsBy } from "../../crawl/url-facts.ts";
import { rankStep } from "../../graph/page-rank.ts";
import { type Listed, ROWS_PER_RANGE, readRange } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { readTwins } from "../text/find-twins.ts";
import { readInLinkCounts } from "./turn-links.ts";

/** Writes rank, number of in-links and twin of each row where one of them changed, in one update. */

/** Ranges of rows that a step writes, at most: some 20 transactions. */
const RANGES_PER_STEP = 4;
const CPU_MS_PER_ROW = 0.01;
const BYTES_PER_RANK = Float64Array.BYTES_PER_ELEMENT;

/** The number of steps of `writeFigures`. */
export function countFigureSteps({ ranges }: Listed): number {
  return Math.ceil(ranges / RANGES_PER_STEP);
}

/** After `rankPages` and `findTwins`. */
export async function writeFigures(run: PassRun, listed: Listed): Promise<void> {
  for (let range = 0; range < listed.ranges; range += RANGES_PER_STEP) {
    const end = Math.min(range + RANGES_PER_STEP, listed.ranges);
    await run.step(`figures ${range}`, "Writing the ranks", async (deps, order) => {
      for (let i = range; i < end; i++) await writeRange(i, listed.rows, deps, order);
      return null;
    });
  }
}

async function writeRange(range: number, rows: number, deps: PassDeps, order: PassOrder): Promise<void> {
  const { passRows, passObjects, meter } = deps;
  const listed = await readRange(range, deps, order);
  if (listed.length === 0) return;
  const place = { offset: range * ROWS_PER_RANGE * BYTES_PER_RANK, length: listed.length * BYTES_PER_RANK };
  const ranks = new Float64Array((await passObjects.bytes(order, "ranks", place)).buffer);
  const oldRanks = new Uint16Array((await passObjects.bytes(order, `old-ranks-${range}`)).buffer);
  const inLinks = await readInLinkCounts(range * ROWS_PER_RANGE, listed.length, deps, order);
  const oldInLinks = new Uint32Array((await passObjects.bytes(order, `old-in-links-${range}`)).buffer);
  const twins = await readTwins(range, deps, order);
  const oldTwins = new Map(unpackJson<[number, string][]>(await passObjects.bytes(order, `old-twins-${range}`)));
  const changed = listed.flatMap(({ url }, i): FactsBy<"analysis">[] => {
    const rank = rankStep(ranks[i] as number, rows);
    const count = inLinks[i] as number;
    const twinOf = twins.get(i)?.original ?? null;
    // An old figure of 0 stands for none.
    const isOld = oldRanks[i] === rank + 1 && oldInLinks[i] === count + 1 && twinOf === (oldTwins.get(i) ?? null);
    return isOld ? [] : [{ url, rank, inLinks: count, twinOf }];
  });
  await passRows.writeFigures(order.crawl, changed);
  meter.add({ cpuMs: listed.length * CPU_MS_PER_ROW });
}
