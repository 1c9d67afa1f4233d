/** Crawlee's CheerioCrawler, in a Node process of its own: crawlee-crawl.ts. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Peer } from "../peer.ts";

/** As it comes. */
export const crawlee = peer("crawlee", []);

/** At its fastest on this site. */
export const crawleeTuned = peer("crawlee-tuned", ["tuned"]);

function peer(name: string, args: string[]): Peer {
  return {
    name,
    command: (url, stateDir) => ({
      args: ["bench/peers/crawlee-crawl.ts", url, ...args],
      env: { CRAWLEE_STORAGE_DIR: stateDir, CRAWLEE_LOG_LEVEL: "OFF" },
    }),
    executable: "node",
    countBodies: async (stateDir) => {
      const files = await readdir(join(stateDir, "key_value_stores", "default"));
      return files.filter((file) => file.endsWith(".html")).length;
    },
  };
}
