import { packJson, unpackJson } from "../core/formats/gzip-json.ts";
import { count } from "../core/shown-values.ts";
import type { PassRow } from "../crawl/url-facts.ts";
import { UrlHashes, UrlIndex } from "./links/url-index.ts";
import { writeNames } from "./links/write-same-pages.ts";
import { MEMBERS_PER_BLOCK, type Member, MemberNumbers } from "./members.ts";
import type { PassDeps, PassOrder, PassRun } from "./pass-run.ts";

/**
 * The first steps of a pass: it lists the crawl's rows once, in ranges, and gives each its node and its member. What a
 * batch that was delivered twice left in packs has no row, so it does not count.
 */

/** Rows of a step: some 3 MB of JSON, and 0.1 s of CPU time. */
export const ROWS_PER_RANGE = 10_000;
/** Rows of a query: D1's answer is held several times, as text and as values. */
const ROWS_PER_QUERY = 1_000;
/** A pass over more takes more memory than a Worker has. */
export const MAX_PASS_ROWS = 2_000_000;
export const TOO_MANY_ROWS = `a pass takes ${count(MAX_PASS_ROWS)} URLs at most, and this crawl has more`;
/** For the bill, as measured in Node: a Worker cannot measure its CPU time. */
const CPU_MS_PER_ROW = 0.01;

/**
 * A row in an object: the figures of an earlier pass and what visits have learned are apart, because they say nothing
 * of the site.
 */
export type ListedRow = Omit<PassRow, "rank" | "inLinks" | "twinOf" | "rateChanges" | "rateDays">;

export interface Listed {
  /** Objects `rows-N`. */
  ranges: number;
  rows: number;
  /** See members.ts. */
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
  await run.step("same pages", "Indexing the URLs", async (deps, order) => {
    await writeNames(() => readRows(ranges, deps, order), deps, order);
    deps.meter.add({ cpuMs: rows * CPU_MS_PER_ROW });
    return null;
  });
  await writeMembers(run, members, ranges);
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
async function readLedger(after: string, { passRows }: PassDeps, { crawl }: PassOrder): Promise<PassRow[]> {
  const found: PassRow[] = [];
  while (found.length < ROWS_PER_RANGE) {
    const some = await passRows.rows(crawl, found.at(-1)?.url ?? after, ROWS_PER_QUERY);
    found.push(...some);
    if (some.length < ROWS_PER_QUERY) break;
  }
  return found;
}

/** Writes `index`. Returns the number of members. */
async function indexRows(ranges: number, rows: number, deps: PassDeps, order: PassOrder): Promise<number> {
  const hashes = new UrlHashes();
  const numbers = new MemberNumbers(rows);
  for await (const row of readRows(ranges, deps, order)) {
    numbers.add(memberIn(row));
    hashes.add(row.url);
  }
  const { members, memberOf } = numbers.finish();
  await deps.passObjects.put(order, "index", hashes.toIndex(memberOf));
  deps.meter.add({ cpuMs: rows * CPU_MS_PER_ROW });
  return members;
}

/** Writes `members-N`, a step each. */
async function writeMembers(run: PassRun, members: number, ranges: number): Promise<void> {
  for (let block = 0; block * MEMBERS_PER_BLOCK < members; block++)
    await run.step(`members ${block}`, "Indexing the URLs", async (deps, order) => {
      const index = new UrlIndex(await deps.passObjects.bytes(order, "index"));
      const first = block * MEMBERS_PER_BLOCK;
      const found: Member[] = [];
      let node = 0;
      for await (const row of readRows(ranges, deps, order)) {
        const place = index.memberOf(node++) - first;
        const member = place >= 0 && place < MEMBERS_PER_BLOCK ? memberIn(row) : null;
        if (member !== null) found[place] = member;
      }
      await deps.passObjects.put(order, `members-${block}`, packJson(found));
      deps.meter.add({ cpuMs: node * CPU_MS_PER_ROW });
      return null;
    });
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
