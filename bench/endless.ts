/**
 * Crawls generated sites in memory by the real rules: endless ones beside 60 honest pages, and catalogues of near-equal
 * pages. Prints how many pages of the traps a crawl of 5,000 takes, and how many pages of the catalogues it loses.
 *
 *     npm run bench:endless [-- --seeds 1,3,5] [-- --pages 5000] [-- --only calendar]
 */
import { parseArgs } from "node:util";
import { catalogueSite, KINDS, WAYS } from "./endless/catalogues.ts";
import { simulate } from "./endless/simulate.ts";
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

for (const name of Object.keys(TRAPS).filter((each) => each.includes(values.only))) {
  const all = seeds.map((seed) => simulate(trapSite(name, seed), LIMIT));
  const without = seeds.map((seed) => simulate(trapSite(name, seed), LIMIT, false));
  console.log(
    `trap: ${name}: ${range(without.map(({ trap }) => trap))} pages -> ${range(all.map(({ trap }) => trap))}, honest pages lost ${range(all.map(({ lost }) => lost))}; ${all[0]?.slowed.join(" ")}`,
  );
}
for (const kind of Object.keys(KINDS)) {
  for (const way of WAYS) {
    if (!`${kind} ${way}`.includes(values.only)) continue;
    const all = seeds.map((seed) => simulate(catalogueSite(kind, way, pages, seed), pages * 2));
    const [lost, late] = [all.map((each) => each.lost), all.map((each) => each.late)];
    console.log(
      `catalogue: ${kind}, found on ${way}: lost ${range(lost)}, held back for a while ${range(late)} of ${pages}`,
    );
  }
}
