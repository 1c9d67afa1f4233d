import { styleText } from "node:util";
import type { Command } from "commander";
import type { CrawlView, DiffLineView, DiffView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { type Installation, readInstallation, type WhereOptions } from "../installation/installation.ts";
import { printable } from "../output/terminal-text.ts";

/** `orbweaver diff`: shows what changed between two versions of a page. */

interface Flags extends WhereOptions {
  crawl?: string;
  from?: string;
  to?: string;
  full?: boolean;
  json?: boolean;
}

const SIGNS = { same: " ", added: "+", removed: "-" };

const SAME = "No difference in the main content.";
const NOTHING_COUNTS = "No difference that counts. To compare the full text: --full.";

type Colour = "red" | "green" | "cyan";
/** Colours a text if the output is a terminal that shows colours. */
export type Paint = (colours: (Colour | "inverse")[], text: string) => string;

const paintOutput: Paint = (colours, text) => styleText(colours, text, { stream: process.stdout });

export function addDiffCommand(program: Command): void {
  const command = program
    .command("diff")
    .description("Show what changed between two versions of a page that a watch keeps.")
    .argument("<url>", "the URL of the page")
    .option("--crawl <id>", "the watch (default: the newest one of this URL's host)")
    .option(
      "--from <time>",
      "the earlier version: the one of this time, or of the beginning of this date (default: the one before)",
    )
    .option("--to <time>", "the later version: the one of this time, or of the end of this date (default: the newest)")
    .option("--full", "compare the full text, also the host's template and what the watch ignores")
    .option("--json", "print JSON");
  whereOptions(command).action(async (given: string, { crawl, from, to, full, json, ...where }: Flags) => {
    const url = withScheme(given);
    await readInstallation(where, "pages", async (at) => {
      const id = crawl ?? (await findWatch(url, at));
      const diff = await at.client.diff(id, url, { from, to, full });
      console.log(json ? JSON.stringify(diff) : describeDiff(diff, paintOutput));
    });
  });
}

async function findWatch(url: string, { client }: Installation): Promise<string> {
  const host = URL.parse(url)?.host;
  const isOfHost = ({ urls, watching }: CrawlView) =>
    watching !== null && urls.some((seed) => URL.parse(seed)?.host === host);
  const crawl = (await client.crawls()).find(isOfHost);
  if (crawl === undefined) throw new UserError(`No watch has a seed at ${host ?? url}. Name the watch: --crawl ID.`);
  return crawl.id;
}

/** As `diff -u` writes it: `-` is the earlier version, `+` the later one. Colours mark the words that differ. */
export function describeDiff(diff: DiffView, paint: Paint): string {
  const { url, from, to, full, title, canonical, hunks, hunksLeftOut, rest } = diff;
  const lines = [`--- ${url} ${from.fetchedAt}`, `+++ ${url} ${to.fetchedAt}`].map(printable);
  const head = (text: string) => paint(["cyan"], printable(text === "" ? "@@" : `@@ ${text} @@`));
  for (const [name, change] of Object.entries({ Title: title, "Canonical URL": canonical })) {
    if (change === null) continue;
    lines.push(head(name));
    if (change.before !== null) lines.push(...toLines({ kind: "removed", text: change.before }, paint));
    if (change.after !== null) lines.push(...toLines({ kind: "added", text: change.after }, paint));
  }
  for (const { under, lines: changed } of hunks) {
    lines.push(head(under.join(" > ")), ...changed.flatMap((line) => toLines(line, paint)));
  }
  if (lines.length === 2 && rest === null) lines.push(full ? SAME : NOTHING_COUNTS);
  if (hunksLeftOut > 0) lines.push(`${plural(hunksLeftOut, "more difference")} not shown.`);
  if (rest !== null) lines.push("The text after the first megabyte changed, too. It is not shown.");
  return lines.join("\n");
}

function toLines(line: DiffLineView, paint: Paint): string[] {
  if (!("parts" in line)) {
    const text = printable(`${SIGNS[line.kind]}${line.text}`);
    return [line.kind === "same" ? text : paint([line.kind === "added" ? "green" : "red"], text)];
  }
  const side = (sign: string, colour: Colour, wanted: "added" | "removed") => {
    const words = line.parts.flatMap(({ kind, text }) => {
      if (kind === "same") return [paint([colour], printable(text))];
      return kind === wanted ? [paint([colour, "inverse"], printable(text))] : [];
    });
    return paint([colour], sign) + words.join("");
  };
  return [side("-", "red", "removed"), side("+", "green", "added")];
}
