import { findPageLinks } from "../../graph/page-links.ts";
import { readLinkLines } from "../../store/mirror/kept-links.ts";
import type { Listed } from "../list-rows.ts";
import type { PassDeps, PassOrder, PassRun } from "../pass-run.ts";
import { crawlOf } from "./find-targets.ts";
import { openIndex } from "./read-links.ts";

/** Reads which URLs the sitemaps of a crawl list: object `listed`, a byte for each node; empty if that is not known. */

/** A sitemap lists at most 50,000 URLs: some 2 s of CPU time. */
const SITEMAPS_PER_STEP = 20;
const CPU_MS_PER_URL = 0.01;

export async function readListed(run: PassRun, { rows }: Listed): Promise<void> {
  const sitemaps = await run.step("sitemaps", "Looking for the sitemaps", async (deps, order) => {
    // A watch reads its sitemaps again, and does not keep what they list then.
    const isWatch = (await crawlOf(deps, order)).options.watch !== null;
    const known = isWatch ? [] : await deps.passRows.sitemapLists(order.crawl);
    return known.some(({ pack }) => pack === null) ? 0 : known.length;
  });
  if (sitemaps === 0) {
    await run.step("no sitemaps", "Looking for the sitemaps", async ({ passObjects }, order) => {
      await passObjects.put(order, "listed", new Uint8Array());
      return null;
    });
    return;
  }
  for (let first = 0; first < sitemaps; first += SITEMAPS_PER_STEP)
    await run.step(`listed ${first}`, "Reading the sitemaps", (deps, order) =>
      readSome(first, first + SITEMAPS_PER_STEP >= sitemaps, rows, deps, order),
    );
}

/** Goes on from `listed-FIRST`, or begins. */
async function readSome(first: number, isLast: boolean, rows: number, deps: PassDeps, order: PassOrder) {
  const { passObjects, passRows, packs, meter } = deps;
  const listed = first === 0 ? new Uint8Array(rows) : await passObjects.bytes(order, `listed-${first}`);
  const index = await openIndex(deps, order);
  const sitemaps = (await passRows.sitemapLists(order.crawl)).slice(first, first + SITEMAPS_PER_STEP);
  for (const { url, pack, offset, length } of sitemaps) {
    if (pack === null || offset === null || length === null) continue;
    const lines = await readLinkLines(order.crawl, { pack, offset, length }, packs);
    const links = lines === null ? [] : (findPageLinks(lines, url)?.links ?? []);
    for (const link of links) {
      const node = index.findRow(link.url);
      if (node !== null) listed[node] = 1;
    }
    meter.add({ cpuMs: links.length * CPU_MS_PER_URL });
  }
  await passObjects.put(order, isLast ? "listed" : `listed-${first + SITEMAPS_PER_STEP}`, listed);
  return null;
}
