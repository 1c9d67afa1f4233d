import type { Command } from "commander";
import type { CrawlView, ExplainView } from "../api/views.ts";
import { type CrawlFlags, crawlOptions, toRequest, withScheme } from "./crawl-command.ts";
import { UserError } from "./errors.ts";
import { type Installation, type WhereOptions, withInstallation } from "./installation.ts";
import { collect, whereOptions } from "./shared-options.ts";
import { printable, table } from "./terminal-text.ts";

/** `orbweaver explain`: what was decided for a URL, or would be, and by which rule. */

interface ExplainFlags extends CrawlFlags, WhereOptions {
  crawl?: string;
  seed: string[];
  json?: boolean;
}

export function addExplainCommand(program: Command): void {
  const command = crawlOptions(
    program
      .command("explain")
      .description("Say what a crawl decided for a URL, or would decide, and by which rule.")
      .argument("<url>", "the URL in question")
      .option("--crawl <id>", "the crawl to ask (default: the newest one of this URL's host, or else the newest)")
      .option("--seed <url>", "ask before a crawl: one from here, with the options below; may be repeated", collect, [])
      .option("--json", "print JSON"),
  );
  const own = new Set(["crawl", "seed", "json"]);
  const order = command.options.filter((option) => !own.has(option.attributeName()));
  whereOptions(command).action(async (asked: string, flags: ExplainFlags) => {
    if (flags.crawl !== undefined && flags.seed.length > 0)
      throw new UserError(
        "--crawl asks a crawl that was made, --seed one that is yet to be made: name one of them.",
        2,
      );
    const stray = order.find((option) => command.getOptionValueSource(option.attributeName()) === "cli");
    if (flags.seed.length === 0 && stray !== undefined)
      throw new UserError(`${stray.long} is for a crawl that is yet to be made: name where it starts, --seed URL.`, 2);
    const url = withScheme(asked);
    await withInstallation(flags, async (at) => {
      const asking = flags.seed.length > 0 ? null : (flags.crawl ?? (await crawlFor(url, at)));
      const view =
        asking === null
          ? await at.client.explainBefore(url, toRequest(flags.seed, flags))
          : await at.client.explain(asking, url);
      if (flags.json) console.log(JSON.stringify(view));
      else for (const line of describeExplanation(view, asking)) console.log(printable(line));
    });
  });
}

async function crawlFor(url: string, { client }: Installation): Promise<string> {
  const crawls = await client.crawls();
  const host = URL.parse(url)?.host;
  const hasHost = ({ urls }: CrawlView) => urls.some((seed) => URL.parse(seed)?.host === host);
  const crawl = crawls.find(hasHost) ?? crawls[0];
  if (crawl === undefined)
    throw new UserError("There is no crawl here to ask. To ask before one, name where it would start: --seed URL.");
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
    crawl === null
      ? "No crawl was asked; this is what one with these options would decide."
      : `Crawl ${crawl} was asked.`,
  ];
}
