/** Orbweaver by its own command line, in workerd, with the ledger, the mirror and the queue that it always has. */
import type { Peer } from "../peer.ts";

export const orbweaver = peer("orbweaver", []);

/** With its pages packed, and as files. */
export const orbweaverWarc = peer("orbweaver-warc", ["--store=warc"]);

/** The same with Markdown made of every page, and with its text put into the search index: what content costs. */
export const orbweaverMarkdown = peer("orbweaver-markdown", ["--markdown"]);
export const orbweaverSearch = peer("orbweaver-search", ["--search"]);
export const orbweaverContent = peer("orbweaver-content", ["--markdown", "--search"]);

function peer(name: string, flags: string[]): Peer {
  return {
    name,
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
        ...flags,
      ],
      env: {},
    }),
    executable: "workerd",
  };
}
