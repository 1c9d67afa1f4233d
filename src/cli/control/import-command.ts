import type { Command } from "commander";
import type { CrawlDetail } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { LEFT_OUT } from "../../crawl/imported-archive.ts";
import { UserError } from "../errors.ts";
import { interval, whereOptions } from "../flags/shared-options.ts";
import { type ImportSource, openSource } from "../import/import-parts.ts";
import { type ImportPlan, planImport } from "../import/plan-import.ts";
import { sendImport } from "../import/send-import.ts";
import { type Installation, withInstallation } from "../installation/installation.ts";
import { quote } from "../machine/shell-script.ts";
import { note } from "../output/finish.ts";
import { listenForStop } from "../output/follow.ts";
import { commandAt } from "../output/go-on.ts";
import { showCount } from "../output/show-count.ts";
import { describe, summarize } from "../output/summary.ts";
import { printable } from "../output/terminal-text.ts";
import { type ImportFlags, importList } from "./import-list.ts";

/** `orbweaver import`: makes a crawl of an archive that another tool, or an export, has written. */

const HELP = `
Examples:
  orbweaver import site.warc.gz
  orbweaver import collection.wacz
  orbweaver import crawl/*.warc.gz --remote https://crawler.example.com

The crawl can be searched, read, replayed, exported, analysed and compared like any other. Nothing is fetched for it.
Several files make one crawl. Of several answers of a URL the newest counts. What is left out is counted by reason.
After an interruption the same command goes on.

  orbweaver import changedetection-backup.zip --dry-run
  orbweaver import url-watches.json --remote https://crawler.example.com

Each watch of changedetection.io becomes a watch of that one page. What a watch there has and one here has not is named.`;

export function addImportCommand(program: Command): void {
  const command = program
    .command("import")
    .description("Make a crawl of an archive, WARC (.warc, .warc.gz) or WACZ, or watches of a list of another tool.")
    .argument("<file...>", "the files of an archive, or a back-up or list of changedetection.io")
    .option("--dry-run", "say what would be imported, and import nothing")
    .option("--every <interval>", "for watches that name no interval: that between two visits (default: 3h)", interval)
    .option("--json", "print only one JSON object, at the end, to standard output");
  command.addHelpText("after", HELP);
  whereOptions(command).action(async (files: string[], flags: ImportFlags) => {
    const source = await openSource(files);
    if (source.watches.length > 0) {
      await withInstallation(flags, (at) => importList(source, at, flags));
      return;
    }
    const stop = listenForStop();
    try {
      const reading = showCount(process.stderr, flags.json ?? false);
      const tell = (records: number) => reading.update(`Reading ${source.name}: ${plural(records, "record")}`);
      const plan = await planImport(source.parts, source.seeds, tell, stop.signal).catch((error: unknown) => {
        if (stop.signal.aborted) throw new UserError("Stopped before anything was imported.");
        throw error;
      });
      reading.end();
      if (plan.picks.length === 0)
        throw new UserError(
          [`${source.name} has no answer that can be imported.`, ...describeLeftOut(plan.leftOut)].join("\n"),
        );
      if (flags.dryRun) return describePlan(plan, source.name, flags);
      await withInstallation(flags, (at) => importInto(at, { ...source, plan, files }, stop.signal, flags));
    } finally {
      stop.end();
    }
  });
}

type Import = ImportSource & { plan: ImportPlan; files: readonly string[] };

async function importInto(
  { client, logs }: Installation,
  { name, parts, plan, files }: Import,
  stop: AbortSignal,
  flags: ImportFlags,
): Promise<void> {
  const { archive, picks, seeds, leftOut } = plan;
  const { id, status, settled } = await client.startImport({ archive, name, urls: seeds, answers: picks.length });
  if (status !== "paused") {
    note(
      flags,
      `${name} was imported before, as crawl ${id}. To import it anew, delete that first: ${commandAt(`delete ${id}`, flags)}`,
    );
    if (flags.json) console.log(JSON.stringify(summarize(await client.crawl(id))));
    return;
  }
  note(
    flags,
    `Import ${id} ${settled > 0 ? `goes on: ${plural(settled, "URL")} of ${count(picks.length)} are there` : "started"}.`,
  );
  const known = settled > 0 ? await settledUrls(id, client) : new Set<string>();
  const left = picks.filter(({ url }) => !known.has(url));
  const progress = showCount(process.stderr, flags.json ?? false);
  const tell = (sent: number) =>
    progress.update(`${count(known.size + sent)} of ${plural(picks.length, "answer")} imported`);
  const again = `import ${files.map(quote).join(" ")}`;
  const refused = await sendImport(parts, left, (records) => client.importRecords(id, records), tell, stop)
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new UserError(`${why}\nWhat was imported is stored. Go on with: ${commandAt(again, flags)}`);
    })
    .finally(() => progress.end());
  if (stop.aborted) {
    process.exitCode = 1;
    note(flags, `Stopped; nothing is lost. Go on with: ${commandAt(again, flags)}`);
    return;
  }
  await client.endImport(id, withRefused(leftOut, refused));
  const crawl = await client.crawl(id);
  if (flags.json) console.log(JSON.stringify(summarize(crawl)));
  else
    for (const line of [...(await describe(crawl, { client, logs })), ...describeNext(crawl, flags)])
      console.log(printable(line));
  if (crawl.status !== "completed") process.exitCode = 1;
}

async function settledUrls(id: string, client: Installation["client"]): Promise<Set<string>> {
  const known = new Set<string>();
  for await (const { url, status } of client.records(id)) if (status !== "queued") known.add(url);
  return known;
}

function withRefused(leftOut: ImportPlan["leftOut"], refused: readonly { url: string }[]): ImportPlan["leftOut"] {
  if (refused.length === 0) return leftOut;
  const before = leftOut.find(({ reason }) => reason === "malformed") ?? { count: 0, examples: [] };
  const examples = [...before.examples, ...refused.map(({ url }) => url)].slice(0, 3);
  const malformed = { reason: "malformed" as const, count: before.count + refused.length, examples };
  return [...leftOut.filter(({ reason }) => reason !== "malformed"), malformed];
}

export function describeLeftOut(leftOut: ImportPlan["leftOut"]): string[] {
  return leftOut.map(
    ({ reason, count: records, examples }) =>
      `  ${plural(records, "record")} left out (${reason}: ${LEFT_OUT[reason]}), such as ${examples[0]}`,
  );
}

function describePlan({ picks, seeds, leftOut }: ImportPlan, name: string, flags: ImportFlags): void {
  if (flags.json) {
    console.log(JSON.stringify({ name, answers: picks.length, urls: seeds, leftOut }));
    return;
  }
  const lines = [`${name}: ${plural(picks.length, "answer")} would be imported, from ${seeds[0]} on.`];
  for (const line of [...lines, ...describeLeftOut(leftOut)]) console.log(printable(line));
}

function describeNext({ id, archive }: CrawlDetail, flags: ImportFlags): string[] {
  return [
    ...describeLeftOut(archive?.leftOut ?? []),
    `Crawl ${id}. Search it: ${commandAt(`search WORDS --crawl ${id}`, flags)}`,
  ];
}
