import { formatInterval } from "../../core/interval.ts";
import { count } from "../../core/shown-values.ts";
import type { ImportSource } from "../import/import-parts.ts";
import { type ImportedWatch, importWatches, untilVisited } from "../import/import-watches.ts";
import type { Installation, WhereOptions } from "../installation/installation.ts";
import { note } from "../output/finish.ts";
import { listenForStop } from "../output/follow.ts";
import { commandAt } from "../output/go-on.ts";
import { showCount } from "../output/show-count.ts";
import { printable } from "../output/terminal-text.ts";

/** `orbweaver import` with a list of watches: says what becomes of each. */

export interface ImportFlags extends WhereOptions {
  json?: boolean;
  dryRun?: boolean;
  every?: number;
}

/** Makes watches of those of another tool. */
export async function importList({ watches }: ImportSource, at: Installation, flags: ImportFlags): Promise<void> {
  const { json = false, dryRun = false, every } = flags;
  const stop = listenForStop();
  const progress = showCount(process.stderr, json);
  try {
    const tell = (done: number) => progress.update(`${count(done)} of ${watchesOf(watches.length)} imported`);
    const made = await importWatches(watches, at, { make: !dryRun, everyS: every, stop: stop.signal, tell });
    progress.end();
    if (json) console.log(JSON.stringify(made));
    else for (const line of describeWatches(made, watches.length, flags)) console.log(printable(line));
    const ids = made.flatMap(({ id }) => id ?? []);
    if (at.local && ids.length > 0) {
      note(flags, "The pages are visited for the first time. Ctrl-C stops waiting.");
      await untilVisited(ids, at, stop.signal);
      note(flags, `On this machine they are visited again while this runs: ${commandAt("serve", flags)}`);
    }
    if (made.length < watches.length) process.exitCode = 1;
  } finally {
    progress.end();
    stop.end();
  }
}

function describeWatches(
  made: readonly ImportedWatch[],
  all: number,
  { dryRun = false, ...place }: ImportFlags,
): string[] {
  const lines = made.flatMap(({ url, everyS, id, lacks, problem }) => [
    problem === null
      ? `${url}: ${id === null ? "" : `watch ${id}, `}every ${formatInterval(everyS)}`
      : `${url}: left out, because ${problem}`,
    ...lacks.map((lack) => `    not here: ${lack}`),
  ]);
  const taken = made.filter(({ problem }) => problem === null).length;
  const done = dryRun ? "would be made" : "made";
  const rest = all - made.length;
  return [
    ...lines,
    `${watchesOf(taken)} ${done}, ${count(made.length - taken)} left out. Titles and tags have no place here.`,
    ...(rest > 0 ? [`Stopped before ${count(rest)} of them. The same command goes on.`] : []),
    ...(dryRun || taken === 0 ? [] : [`What changes: ${commandAt("changes ID --follow", place)}`]),
  ];
}

function watchesOf(number: number): string {
  return `${count(number)} ${number === 1 ? "watch" : "watches"}`;
}
