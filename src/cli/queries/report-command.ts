import { type Command, Option } from "commander";
import type { CrawlDetail, FindingsView } from "../../api/views.ts";
import { FAIL_ON_HELP, type Failure, failOn, failOnOption } from "../flags/fail-on.ts";
import { ignoreOption, noIgnoreOption, sendIgnoreList } from "../flags/ignore-list.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { type Installation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { toFile, toStream } from "../output/export-output.ts";
import { summarizeReport } from "../output/report-summary.ts";
import { printable } from "../output/terminal-text.ts";
import { analyze } from "./analyze-command.ts";

/** `orbweaver report`: what is wrong with a site, for people, as a file, and as an exit code. */

const FORMATS = ["text", "md", "html", "csv", "json", "junit", "sarif"];
interface Flags extends WhereOptions {
  format: string;
  out?: string;
  kind?: string;
  against?: string;
  failOn?: Failure[];
  ignore?: string | false;
}

export function addReportCommand(program: Command): void {
  const command = program
    .command("report")
    .description("Report broken links with all their pages, redirects, orphan pages and other problems of a site.")
    .argument("<id>", CRAWL_HELP)
    .addOption(new Option("--format <format>", "the format of the report").choices(FORMATS).default("text"))
    .option("--out <file>", "write to this file instead of standard output")
    .option("--kind <kind>", "only findings of this kind, such as broken-link")
    .option("--against <crawl>", "compare with the report of this crawl, instead of the one before")
    .addOption(failOnOption())
    .addOption(ignoreOption())
    .addOption(noIgnoreOption());
  command.addHelpText(
    "after",
    `\nA crawl that was not analyzed yet, or not since it went on, is analyzed first. ${FAIL_ON_HELP}`,
  );
  whereOptions(command).action((id: string, flags: Flags) => withInstallation(flags, (at) => report(id, flags, at)));
}

async function report(given: string, flags: Flags, at: Installation): Promise<void> {
  const { client } = at;
  const crawl = await client.crawl(given);
  const { id } = crawl;
  const other = flags.against === undefined ? null : await client.crawl(flags.against);
  for (const each of [crawl, ...(other === null ? [] : [other])])
    if (!(await ensureReport(each, flags, at))) {
      process.exitCode = 1;
      return;
    }
  const beside = other === null ? {} : { against: other.id };
  // An unknown kind is refused before a file is begun.
  const query = flags.kind === undefined ? {} : { kind: flags.kind, limit: 1 };
  await sendIgnoreList(id, flags.ignore, client);
  const all = flags.ignore === false ? { ignore: false as const } : {};
  const findings = await client.findings(id, { ...query, ...beside, ...all });
  const { ignore: _, ...chosen } = flags;
  if (flags.format === "text") await writeSummary(id, findings, { ...chosen, ...beside, ...all }, at);
  else await writeFile(id, { ...chosen, ...beside, ...all }, at);
  failOn(flags.failOn, crawl, findings);
}

/** Analyzes a crawl that has no report of its last end. False if that ended without one. */
async function ensureReport(crawl: CrawlDetail, flags: Flags, at: Installation): Promise<boolean> {
  const { id, finishedAt } = crawl;
  const done = (await at.client.passes(id)).filter(({ kind, status }) => kind === "analyze" && status === "completed");
  // After `retry` or `resume`, a report would be of the crawl as it was before.
  if (done.some(({ startedAt }) => finishedAt === null || startedAt >= finishedAt)) return true;
  // Progress goes to standard error: standard output is the report.
  const { state, remote, token } = flags;
  const where = { state, ...(remote === undefined ? {} : { remote }), ...(token === undefined ? {} : { token }) };
  return (await analyze(id, at, { ...where, json: true })).status === "completed";
}

/** `ignore`: false for a report with what the site ignores. */
type Chosen = Omit<Flags, "ignore"> & { ignore?: false };

async function writeFile(
  id: string,
  { format, kind, against, out, ...all }: Chosen,
  { client }: Installation,
): Promise<void> {
  const output = out === undefined ? toStream(process.stdout) : toFile(out);
  const parts = async function* () {
    yield await client.reportFile(id, { format, kind, against, ...ignoreOf(all) });
  };
  const [file] = await output(parts(), new AbortController().signal);
  if (file !== undefined) console.error(`Wrote ${file}.`);
}

function ignoreOf({ ignore }: Pick<Chosen, "ignore">): { ignore?: false } {
  return ignore === undefined ? {} : { ignore };
}

async function writeSummary(id: string, findings: FindingsView, flags: Chosen, at: Installation): Promise<void> {
  const bytes = async function* () {
    for await (const line of summarizeReport(id, findings, flags, at.client))
      yield new TextEncoder().encode(`${printable(line)}\n`);
  };
  const parts = async function* () {
    yield bytes();
  };
  const output = flags.out === undefined ? toStream(process.stdout) : toFile(flags.out);
  const [file] = await output(parts(), new AbortController().signal);
  if (file !== undefined) console.error(`Wrote ${file}.`);
}
