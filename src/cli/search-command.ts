import { styleText } from "node:util";
import type { Command } from "commander";
import type { SearchHitView, SearchView } from "../api/views.ts";
import { UserError } from "./errors.ts";
import { type WhereOptions, withInstallation } from "./installation.ts";
import { natural, whereOptions } from "./shared-options.ts";
import { plural, printable } from "./terminal-text.ts";

/** `orbweaver search`: pages by what they say. */

interface Flags extends WhereOptions {
  crawl?: string;
  limit: number;
  json?: boolean;
}

const HELP = `
All words are to be found, in any form (crawls finds crawling). Also:
  '"polite crawler"'   the words beside each other; the outer quotes are for the shell
  -word                not on the page
  crawl*               words that begin so; the shell wants quotes around it, too
Chinese, Japanese, Korean, Thai and the like are found in the middle of a text, from one character on.
Only pages of crawls that were started with --search are found; of a URL that several have, the newest copy that matches.`;

export function addSearchCommand(program: Command): void {
  const command = program
    .command("search")
    .description("Find pages by what they say, best first.")
    .argument("<words...>", "what to look for")
    .option("--crawl <id>", "in this crawl alone (default: in all)")
    .option("--limit <n>", "show N at the most, up to 100", natural(1), 10)
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    // -word leaves pages out.
    .allowUnknownOption();
  whereOptions(command).action(async (words: string[], { crawl, limit, json, ...where }: Flags) => {
    const stray = words.find((word) => word.startsWith("--"));
    if (stray !== undefined) throw new UserError(`There is no option ${stray}. To leave out a word: -word`, 2);
    const found = await withInstallation(where, ({ client }) => client.search(words.join(" "), { crawl, limit }));
    if (json) console.log(JSON.stringify(found));
    else console.log(describeHits(found, (text) => styleText("bold", text, { stream: process.stdout })));
  });
}

/** `bold` marks what was looked for, where the terminal can. */
export function describeHits({ hits, total, note }: SearchView, bold: (text: string) => string): string {
  if (hits.length === 0) return printable(note ?? "No page has that.");
  const more = total > hits.length ? ` These are the first ${hits.length}; --limit N shows more, up to 100.` : "";
  const verb = total === 1 ? "matches" : "match";
  return [...hits.map((hit, i) => describeHit(hit, i + 1, bold)), `${plural(total, "page")} ${verb}.${more}`].join(
    "\n\n",
  );
}

function describeHit({ url, title, snippet }: SearchHitView, rank: number, bold: (text: string) => string): string {
  // A title may have line ends, and the page may hold what would colour or move the terminal.
  const line = printable((title ?? "").replace(/\s+/g, " ").trim()) || "(no title)";
  const text = snippet.map((piece) => (piece.hit ? bold(printable(piece.text)) : printable(piece.text))).join("");
  return [`${rank}. ${line}`, printable(url), text].filter((each) => each !== "").join("\n   ");
}
