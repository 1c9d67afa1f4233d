import { styleText } from "node:util";
import type { Command } from "commander";
import type { SearchView } from "../api/views.ts";
import { printable } from "./format.ts";
import { type WhereOptions, withInstallation } from "./installation.ts";
import { natural, whereOptions } from "./options.ts";

/** `orbweaver search`: what was kept, by its words. */

interface Flags extends WhereOptions {
  crawl?: string;
  limit: number;
  json?: boolean;
}

export function addSearchCommand(program: Command): void {
  const command = program
    .command("search")
    .description("Search the pages of crawls that were started with --search, the best first.")
    .argument("<words...>", 'all of which are to be found; "a phrase", begin*')
    .option("--crawl <id>", "in this crawl alone")
    .option("--limit <n>", "show N hits at the most", natural(1), 10)
    .option("--json", "print JSON");
  command.addHelpText(
    "after",
    "\nTo leave pages with a word out, end the options first: orbweaver search -- spider -web",
  );
  whereOptions(command).action(async (words: string[], flags: Flags) => {
    const found = await withInstallation(flags, ({ client }) =>
      client.search(words.join(" "), flags.limit, flags.crawl),
    );
    if (flags.json) console.log(JSON.stringify(found));
    else for (const line of describe(found, process.stdout)) console.log(line);
  });
}

function* describe({ hits, cursor, indexed }: SearchView, stream: NodeJS.WriteStream): Generator<string> {
  if (!indexed) yield "There is nothing to be searched: start a crawl with --search.";
  else if (hits.length === 0) yield "Nothing was found.";
  const bold = (text: string) => styleText("bold", text, { stream });
  for (const { url, title, snippet } of hits) {
    yield bold(printable(title === "" ? url : title));
    yield `  ${printable(url)}`;
    yield `  ${snippet.map(({ text, hit }) => (hit ? bold(printable(text)) : printable(text))).join("")}`;
  }
  if (cursor !== null) yield "There are more; --limit N shows them.";
}
