/** Scrapy, with its queue, its seen set and every body on disk: scrapy-crawl.ts. */
import { countFiles } from "../count-files.ts";
import type { Peer } from "../peer.ts";

export const scrapy: Peer = {
  name: "scrapy",
  command: (url, stateDir) => ({ args: ["bench/peers/scrapy-crawl.ts", url, stateDir], env: {} }),
  executable: "python3",
  countBodies: (stateDir) => countFiles(`${stateDir}/pages`),
};
