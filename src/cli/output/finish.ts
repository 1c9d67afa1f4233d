import type { Command } from "commander";
import type { CrawlDetail } from "../../api/views.ts";
import { errorCode, UserError } from "../errors.ts";
import { type Failure, failOnOption } from "../flags/fail-on.ts";
import { type Installation, outlasting, type WhereOptions } from "../installation/installation.ts";
import { QUIET_COMMAND } from "../installation/package-root.ts";
import { describeFullDisk } from "../machine/disk.ts";
import { type Followed, follow, listenForStop } from "./follow.ts";
import { commandAt, describeLimit, locationFlags } from "./go-on.ts";
import { describeWritten, writeOut } from "./out.ts";
import { claimFolder, FolderTaken, prepareOut } from "./out-folder.ts";
import { quietProgress, showProgress } from "./progress.ts";
import { describe, EXHAUSTED, summarize } from "./summary.ts";
import { pagesOf, printable } from "./terminal-text.ts";
import { describeUndelivered, waitForNotices } from "./wait-for-notices.ts";

/** The end of every command that follows a crawl: its progress, its summary, its folder, and how to go on. */

/** What a command finds out about a crawl at its end: lines for people, and facts beside the summary in JSON. */
export type Check = (crawl: CrawlDetail) => Promise<{ lines: string[]; facts: object }>;

export interface Finishing {
  opening?: string;
  check?: Check | undefined;
  afterwards?: (crawl: CrawlDetail) => Promise<void>;
}

export interface OutputFlags extends WhereOptions {
  out?: string;
  browsable?: boolean;
  json?: boolean;
  failOn?: Failure[];
}

export function outputOptions(command: Command): Command {
  return command
    .option("--out <dir>", "write records.jsonl and the pages to this folder")
    .option("--browsable", "with --out: write pages that open offline, with links to each other; implies --assets")
    .option("--json", "print only one JSON object, at the end, to standard output")
    .addOption(failOnOption());
}

/**
 * Checks `--out` before a crawl. `id`: the whole id of the crawl; null for a new crawl. Throws UserError.
 */
export async function prepareOutput(flags: OutputFlags, id: string | null): Promise<void> {
  if (flags.out !== undefined) await prepareOut({ dir: flags.out, where: flags }, id);
  else if (flags.browsable) throw new UserError("--browsable needs a folder: --out DIR.", 2);
}

/**
 * Follows a crawl to its end, and writes its folder. If something breaks, the error says how to go on. `opening` is
 * printed first; from then on Ctrl-C stops the crawl. `check`: looks at what came of it, and decides the exit code.
 * `afterwards`: what is done before the folder is written.
 * Returns the crawl as it was at its end.
 */
export async function finish(
  id: string,
  at: Installation,
  flags: OutputFlags,
  { opening, check, afterwards }: Finishing = {},
): Promise<CrawlDetail> {
  const followed = await followToEnd(id, at, flags, opening, check);
  const { crawl } = followed;
  await afterwards?.(crawl);
  if (flags.out !== undefined) await writeOutput(flags.out, crawl, at, flags);
  else if (hasMarkdown(crawl))
    note(flags, `The Markdown is stored with the crawl. Export it with: ${exportCommand(id, flags)}`);
  const limit = await describeLimit(crawl, at.client, flags);
  for (const line of limit) note(flags, line);
  if (followed.interrupted && limit.length === 0) note(flags, howToResume(followed, at, flags));
  if (at.local) await finishNotices(id, at, flags);
  const isDone = crawl.status === "completed" || crawl.status === EXHAUSTED;
  // Where each page was expected to be missing, none is completed.
  const isExpected = check !== undefined && crawl.status === "errored";
  if (!isDone && !isExpected) process.exitCode = 1;
  return crawl;
}

/** Notices are sent only while workerd runs, so those that are due are waited for. */
export async function finishNotices(id: string, { client }: Installation, flags: OutputFlags): Promise<void> {
  const deliveries = await waitForNotices(id, client);
  for (const line of describeUndelivered(id, deliveries, flags)) note(flags, printable(line));
}

