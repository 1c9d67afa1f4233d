import type { Command } from "commander";
import type { ExplainView } from "../../api/views.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import { type CrawlFlags, crawlOptions, toRequest } from "../flags/crawl-flags.ts";
import { collect, whereOptions } from "../flags/shared-options.ts";
import { findCrawlOf } from "../installation/find-crawl.ts";
import { type Installation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver explain`: shows what was, or would be, decided for a URL, and by which rule. */

interface ExplainFlags extends CrawlFlags, WhereOptions {
  crawl?: string;
  seed?: string[];
  json?: boolean;
}

export function addExplainCommand(program: Command): void {
  const command = crawlOptions(
    program
      .command("explain")
      .description("Show what a crawl decided, or would decide, for a URL, and by which rule.")
      .argument("<url>", "the URL to explain")
      .option("--crawl <id>", "the crawl (default: the newest one of this URL's host, or else the newest)")
      .option(
        "--seed <url>",
        "explain for a planned crawl from this seed, with the options below; may be repeated",
        collect,
      )
      .option("--json", "print JSON"),
  );
  const own = new Set(["crawl", "seed", "json"]);
  const crawlFlags = command.options.filter((option) => !own.has(option.attributeName()));
  whereOptions(command).action(async (given: string, flags: ExplainFlags) => {
    if (flags.crawl !== undefined && flags.seed !== undefined)
      throw new UserError("--crawl is for an existing crawl, --seed for a planned one: use only one of them.", 2);
    const misplaced = crawlFlags.find((option) => command.getOptionValueSource(option.attributeName()) === "cli");
    if (flags.seed === undefined && misplaced !== undefined)
      throw new UserError(`${misplaced.long} is for a planned crawl: add its seed with --seed URL.`, 2);
    const url = withScheme(given);
    await withInstallation(flags, async (at) => {
      const crawlId = flags.seed !== undefined ? null : (flags.crawl ?? (await findCrawl(url, at)));
      const view =
        crawlId === null
          ? await at.client.explainPlanned(url, toRequest(flags.seed ?? [], flags))
          : await at.client.explain(crawlId, url);
      if (flags.json) console.log(JSON.stringify(view));
      else for (const line of describeExplanation(view, crawlId)) console.log(printable(line));
    });
  });
}

async function findCrawl(url: string, at: Installation): Promise<string> {
  const crawl = await findCrawlOf(url, at);
  if (crawl === undefined)
    throw new UserError("There is no crawl yet. To explain a planned crawl, add its seed with --seed URL.");
  return crawl.id;
}

function describeExplanation(
  { url, asWritten, verdict, sentence, steps }: ExplainView,
  crawl: string | null,
): string[] {
  const rows = steps.map(({ ok, step, rule, detail }) => [ok ? "  +" : "  -", step, rule, detail]);
  return [
    url ?? asWritten,
    `${verdict.charAt(0).toUpperCase()}${verdict.slice(1)}. ${sentence}`,
    table(rows),
    crawl === null ? "This is what a crawl with these options would decide." : `This is for crawl ${crawl}.`,
  ];
}
