/**
 * Crawls generated sites in memory by the real rules: endless ones beside 60 honest pages, and catalogues of near-equal
 * pages, both without and with numbers that change at each request. Prints how many pages of the traps a crawl of 5,000
 * takes, and how many pages of the catalogues it loses.
 *
 *     npm run bench:endless [-- --seeds 1,3,5] [-- --pages 5000] [-- --only calendar]
 */
import { parseArgs } from "node:util";
import { catalogueSite, KINDS, WAYS } from "./endless/catalogues.ts";
import { noisySite } from "./endless/noisy.ts";
import type { Site } from "./endless/page.ts";
import { type Simulated, simulate } from "./endless/simulate.ts";
import { TRAPS, trapSite } from "./endless/traps.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,3,5" },
    pages: { type: "string", default: "5000" },
    only: { type: "string", default: "" },
  },
});
const seeds = values.seeds.split(",").map(Number);
const pages = Number(values.pages);
const LIMIT = 5_000;
const range = (numbers: readonly number[]) => {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? String(least) : `${least} to ${most}`;
};

const simulateAll = async (siteOf: (seed: number) => Site, limit: number, isOn = true): Promise<Simulated[]> => {
  const all: Simulated[] = [];
  for (const seed of seeds) all.push(await simulate(siteOf(seed), limit, isOn));
  return all;
};
/** Both without and with numbers that change at each request. */
const bothOf = (siteOf: (seed: number) => Site) => [siteOf, (seed: number) => noisySite(siteOf(seed), seed)];

for (const name of Object.keys(TRAPS).filter((each) => each.includes(values.only))) {
  for (const [i, siteOf] of bothOf((seed) => trapSite(name, seed)).entries()) {
    const all = await simulateAll(siteOf, LIMIT);
    const without = await simulateAll(siteOf, LIMIT, false);
    console.log(
      `trap: ${name}${i === 0 ? "" : ", numbers that change"}: ${range(without.map(({ trap }) => trap))} pages -> ${range(all.map(({ trap }) => trap))}, honest pages lost ${range(all.map(({ lost }) => lost))}, looks ${range(all.map(({ looks }) => looks))}; ${all[0]?.slowed.join(" ")}`,
    );
  }
}
for (const kind of Object.keys(KINDS)) {
  for (const way of WAYS) {
    if (!`${kind} ${way}`.includes(values.only)) continue;
    for (const [i, siteOf] of bothOf((seed) => catalogueSite(kind, way, pages, seed)).entries()) {
      const all = await simulateAll(siteOf, pages * 2);
      console.log(
        `catalogue: ${kind}, found on ${way}${i === 0 ? "" : ", numbers that change"}: lost ${range(all.map(({ lost }) => lost))}, held back for a while ${range(all.map(({ late }) => late))} of ${pages}, looks ${range(all.map(({ looks }) => looks))}`,
      );
    }
  }
}
