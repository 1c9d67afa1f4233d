/** Crawlee's CheerioCrawler, in its own Node process: crawlee-crawl.ts. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Peer } from "../peer.ts";

/** With its defaults. */
export const crawlee = peer("crawlee", []);

/** With the fastest settings on this site. */
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
