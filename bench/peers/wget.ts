/** `wget -r`, which keeps no state except its files: the limit of the site and the network. */
import { countFiles } from "../count-files.ts";
import type { Peer } from "../peer.ts";

export const wget: Peer = {
  name: "wget",
  command: (url, stateDir) => ({ args: ["bench/peers/wget-crawl.ts", url, stateDir], env: {} }),
  executable: "wget",
  countBodies: (stateDir) => countFiles(stateDir, ".html"),
};
