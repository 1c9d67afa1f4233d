import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { ChangeView, CrawlDetail } from "../../api/views.ts";
import { minuteOf } from "../../core/shown-values.ts";
import { LATEST } from "../../crawl/crawl-id.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";
import { RefusedRequest, UserError } from "../errors.ts";
import { BRIEF_WATCH, briefHelp } from "../flags/brief-help.ts";
import { crawlOptions, toRequest, toWebhook } from "../flags/crawl-flags.ts";
import { explainFields } from "../flags/fields-file.ts";
import { type InsecureFlags, insecureHosts, insecureOption } from "../flags/insecure-hosts.ts";
import { cookieFileOption, type SessionFlags, sessionOfCrawl } from "../flags/session-flags.ts";
import { commaList, since, whereOptions } from "../flags/shared-options.ts";
import { type Installation, outlasting, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { browserOfMachine } from "../machine/find-browser.ts";
import { finishNotices, note } from "../output/finish.ts";
import { follow, listenForStop } from "../output/follow.ts";
import { commandAt } from "../output/go-on.ts";
import { quietProgress, showProgress } from "../output/progress.ts";
import { describe } from "../output/summary.ts";
import { printable } from "../output/terminal-text.ts";
import { browserFor, checkBrowser, describeWebhook, pauseOthers } from "./crawl-command.ts";
import {
  completeList,
  describeReach,
  flagsOfList,
  type ListFlags,
  listOption,
  readSeeds,
  requireSeeds,
  startGiven,
} from "./crawl-list.ts";
import { findWatchOf } from "./find-watch.ts";
import { findGuestHosts } from "./own-command.ts";

/** `orbweaver watch` and `orbweaver changes`: crawls that stay, and what changed. */

const WATCH_POLL_MS = 2_000;

type Watch = NonNullable<CrawlDetail["options"]["watch"]>;

interface WatchFlags extends ListFlags, WhereOptions, InsecureFlags, SessionFlags {
  /** False removes the rules that the watch has. */
  ignore: boolean;
  keep?: number | "all";
  again?: boolean;
  now?: boolean;
  json?: boolean;
}

interface ChangesFlags extends WhereOptions {
  since?: string;
  kind?: string[];
  follow?: boolean;
  json?: boolean;
}

/** Crawl ids are UUIDs: a URL that has only such characters, or is `latest`, would have no host with a dot. */
function isId(value: string): boolean {
  return value === LATEST || /^[0-9a-f-]{4,36}$/i.test(value);
}

export function addWatchCommands(program: Command): void {
  const command = program
    .command("watch")
    .description(
      "Crawl a site, stay with it, and tell what changes. Ctrl-C stops; the same command with the id goes on.",
    )
    .argument("[url...]", "the seeds of a new watch, or the id of a crawl")
    .option("--no-ignore", "remove the ignore rules that the watch has; those that are given beside it replace them")
    .option("--again", "start another watch of the same seeds, beside the one that there is")
    .option("--now", "of a watch: visit all of its pages at once, as fast as their hosts allow")
    .option("--json", "print each change as a line of JSON");
  briefHelp(command, BRIEF_WATCH);
  whereOptions(insecureOption(cookieFileOption(listOption(crawlOptions(command, "watch"))))).action(
    async (given: string[], flags: WatchFlags) => {
      requireSeeds(command, given, flags);
      if (flags.now && !(given.length === 1 && isId(given[0] ?? "")))
        throw new UserError("--now is for a watch that there is: give its id. A new one begins at once.", 2);
      if (flags.urls !== undefined && given.some(isId))
        throw new UserError("A watch keeps the seeds that it has: --urls is for a new one.", 2);
      await withInstallation(
        flags,
        async (at) => {
          checkBrowser(at, flags);
          const id = await openWatch(given, flags, at);
          await attend(id, at, flags);
        },
        // A watch that goes on may have a session, or pages that are drawn.
        { ...browserFor(flags), ...(given.some(isId) ? browserOfMachine() : {}), ...insecureHosts(flags) },
      );
    },
  );

  whereOptions(
    program
      .command("changes")
      .description("Print what a watch noticed after its first crawl, the oldest change first.")
      .argument("<id>", "the watch")
      .option("--since <when>", "only changes from then on: 2026-11-21, yesterday, 7d, or after a cursor", since)
      .option("--kind <list>", "only these kinds: added, changed, moved, removed, restored", commaList)
      .option("--follow", "wait for further changes, until Ctrl-C")
      .option("--json", "print each change as a line of JSON"),
  ).action(async (id: string, flags: ChangesFlags) => {
    await withInstallation(flags, async (at) => {
      const stop = listenForStop();
      try {
        const { cursor, told } = await printChanges(id, at, flags, flags.since);
        const lasting = outlasting(at, flags, stop.signal);
        if (flags.follow) await followChanges(id, lasting, flags, cursor, stop.signal);
        else if (told === 0 && !flags.json) console.log("No changes.");
      } finally {
        stop.end();
      }
    });
  });
}

/** Starts a watch, or makes the crawl one that is named. Returns its id. */
async function openWatch(given: string[], flags: WatchFlags, at: Installation): Promise<string> {
  const [first = ""] = given;
  const { default: everyS } = OPTIONS["watch.everyS"];
  const seeds = await readSeeds(given, flags);
  if (seeds !== null) await completeList(seeds, toRequest(given, flags), at, flags);
  const chosen = seeds === null ? flags : flagsOfList(flags, seeds);
  const { watch: asked = {}, ...request } = toRequest(given, chosen, "watch") as {
    watch?: Partial<Watch>;
    urls: string[];
  };
  if (seeds !== null || given.length > 1 || !isId(first)) {
    const urls = seeds?.list.seeds.map(({ url }) => url) ?? request.urls;
    if (!flags.again) await refuseSecond(urls, flags, at);
    await pauseOthers(at, null, flags);
    const session = await sessionOfCrawl(urls, flags, at.client, (line) => note(flags, line));
    const whole = { ...request, ...session, watch: { everyS, ...asked } };
    const starting = seeds === null ? at.client.start(whole) : startGiven(whole, seeds, at, flags);
    const { id, webhookSecret } = await starting.catch(explainFields(flags.fields));
    note(flags, `Watch ${id} started.${seeds === null ? "" : describeReach(seeds, flags)}`);
    for (const line of describeWebhook(webhookSecret, flags)) note(flags, line);
    for (const line of await findGuestHosts(urls, flags, at.client)) note(flags, line);
    return id;
  }
  const crawl = await at.client.crawl(first);
  const { watch } = crawl.options;
  if (watch === null || Object.keys(asked).length > 0 || flags.keep === "all" || !flags.ignore) {
    // What is not named stays as it is.
    const ignore = { ...(flags.ignore ? watch?.ignore : {}), ...asked.ignore };
    const keepDays = flags.keep === "all" ? undefined : (asked.keepDays ?? watch?.keepDays);
    await at.client.watch(crawl.id, { everyS, ...watch, ...asked, ignore, keepDays });
  }
  await addWebhook(crawl.id, flags, at);
  const isOpen = crawl.status === "paused" || crawl.status === "running";
  // The messages of an earlier process on this machine are lost.
  if (isOpen || (at.isOwn && crawl.status === "watching")) await at.client.act(crawl.id, "resume");
  if (flags.now) {
    await at.client.visitAll(crawl.id);
    note(flags, "All pages are visited now, as fast as their hosts allow.");
  }
  return crawl.id;
}

/**
 * Throws UserError if there is a watch of these seeds: a second one would ask their hosts twice, and tell all twice.
 */
async function refuseSecond(urls: readonly string[], flags: WatchFlags, { client }: Installation): Promise<void> {
  const known = await findWatchOf(urls, client);
  if (known === undefined) return;
  throw new UserError(
    [
      `There is a watch of ${urls.length === 1 ? urls[0] : "these seeds"} already, ${known.id}, which is ${known.status}.`,
      `To go on with it: ${commandAt(`watch ${known.id}`, flags)}`,
      `To change it, name what is to be other too, such as: ${commandAt(`watch ${known.id} --every 1d`, flags)}`,
      "To start a second one on purpose, give --again.",
    ].join("\n"),
  );
}

/**
 * Adds the webhook that the flags ask for. One with its URL is there already where the same command goes on: it gets
 * what the flags name.
 */
async function addWebhook(id: string, flags: WatchFlags, { client }: Installation): Promise<void> {
  const order = toWebhook(flags);
  if (order === undefined) return;
  const { href } = URL.parse(order.url) ?? { href: order.url };
  const known = (await client.webhooks(id)).find(({ url }) => url === href);
  if (known !== undefined) {
    const { url: _, secret: __, ...changes } = order;
    if (Object.keys(changes).length > 0) await client.changeWebhook(id, known.id, changes);
    return;
  }
  const { secret } = await client.addWebhook(id, order);
  for (const line of describeWebhook(secret, flags)) note(flags, line);
}

/** Follows the first crawl to its end, then prints changes until Ctrl-C. */
async function attend(id: string, given: Installation, flags: WatchFlags): Promise<void> {
  const stop = listenForStop();
  const at = outlasting(given, flags, stop.signal);
  try {
    const progress = flags.json ? quietProgress(process.stderr) : await showProgress(process.stderr);
    const { crawl } = await follow(id, at, progress, stop.signal, flags);
    if (crawl.status !== "watching") {
      for (const line of await describe(crawl, at)) note(flags, printable(line));
      note(flags, `Go on with: ${commandAt(`watch ${id}`, flags)}`);
      if (at.local) await finishNotices(id, at, flags);
      return;
    }
    for (const line of await describeWatch(crawl, at, flags)) note(flags, printable(line));
    await followChanges(id, at, flags, String(crawl.watching?.changes ?? 0), stop.signal);
    if (at.local) {
      note(flags, `Stopped; nothing is lost. Go on with: ${commandAt(`watch ${id}`, flags)}`);
      await finishNotices(id, at, flags);
    } else note(flags, `The watch goes on without this command. Its changes: ${commandAt(`changes ${id}`, flags)}`);
  } finally {
    stop.end();
  }
}

async function describeWatch(crawl: CrawlDetail, at: Installation, flags: WatchFlags): Promise<string[]> {
  const lines = await describe(crawl, at);
  const goesOn = at.local ? ", as long as some command works in this state folder" : "";
  lines.push(
    `Its pages are visited again${goesOn}. Changes, also of earlier days: ${commandAt(`changes ${crawl.id}`, flags)}`,
  );
  return lines;
}

async function followChanges(
  id: string,
  at: Installation,
  flags: Pick<ChangesFlags, "json" | "kind">,
  since: string,
  stop: AbortSignal,
): Promise<void> {
  for (let cursor: string | undefined = since; !stop.aborted; ) {
    ({ cursor } = await printChanges(id, at, flags, cursor).catch(goOnFromOldest));
    await sleep(WATCH_POLL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Who was away for longer than changes are kept goes on with those that are. They are later ones. */
function goOnFromOldest(error: unknown): { cursor: undefined } {
  if (!(error instanceof RefusedRequest) || error.status !== 410) throw error;
  console.error(printable(error.message));
  return { cursor: undefined };
}

/**
 * Prints all changes that there are now. `since`: undefined for those that are kept. Returns the cursor of the next
 * ones.
 */
async function printChanges(
  id: string,
  { client }: Installation,
  flags: Pick<ChangesFlags, "json" | "kind">,
  since: string | undefined,
): Promise<{ cursor: string; told: number }> {
  let told = 0;
  for (let from = since; ; ) {
    const { changes, cursor, hasMore } = await client.changes(id, { since: from, kind: flags.kind });
    for (const change of changes) console.log(flags.json ? JSON.stringify(change) : printable(lineOf(change)));
    told += changes.length;
    from = String(cursor);
    if (!hasMore) return { cursor: from, told };
  }
}

function lineOf({ at, kind, url, detail }: ChangeView): string {
  return `${minuteOf(at)}  ${kind.padEnd(8)}  ${url}${detail === null ? "" : `  ${detail}`}`;
}
