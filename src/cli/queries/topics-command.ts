import type { Command } from "commander";
import type { TopicsView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";
import { followPassToEnd } from "../output/follow-pass.ts";
import { commandAt, type Place } from "../output/go-on.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver clusters`: groups the pages of a crawl by what they say. */

interface Flags extends WhereOptions {
  json?: boolean;
  last?: boolean;
}

export function addTopicsCommand(program: Command): void {
  const command = program
    .command("clusters")
    .alias("topics")
    .description("Group the pages of a crawl by what they say. The same command goes on after an interruption.")
    .argument("<id>", CRAWL_HELP)
    .option("--last", "show what was found the last time, and do not look again")
    .option("--json", "print JSON, with the best pages of each group");
  command.addHelpText(
    "after",
    "\nEach group has the words that name it, its number of pages and its best pages: the one that is most like all of " +
      "them, or, after `analyze`, the one with the highest rank. The number of groups follows from the texts.",
  );
  whereOptions(command).action(async (given: string, { json, last, ...where }: Flags) => {
    await withInstallation(where, async (at) => {
      const { id } = await at.client.crawl(given);
      if (!last) {
        const flags = { ...where, ...(json ? { json } : {}), command: "topics" };
        const pass = await followPassToEnd(id, () => at.client.findTopics(id), at, flags);
        if (pass.status !== "completed") return;
      }
      const found = await at.client.topics(id);
      console.log(json ? JSON.stringify(found) : printable(describeTopics(id, found, where)));
    });
  });
}

/** Lines. */
function describeTopics(id: string, { topics, pages, ungrouped, sampled }: TopicsView, place: Place): string {
  if (topics.length === 0)
    return `No groups: ${plural(pages, "page")} with texts that have too little in common, or too few of them.`;
  const isRanked = topics.some(({ ranked }) => ranked.length > 0);
  const rows = topics.flatMap(({ number, words, pages: size, share, central, ranked }) => {
    const [best] = isRanked && ranked.length > 0 ? ranked : central;
    const cells = [`${number}`, count(size), `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`];
    return [
      [...cells, words.join(" ")],
      ["", "", "", best === undefined ? "" : `  ${best.title || best.url}`],
    ];
  });
  return [
    `${plural(pages, "page")} in ${plural(topics.length, "group")}.`,
    ...(sampled < pages ? [`The groups were learned from a sample of ${plural(sampled, "page")}.`] : []),
    ...(ungrouped > 0 ? [`${plural(ungrouped, "page")} belong to no group.`] : []),
    "",
    table([
      ["#", "pages", "share", `words, and the ${isRanked ? "page with the highest rank" : "most typical page"}`],
      ...rows,
    ]),
    "",
    `With more pages of each: ${commandAt(`clusters ${id} --last --json`, place)}`,
  ].join("\n");
}
