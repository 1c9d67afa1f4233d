import type { Command } from "commander";
import type { CrawlView } from "../../api/views.ts";
import { bytes, count, minuteOf, state } from "../../core/shown-values.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { describeHosts } from "../installation/hosts.ts";
import { readInstallation, type WhereOptions } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { describeLimit, describeModelGaps } from "../output/go-on.ts";
import { describe, describeBill, describeDatabase } from "../output/summary.ts";
import { pagesOf, printable, table } from "../output/terminal-text.ts";

/** `list` and `status`: show crawls. */

interface Flags extends WhereOptions {
  json?: boolean;
}

export function addListCommands(program: Command): void {
  addListCommand(program);
  addStatusCommand(program);
}

function addListCommand(program: Command): void {
  whereOptions(
    program
      .command("list")
      .description("List the crawls, newest first.")
      .option("--all", "also list the scrapes and maps of Firecrawl's paths")
      .option("--json", "print JSON"),
  ).action(async (flags: Flags & { all?: boolean }) => {
    // On this machine nobody pays.
    const isBilled = flags.remote !== undefined && !flags.json;
    const [crawls, health] = await readInstallation(flags, "ledger", ({ client }) =>
      Promise.all([client.crawls({ all: flags.all ?? false }), flags.json ? null : client.health()]),
    );
    if (flags.json) console.log(JSON.stringify(crawls));
    else if (crawls.length === 0) console.log(`No crawls yet. Start one: ${COMMAND} crawl https://example.com/`);
    else console.log(table([["ID", "STATE", "PAGES", "QUEUED", "SIZE", "STARTED", "SEEDS"], ...crawls.map(row)]));
    if (health === null) return;
    const { bill } = health;
    const lines = [...(isBilled && bill !== null ? [describeBill(bill)] : []), ...describeDatabase(health)];
    if (crawls.length > 0 && lines.length > 0) console.log(`\n${lines.map(printable).join("\n")}`);
  });
}

function addStatusCommand(program: Command): void {
  whereOptions(
    program
      .command("status")
      .description("Show the state of a crawl and of its hosts.")
      .argument("<id>", CRAWL_HELP)
      .option("--json", "print JSON"),
  ).action(async (id: string, flags: Flags) => {
    await readInstallation(flags, "ledger", async (at) => {
      const { client } = at;
      const crawl = await client.crawl(id);
      const isOpen = crawl.status === "running" || crawl.status === "paused";
      const hosts = isOpen ? await client.hosts(crawl.id) : [];
      const health = flags.json ? null : await client.health();
      if (flags.json) console.log(JSON.stringify({ ...crawl, hosts }));
      else
        for (const line of [
          ...(await describe(crawl, at)),
          ...(await describeLimit(crawl, client, flags)),
          ...describeModelGaps(crawl, flags),
          ...describeHosts(hosts, Date.now()),
          ...(health === null ? [] : describeDatabase(health)),
        ])
          console.log(printable(line));
    });
  });
}

function seedsOf(urls: readonly string[]): string {
  return urls.length > 1 ? `${urls[0]} and ${urls.length - 1} more` : (urls[0] ?? "");
}

function row(crawl: CrawlView): string[] {
  const { id, status, counts, bytes: size, createdAt, urls, purpose, options } = crawl;
  const named = options.name === "" ? seedsOf(urls) : `${options.name}: ${seedsOf(urls)}`;
  const kind = options.dryRun ? "dry run" : purpose;
  const seeds = kind === "crawl" ? named : `${named} (${kind})`;
  return [id, state(status), count(pagesOf(crawl)), count(counts.queued), bytes(size), minuteOf(createdAt), seeds];
}
