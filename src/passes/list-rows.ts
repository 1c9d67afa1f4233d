import { packJson, unpackJson } from "../core/formats/gzip-json.ts";
import type { PassRow } from "../crawl/url-facts.ts";
import { NO_MEMBER, UrlHashes } from "./links/url-index.ts";
import { writeNames } from "./links/write-same-pages.ts";
import type { PassDeps, PassOrder, PassRun } from "./pass-run.ts";

/**
 * The first steps of a pass: it lists the crawl's rows once, in ranges, and gives each its node and its member. What a
 * batch that was delivered twice left in packs has no row, so it does not count.
 */

/** Rows of a step: some 3 MB of JSON, and 0.1 s of CPU time. */
export const ROWS_PER_RANGE = 10_000;
/** Rows of a query: D1's answer is held several times, as text and as values. */
const ROWS_PER_QUERY = 1_000;
/** A pass over more takes more memory and CPU time than a Worker has. */
export const MAX_PASS_ROWS = 2_000_000;
/** For the bill, as measured in Node: a Worker cannot measure its CPU time. */
const CPU_MS_PER_ROW = 0.01;

/**
 * A row in an object: the figures of an earlier pass and what visits have learned are apart, because they say nothing
 * of the site.
 */
export type ListedRow = Omit<PassRow, "rank" | "inLinks" | "twinOf" | "rateChanges" | "rateDays">;

/** The links of a batch's pages: pack, offset, length. */
export type Member = [pack: string, offset: number, length: number];

export interface Listed {
  /** Objects `rows-N`. */
  ranges: number;
  rows: number;
  members: number;
}

export async function listRows(run: PassRun): Promise<Listed> {
  let rows = 0;
  let ranges = 0;
  for (let after = ""; ; ranges++) {
    const range = ranges;
    const listed = await run.step(`rows ${range}`, "Listing the URLs", (deps, order) =>
      listRange(range, after, deps, order),
    );
    rows += listed.count;
    if (rows > MAX_PASS_ROWS) break;
    if (listed.count < ROWS_PER_RANGE) {
      ranges += 1;
      break;
    }
    after = listed.last;
  }
  const members = await run.step("index", "Indexing the URLs", (deps, order) => indexRows(ranges, rows, deps, order));
  return { ranges, rows, members };
}

async function listRange(range: number, after: string, deps: PassDeps, order: PassOrder) {
  const found = await readLedger(after, deps, order);
  const ranks = new Uint16Array(found.map(({ rank }) => (rank === null ? 0 : rank + 1)));
  const inLinks = new Uint32Array(found.map((row) => (row.inLinks === null ? 0 : row.inLinks + 1)));
  const twins = found.flatMap(({ twinOf }, i): [number, string][] => (twinOf === null ? [] : [[i, twinOf]]));
  const rates = Float64Array.from(found.flatMap(({ rateChanges, rateDays }) => [rateChanges ?? 0, rateDays ?? 0]));
  const rows: ListedRow[] = found.map(
    ({ rank: _, inLinks: __, twinOf: ___, rateChanges: ____, rateDays: _____, ...row }) => row,
  );
  await deps.passObjects.put(order, `rows-${range}`, packJson(rows));
  await deps.passObjects.put(order, `old-ranks-${range}`, new Uint8Array(ranks.buffer));
  await deps.passObjects.put(order, `old-in-links-${range}`, new Uint8Array(inLinks.buffer));
  await deps.passObjects.put(order, `rates-${range}`, new Uint8Array(rates.buffer));
  await deps.passObjects.put(order, `old-twins-${range}`, packJson(twins));
  deps.meter.add({ cpuMs: found.length * CPU_MS_PER_ROW });
  return { count: found.length, last: found.at(-1)?.url ?? "" };
}

/** The rows of a range, from the one after `after` on. */
async function readLedger(after: string, { passes }: PassDeps, { crawl }: PassOrder): Promise<PassRow[]> {
  const found: PassRow[] = [];
  while (found.length < ROWS_PER_RANGE) {
    const some = await passes.rows(crawl, found.at(-1)?.url ?? after, ROWS_PER_QUERY);
    found.push(...some);
    if (some.length < ROWS_PER_QUERY) break;
  }
  return found;
}

/**
 * Writes `index`, `same-pages` and `members`: each member once, in the order of packs. Returns the number of members.
 */
async function indexRows(ranges: number, rows: number, deps: PassDeps, order: PassOrder): Promise<number> {
  const hashes = new UrlHashes();
  const numbers = new Map<string, number>();
  const memberOf = new Uint32Array(rows).fill(NO_MEMBER);
  for await (const row of readRows(ranges, deps, order)) {
    const member = memberIn(row);
    if (member !== null) {
      const key = JSON.stringify(member);
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      memberOf[hashes.length] = number;
    }
    hashes.add(row.url);
  }
  const sorted = [...numbers.keys()].sort();
  const places = new Uint32Array(sorted.length);
  for (const [place, key] of sorted.entries()) places[numbers.get(key) ?? 0] = place;
  for (let node = 0; node < rows; node++)
    if (memberOf[node] !== NO_MEMBER) memberOf[node] = places[memberOf[node] as number] as number;
  await deps.passObjects.put(order, "index", hashes.toIndex(memberOf));
  await writeNames(() => readRows(ranges, deps, order), deps, order);
  await deps.passObjects.put(order, "members", packJson(sorted.map((key) => JSON.parse(key) as Member)));
  deps.meter.add({ cpuMs: rows * CPU_MS_PER_ROW });
  return sorted.length;
}

function memberIn({ linksPack, linksOffset, linksLength }: ListedRow): Member | null {
  return linksPack === null || linksOffset === null || linksLength === null
    ? null
    : [linksPack, linksOffset, linksLength];
}

/** All rows in the order of their nodes, a range in memory at a time. */
export async function* readRows(ranges: number, deps: PassDeps, order: PassOrder): AsyncGenerator<ListedRow> {
  for (let range = 0; range < ranges; range++) yield* await readRange(range, deps, order);
}

export async function readRange(range: number, { passObjects }: PassDeps, order: PassOrder): Promise<ListedRow[]> {
  return unpackJson<ListedRow[]>(await passObjects.bytes(order, `rows-${range}`));
}
