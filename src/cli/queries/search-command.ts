import { styleText } from "node:util";
import { type Command, Option } from "commander";
import type { SearchHitView, SearchView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { EXPORT_PARAMETERS } from "../../crawl/export-table.ts";
import { UserError } from "../errors.ts";
import { natural, share, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions } from "../installation/installation.ts";
import { printable } from "../output/terminal-text.ts";

/** `orbweaver search`: finds pages by their text. */

interface Flags extends WhereOptions {
  crawl?: string;
  limit: number;
  twins?: boolean;
  order: string;
  minRelevance?: number;
  json?: boolean;
}

const HELP = `
A page matches if it contains all words, in any form (crawls finds crawling). If no page contains all of them, pages
with any of them match. Also:
  '"polite crawler"'   an exact phrase; the outer quotes are for the shell
  -word                pages without this word
  crawl*               words with this prefix; quote it for the shell
Chinese, Japanese, Korean, Thai and similar scripts match anywhere in a text, from one character on.
Pages with the same text, or almost the same, that orbweaver analyze found are shown once.
Search covers crawls that were started with --search. If several have a URL, it finds the newest copy that matches.`;

export function addSearchCommand(program: Command): void {
  const command = program
    .command("search")
    .description("Find pages by their text, best match first.")
    .argument("<words...>", "the words to find")
    .option("--crawl <id>", "search only this crawl (default: all)")
    .option("--limit <n>", "show at most N pages, up to 100", natural(1), 10)
    .option("--twins", "show each page, not one of those with the same text")
    .addOption(
      new Option("--order <order>", "authority: first the pages to which the others link; needs --crawl and `analyze`")
        .choices(["relevance", "authority"])
        .default("relevance"),
    )
    .option("--min-relevance <n>", EXPORT_PARAMETERS.minRelevance, share)
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    // For -word.
    .allowUnknownOption();
  whereOptions(command).action(
    async (words: string[], { crawl, limit, order, twins, minRelevance, json, ...where }: Flags) => {
      const misplaced = words.find((word) => word.startsWith("--"));
      if (misplaced !== undefined) throw new UserError(`There is no option ${misplaced}. To exclude a word: -word`, 2);
      const found = await readInstallation(where, order === "authority" ? "pages" : "ledger", ({ client }) =>
        client.search(words.join(" "), { crawl, limit, order, twins: twins ? "all" : "group", minRelevance }),
      );
      if (json) console.log(JSON.stringify(found));
      else console.log(describeHits(found, (text) => styleText("bold", text, { stream: process.stdout })));
    },
  );
}

/** `bold` marks the matches, if the terminal can. */
export function describeHits(
  { hits, total, isAtLeast, note, corrected = [] }: SearchView,
  bold: (text: string) => string,
): string {
  if (hits.length === 0) return printable(note ?? "No page matches.");
  const more = total > hits.length ? ` These are the first ${hits.length}; --limit N shows more, up to 100.` : "";
  const verb = total === 1 ? "matches" : "match";
  const count = `${isAtLeast ? "At least " : ""}${plural(total, "page")} ${verb}.${more}`;
  return [
    ...(note === null ? [] : [printable(note)]),
    ...corrected.map(({ word, by }) => printable(`Searched for "${by}" instead of "${word}".`)),
    ...hits.map((hit, i) => describeHit(hit, i + 1, bold)),
    count,
  ].join("\n\n");
}

function describeHit(
  { url, title, snippet, twins }: SearchHitView,
  rank: number,
  bold: (text: string) => string,
): string {
  // A title may contain line ends and control sequences.
  const line = printable((title ?? "").replace(/\s+/g, " ").trim()) || "(no title)";
  const text = snippet.map((piece) => (piece.hit ? bold(printable(piece.text)) : printable(piece.text))).join("");
  const others = twins === 0 ? "" : `${plural(twins, "other page")} with the same text; --twins shows each`;
  return [`${rank}. ${line}`, printable(url), text, others].filter((each) => each !== "").join("\n   ");
}