/** Follows the crawl and prints its summary. */
async function followToEnd(
  id: string,
  at: Installation,
  flags: OutputFlags,
  opening?: string,
  check?: Check,
): Promise<Followed> {
  const stop = listenForStop();
  try {
    if (opening !== undefined) note(flags, opening);
    await claimOutput(id, at, flags);
    const progress = flags.json ? quietProgress(process.stderr) : await showProgress(process.stderr);
    const followed = await follow(id, outlasting(at, flags, stop.signal), progress, stop.signal, flags).finally(
      stop.end,
    );
    const { crawl } = followed;
    const checked = await check?.(crawl);
    if (flags.json) console.log(JSON.stringify({ ...summarize(crawl), ...checked?.facts }));
    else for (const line of [...(await describe(crawl, at)), ...(checked?.lines ?? [])]) console.log(printable(line));
    return followed;
  } catch (error) {
    if (!at.local || error instanceof FolderTaken) throw error;
    const why = await describeFailure(error, flags);
    throw new UserError(`${why}\nAll completed pages are stored. Resume with: ${commandAt(`resume ${id}`, flags)}`);
  } finally {
    stop.end();
  }
}

/** From now on the folder of `--out` belongs to the crawl. Another command may have claimed it since it was checked. */
async function claimOutput(id: string, { client }: Installation, flags: OutputFlags): Promise<void> {
  const { out } = flags;
  if (out === undefined) return;
  const { urls } = await client.crawl(id);
  await claimFolder({ dir: out, where: flags }, { id, urls }).catch((error) => refuse(error, id, flags));
}

/** The error says how the crawl is written to another folder. */
function refuse(error: unknown, id: string, flags: OutputFlags): never {
  if (!(error instanceof FolderTaken)) throw error;
  throw new FolderTaken(
    `${error.message}\nTo write crawl ${id} to another: ${commandAt(`resume ${id}`, { ...flags, out: "DIR" })}`,
  );
}

/** Writes the folder of `--out`. If something breaks, the error says how to write it again. */
async function writeOutput(
  dir: string,
  crawl: CrawlDetail,
  { client }: Installation,
  flags: OutputFlags,
): Promise<void> {
  const say = (line: string) => console.error(printable(line));
  const request = { dir, where: flags, browsable: flags.browsable ?? false, say };
  const written = await writeOut(crawl, client, request).catch(async (error) => {
    if (error instanceof FolderTaken) refuse(error, crawl.id, flags);
    const why = await describeFailure(error, flags);
    const again = `Write it again with: ${commandAt(`resume ${crawl.id}`, flags)}`;
    throw new UserError(`${why}\nThe folder ${dir} is not complete, but the crawl has all its pages. ${again}`);
  });
  note(flags, describeWritten(written, dir));
}

async function describeFailure(error: unknown, { state, out }: OutputFlags): Promise<string> {
  if (out !== undefined && errorCode(error) === "ENOSPC") return `The disk that ${out} is on is full.`;
  return (await describeFullDisk([state, out])) ?? (error instanceof Error ? error.message : String(error));
}

function hasMarkdown(crawl: CrawlDetail): boolean {
  return crawl.options.formats.includes("markdown") && pagesOf(crawl) > 0;
}

function exportCommand(id: string, flags: OutputFlags): string {
  return `${QUIET_COMMAND} export ${id} --format markdown${locationFlags(flags)}`;
}

function howToResume({ crawl }: Followed, { local }: Installation, flags: OutputFlags): string {
  if (local || crawl.status === "paused")
    return `Stopped; nothing is lost. Resume with: ${commandAt(`resume ${crawl.id}`, flags)}`;
  const { out: _, browsable: __, ...place } = flags;
  return `The crawl continues without this command. Its state: ${commandAt(`status ${crawl.id}`, place)}`;
}

/** Prints a line for people: to standard error under --json, so that standard output stays clean. */
export function note(flags: OutputFlags, line: string): void {
  if (flags.json) console.error(line);
  else console.log(line);
}
