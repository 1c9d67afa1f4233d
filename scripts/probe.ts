import { Command, CommanderError, InvalidArgumentError } from "commander"; // arguments and --help, as in src/cli
import { UserError } from "../src/cli/errors.ts";
import { type Measurements, measure, type ProbeRequest } from "./probe-measure.ts";
import { startProbeSites } from "./probe-sites.ts";

/** `npm run probe -- ADDRESS`: first measurements of an installation, through its public API. */

interface Flags {
  token?: string;
  fast: string[];
  silent: string[];
  timeout: number;
  delay: number;
}

/** The rows of the table: what, its value, and what it says. */
export function tableOf(found: Measurements, { fast, silent, timeoutMs }: ProbeRequest): [string, string, string][] {
  const { healthMs, ledgerMs, gatesMs, aloneMs, besideMs, besideShownMs } = found;
  const ms = (value: number) => `${Math.round(value)} ms`;
  const rows: [string, string, string][] = [
    ["request to the API", ms(healthMs), "the way there and back, and the Worker"],
    ["... with a read of D1", ms(ledgerMs), `one query takes about ${ms(Math.max(0, ledgerMs - healthMs))}`],
    [
      "... and of all gates",
      ms(gatesMs),
      `${fast.length} gates at once take about ${ms(Math.max(0, gatesMs - ledgerMs))}`,
    ],
    ["time to the first page", ms(found.firstPageMs), "start, queue, robots.txt, page: new hosts"],
    ["dry run of one URL", ms(found.dryRunMs), "start, queue, gate, commit, and one look at the end"],
    [`${fast.length} pages on ${fast.length} hosts`, ms(aloneMs), "until the last of them has come"],
  ];
  if (besideMs !== null && besideShownMs !== null) {
    const ratio = besideMs / aloneMs;
    rows.push(
      [`... beside ${silent.length} silent hosts`, ms(besideMs), `their timeout is ${ms(timeoutMs)}`],
      ["... shown as stored", ms(besideShownMs), "by then their batches were committed"],
      ["ratio, beside to alone", `x ${ratio.toFixed(1)}`, judge(ratio, besideMs, timeoutMs)],
    );
  }
  rows.push(
    [`rate of ${found.pages} pages`, `${found.pagesPerSecond.toFixed(1)}/s`, "the delay of each host limits it"],
    ["URLs per batch", found.urlsPerBatch.toFixed(1), "25 at the most; full batches cost less"],
    ["cost", `${found.usdPerMillionPages.toFixed(2)} USD`, "a million such pages, by the usage that it counts"],
  );
  return rows;
}

/** Whether silent hosts hold up the others. */
function judge(ratio: number, besideMs: number, timeoutMs: number): string {
  if (ratio < 1.5) return "silent hosts hold up nobody";
  return besideMs < timeoutMs
    ? "silent hosts slow the others down, by less than their timeout"
    : "fast pages waited for silent ones: invocations of one batch may share six connections";
}

export async function probe(address: string, flags: Flags, say: (line: string) => void): Promise<void> {
  const token = flags.token ?? process.env.ORBWEAVER_TOKEN;
  if (!token) throw new UserError("The probe needs the token: --token T, or ORBWEAVER_TOKEN in the environment.", 2);
  if (!URL.canParse(address)) throw new UserError(`${address} is not a URL.`, 2);
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(new URL(address).hostname);
  if (!isLocal && flags.fast.length === 0) {
    throw new UserError(
      "A deployed Orbweaver cannot reach sites on this machine. Name pages that it may crawl, each on another host: --fast URL URL ..., and --silent URL URL ... for pages that answer late or never.",
      2,
    );
  }
  const sites = flags.fast.length === 0 ? await startProbeSites() : null;
  try {
    const { fast, silent } = sites ?? flags;
    const request = { address, token, fast, silent, timeoutMs: flags.timeout * 1_000, minDelayMs: flags.delay * 1_000 };
    const rows = tableOf(await measure(request, say), request);
    const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length));
    say("");
    for (const [what, value, meaning] of rows) {
      say(`${what.padEnd(width(0))}  ${value.padStart(width(1))}  ${meaning}`);
    }
    if (isLocal)
      say("\nOn this machine: six connections, the latency of D1 and that of the queue are not those of Cloudflare.");
  } finally {
    sites?.close();
  }
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError("It is a number of seconds.");
  return value;
}

async function main(): Promise<void> {
  const program = new Command("probe")
    .description("Measures what only a running installation can show, and deletes its crawls again.")
    .argument("<address>", "the address of the installation, such as https://orbweaver.NAME.workers.dev")
    .option("--token <token>", "the token of the installation (default: ORBWEAVER_TOKEN)")
    .option("--fast <urls...>", "pages that answer quickly, each on another host (default: sites on this machine)", [])
    .option("--silent <urls...>", "pages that answer late or never, each on another host", [])
    .option("--timeout <seconds>", "the timeout of a page", seconds, 10)
    .option("--delay <seconds>", "the delay between two requests to a host", seconds, 1)
    .showHelpAfterError("Add --help to see what it takes.")
    .exitOverride()
    .parse();
  await probe(program.args[0] ?? "", program.opts<Flags>(), (line) => console.log(line));
}

/** Exits with 0 if everything was measured, 1 if not, and 2 if the arguments are wrong. */
if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else {
      console.error(error instanceof UserError ? error.message : error);
      process.exitCode = error instanceof UserError ? error.exitCode : 1;
    }
  }
}
