/**
 * The limit: fetching and parsing each page once in workerd, and no other work (limit-crawl.ts). No crawler that parses
 * with linkedom in one isolate is faster. `orbweaver / limit` is the share of the time that the pages themselves need.
 */
import type { Peer } from "../peer.ts";

/** With unchanged linkedom. */
export const limit = peer("limit");

/** With linkedom as src/media/html/tree/linkedom.ts changes it. */
export const limitFitted = peer("limit-fitted");

function peer(name: "limit" | "limit-fitted"): Peer {
  return {
    name,
    command: (url, stateDir) => ({ args: ["bench/peers/limit-crawl.ts", url, stateDir, `${name}-worker.ts`], env: {} }),
    executable: "workerd",
  };
}
