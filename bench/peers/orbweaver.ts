/** Orbweaver by its command line, in workerd, with its usual ledger, mirror and queue. */
import type { Peer } from "../peer.ts";

export const orbweaver = peer("orbweaver", ["--store=warc"]);
export const orbweaverFiles = peer("orbweaver-files", ["--store=files"]);

/** The same with Markdown of every page, with its text in the search index, and with both: the price of content. */
export const orbweaverMarkdown = peer("orbweaver-markdown", ["--store=warc", "--markdown"]);
export const orbweaverSearch = peer("orbweaver-search", ["--store=warc", "--search"]);
export const orbweaverContent = peer("orbweaver-content", ["--store=warc", "--markdown", "--search"]);

/** With a subject: its order, its scores and its lessons. */
export const orbweaverTopic = peer("orbweaver-topic", [
  "--store=warc",
  "--topic=archive of the interesting words",
  "--limit-per-host=0",
]);

function peer(name: string, flags: string[]): Peer {
  return {
    name,
    command: (url, stateDir) => ({
      args: [
        "src/cli/main.js",
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
