import type { Command } from "commander";
import { count, plural } from "../../core/shown-values.ts";
import { listDefaults } from "../../crawl/lists/list-defaults.ts";
import { pageOf } from "../../crawl/lists/page-url.ts";
import { type StartedList, startList } from "../../crawl/lists/send-list.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import type { CrawlFlags } from "../flags/crawl-flags.ts";
import { collect } from "../flags/shared-options.ts";
import type { Installation } from "../installation/installation.ts";
import { fetchSitemaps } from "../lists/fetch-sitemaps.ts";
import { describeInvalid, describeList, openLists, type UrlList } from "../lists/open-list.ts";
import { openRedirectMap, type RedirectMap } from "../lists/redirect-map.ts";
import { note, type OutputFlags } from "../output/finish.ts";
import { listenForStop } from "../output/follow.ts";
import { showCount } from "../output/show-count.ts";

/** The seeds of a crawl that come from files: `--urls` and `--expect`. */

export interface ListFlags extends CrawlFlags {
  urls?: string[];
  expect?: string;
  depth?: number;
  source?: string;
}

/** `--urls`, for a command that makes crawls. */
export function listOption(command: Command): Command {
  return command.option(
    "--urls <file>",
    "take the seeds from this file, or from standard input with -: lines, CSV, JSON Lines or a sitemap; or the URL of a sitemap; may be repeated. Implies --depth 0, and a page limit for all of them",
    collect,
  );
}

/** Ends the command with its usage if it has no seeds at all. */
export function requireSeeds(command: Command, urls: readonly string[], flags: ListFlags): void {
  if (urls.length === 0 && flags.urls === undefined && flags.expect === undefined)
    command.error("error: missing required argument 'url': give seeds, or a list of them with --urls FILE");
}

export interface GivenSeeds {
  list: UrlList;
  /** Null without `--expect`. */
  expected: RedirectMap | null;
}

/** Null if all seeds are arguments. Throws UserError. */
export async function readSeeds(args: readonly string[], { urls = [], expect }: ListFlags): Promise<GivenSeeds | null> {
  if (urls.length === 0 && expect === undefined) return null;
  if (expect === "-" && urls.includes("-"))
    throw new UserError("Standard input can be read only once: give --urls or --expect a file.", 2);
  const expected = expect === undefined ? null : await openRedirectMap(expect);
  const list = urls.length === 0 ? emptyList(expected?.name ?? "") : await openLists(urls);
  const known = new Set(list.seeds.map(({ url }) => url));
  const add = (url: string, place: string) => {
    if (known.has(url)) return;
    known.add(url);
    list.seeds.push({ url, place });
  };
  for (const arg of args) add(pageOf(withScheme(arg)) ?? withScheme(arg), "argument");
  // Where they should lead is asked too, whatever rules the redirects to it.
  for (const { from, to, place } of expected?.expectations ?? []) {
    add(from, place);
    if (to !== null) add(to, place);
  }
  if (list.seeds.length + list.sitemaps.length === 0) {
    const invalid = [...list.invalid, ...(expected?.invalid ?? [])];
    throw new UserError(
      [
        `${urls.length > 0 ? "--urls" : "--expect"}: ${list.name} has no URL that can be crawled.`,
        ...describeInvalid(invalid),
      ].join("\n"),
      2,
    );
  }
  return { list, expected };
}

function emptyList(name: string): UrlList {
  return { name, seeds: [], invalid: [], duplicates: 0, sitemaps: [] };
}

/** The flags of the crawl with those that the list implies. `--expect`: a redirect may end anywhere. */
export function flagsOfList<T extends ListFlags>(flags: T, { list, expected }: GivenSeeds): T {
  const depth = flags.depth ?? 0;
  if (flags.belowSeeds)
    throw new UserError("--below-seeds needs seeds that bound a site, and not a list: give --include.", 2);
  const pages = expected === null ? list.seeds.length : 2 * list.seeds.length;
  return { ...flags, ...listDefaults(pages, { ...flags, depth }) };
}

/** Fetches the sitemaps of the list, if it has any, and adds their pages. Throws UserError. */
export async function completeList(
  { list }: GivenSeeds,
  request: Record<string, unknown>,
  at: Installation,
  flags: ListFlags & OutputFlags,
): Promise<void> {
  await fetchSitemaps(list, request, at, flags, (line) => note(flags, line));
}

/** Says what the list has, sends it, and starts the crawl. */
export async function startGiven(
  request: Record<string, unknown>,
  { list, expected }: GivenSeeds,
  { client }: Pick<Installation, "client">,
  flags: ListFlags & OutputFlags,
): Promise<StartedList> {
  if (flags.urls !== undefined) for (const line of describeList(list)) note(flags, line);
  if (expected !== null) for (const line of describeMap(expected)) note(flags, line);
  const progress = showCount(process.stderr, flags.json ?? false);
  const tell = (sent: number) => progress.update(`${count(sent)} of ${plural(list.seeds.length, "URL")} sent`);
  const stop = listenForStop();
  try {
    const started = await startList(request, list.seeds, client, { tell, stop: stop.signal });
    for (const line of describeInvalid(started.refused)) note(flags, line);
    return started;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new UserError("Stopped before the crawl started. The same command goes on with sending the list.");
  } finally {
    progress.end();
    stop.end();
  }
}

function describeMap({ name, expectations, invalid, duplicates }: RedirectMap): string[] {
  const again = duplicates === 0 ? "" : `, and ${count(duplicates)} that say the same again`;
  return [`${name}: ${plural(expectations.length, "expectation")}${again}.`, ...describeInvalid(invalid)];
}

/** How far the crawl goes, for people. */
export function describeReach({ list }: GivenSeeds, given: ListFlags): string {
  const seeds = list.seeds.length;
  const reach =
    given.depth === undefined
      ? " It crawls these pages alone; --depth N follows their links."
      : given.depth > 0
        ? ` It follows their links to depth ${given.depth}.`
        : "";
  const cut =
    given.limit !== undefined && given.limit < seeds
      ? ` --limit ${given.limit} leaves out ${count(seeds - given.limit)} of ${plural(seeds, "URL")} or more.`
      : "";
  return reach + cut;
}
