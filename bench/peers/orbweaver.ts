/** Orbweaver by its own command line, in workerd, with the ledger, the mirror and the queue that it always has. */
import type { Peer } from "../peer.ts";

export const orbweaver: Peer = {
  name: "orbweaver",
  command: (url, stateDir) => ({
    args: [
      "src/cli/main.ts",
      "crawl",
      url,
      "--limit=1000000",
      "--delay=0",
      "--concurrency=8",
      "--json",
      `--state=${stateDir}`,
    ],
    env: {},
  }),
  executable: "workerd",
};
