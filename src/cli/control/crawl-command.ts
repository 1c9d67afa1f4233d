import type { Command } from "commander";
import type { CrawlDetail, CrawlView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { LATEST } from "../../crawl/crawl-id.ts";
import { OPTIONS } from "../../crawl/options/option-table.ts";
import { UserError } from "../errors.ts";
import { BRIEF_CRAWL, briefHelp } from "../flags/brief-help.ts";
import { amendOptions, type CrawlFlags, crawlOptions, toAmended, toRequest } from "../flags/crawl-flags.ts";
import { explainFields } from "../flags/fields-file.ts";
import { type InsecureFlags, insecureHosts, insecureOption } from "../flags/insecure-hosts.ts";
import { cookieFileOption, type SessionFlags, sessionOfCrawl } from "../flags/session-flags.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { type Installation, withInstallation } from "../installation/installation.ts";
import { pauseInterrupted } from "../installation/pause-interrupted.ts";
import { checkExpected } from "../lists/expected-redirects.ts";
import { browserOfMachine, HOW_TO_GET } from "../machine/find-browser.ts";
import { finish, note, type OutputFlags, outputOptions, prepareOutput } from "../output/finish.ts";
import { extractAfterwards } from "../output/follow-extraction.ts";
import { commandAt } from "../output/go-on.ts";
import { readOwner } from "../output/out-folder.ts";
import { pagesOf } from "../output/terminal-text.ts";
import { CHECK_EXTERNAL } from "../queries/analyze-command.ts";
import { hasEnded, judgeCrawl } from "../queries/judge-crawl.ts";
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
import { findGuestHosts } from "./own-command.ts";
import { describeSecret } from "./webhooks-command.ts";

/** `orbweaver crawl` and `orbweaver resume`: start or resume a crawl, follow it to its end, write its pages. */

interface StartFlags extends ListFlags, InsecureFlags, SessionFlags {
  assets?: boolean;
  faithful?: boolean;
  analyze?: boolean;
  checkExternal?: boolean;
}

/** Says where notices go, and the secret of a new webhook unless the user chose it. */
export function describeWebhook(secret: string | undefined, { webhook, webhookSecret }: CrawlFlags): string[] {
  if (secret === undefined || webhookSecret !== undefined) return [];
  return [`Webhook: notices are sent to ${webhook}. ${describeSecret(secret)}`];
}

const PRIVATE_HOSTS = `
On this machine a crawl may reach the private hosts that are its seeds, and with
ALLOW_PRIVATE=true in the environment all others. A deployed Orbweaver refuses.`;

/** What `--faithful` stands for. Pages that nobody draws have no picture. */
function faithful({ render }: CrawlFlags): Partial<StartFlags> {
  return { assets: true, render: "auto", ...(render === "never" ? {} : { screenshot: true }) };
}

export function addCrawlCommand(program: Command): void {
  const command = program
    .command("crawl")
    .description("Crawl from one or more seed URLs until no URL is left or a limit is reached.")
    .argument("[url...]", "the seeds");
  briefHelp(command, BRIEF_CRAWL, { note: PRIVATE_HOSTS });
  crawlOptions(command, "crawl").option(
    "--faithful",
    "keep the site as people saw it: --assets, --render auto and --screenshot, unless you say otherwise",
  );
  cookieFileOption(listOption(command))
    .option(
      "--expect <file>",
      "check where URLs lead: a line has a URL, the URL to which it should redirect, and a status if that matters. Exits with 1 if one differs",
    )
    .option("--analyze", "read the links of all pages at the end, and rank the pages, as `analyze` does")
    .option("--check-external", `with --analyze, which it implies: ${CHECK_EXTERNAL}`);
  whereOptions(insecureOption(outputOptions(command))).action(
    async (urls: string[], given: StartFlags & OutputFlags) => {
      requireSeeds(command, urls, given);
      const seeds = await readSeeds(urls, given);
      const chosen = given.faithful ? { ...faithful(given), ...given } : given;
      const flags = seeds === null ? chosen : flagsOfList(chosen, seeds);
      // Offline, a page needs its assets.
      const requestOf = (own: StartFlags) => toRequest(urls, { ...own, assets: own.assets ?? own.browsable }, "crawl");
      const request = requestOf(flags);
      const unchecked = insecureHosts(flags);
      await prepareOutput(flags, null);
      await withInstallation(
        flags,
        async (at) => {
          for (const warning of at.warnings) note(flags, warning);
          checkBrowser(at, flags);
          await pauseOthers(at, null, flags);
          if (seeds !== null) await completeList(seeds, request, at, flags);
          const hosts = seeds?.list.seeds.map(({ url }) => url) ?? urls;
          const planned = seeds === null ? request : requestOf(flagsOfList(chosen, seeds));
          const whole = { ...planned, ...(await sessionOfCrawl(hosts, flags, at.client, (line) => note(flags, line))) };
          const starting = seeds === null ? at.client.start(whole) : startGiven(whole, seeds, at, flags);
          const { id, webhookSecret } = await starting.catch(explainFields(flags.fields));
          for (const line of describeWebhook(webhookSecret, flags)) note(flags, line);
          for (const line of await findGuestHosts(hosts, flags, at.client)) note(flags, line);
          const notice =
            seeds !== null
              ? describeReach(seeds, given)
              : flags.limit === undefined
                ? ` It stops at ${count(OPTIONS.limit.suggested)} pages; --limit N changes that.`
                : "";
          const expected = seeds?.expected ?? null;
          const check =
            expected === null ? undefined : (crawl: CrawlDetail) => checkExpected(crawl, expected, at.client);
          const opening = `Crawl ${id} started.${notice}`;
          const crawl = await finish(id, at, flags, { opening, check, afterwards: extractAfterwards(at, flags) });
          await judgeCrawl(crawl, at, flags);
        },
        { ...browserFor(flags), ...unchecked },
      );
    },
  );
}

/**
 * The browser of this machine, if the crawl needs one, or its session may have to log in. Throws UserError if it cannot
 * do without. An installation elsewhere has its own.
 */
export function browserFor(flags: CrawlFlags & OutputFlags & SessionFlags): { browser?: string } {
  if (flags.remote !== undefined) return {};
  if (flags.render === undefined || flags.render === "never")
    return flags.session === undefined ? {} : browserOfMachine();
  const found = browserOfMachine();
  if (found.browser === undefined && flags.render === "always")
    throw new UserError(`--render always needs a browser, and none was found. ${HOW_TO_GET}`);
  if (found.browser === undefined) note(flags, `No browser was found, so pages are read as they come. ${HOW_TO_GET}`);
  return found;
}

/** A process of another command may have no browser. Throws UserError if the crawl cannot do without. */
export function checkBrowser({ isOwn, hasBrowser }: Installation, flags: CrawlFlags & OutputFlags): void {
  if (isOwn || hasBrowser !== false || flags.render === undefined || flags.render === "never") return;
  const why = `another command works in ${flags.state}, and was started without one`;
  if (flags.render === "always")
    throw new UserError(
      `--render always needs a browser: ${why}. Wait for it, or choose another folder with --state DIR.`,
    );
  note(flags, `No browser: ${why}. Pages are read as they come.`);
}

export function addResumeCommand(program: Command): void {
  const command = program
    .command("resume")
    .description("Resume an interrupted crawl (default: the newest one). With --out, write the folder of any crawl.")
    .argument("[id]", "the crawl");
  type Flags = OutputFlags & CrawlFlags & InsecureFlags;
  whereOptions(insecureOption(outputOptions(amendOptions(command)))).action(
    async (givenId: string | undefined, flags: Flags) => {
      await withInstallation(
        flags,
        async (at) => {
          const named = givenId ?? (await findCrawlIn(flags.out));
          if (named !== null && named !== LATEST) await prepareOutput(flags, named);
          const { id } = named === null ? await findNewestOpen(at) : await at.client.crawl(named);
          if (named === null || named === LATEST) await prepareOutput(flags, id);
          await pauseOthers(at, id, flags);
          const limits = toAmended(flags);
          if (Object.values(limits).some((value) => value !== undefined)) await at.client.patch(id, limits);
          // An ended crawl has nothing to resume, but its folder can be written again.
          if (flags.out !== undefined && hasEnded(await at.client.crawl(id)))
            return judgeCrawl(await finish(id, at, flags), at, flags);
          const crawl = await at.client.act(id, "resume");
          const queued = plural(crawl.counts.queued, "URL");
          const done = plural(pagesOf(crawl), "page");
          const opening = `Crawl ${id} resumed: ${done} completed, ${queued} queued.`;
          const afterwards = extractAfterwards(at, flags);
          await judgeCrawl(await finish(id, at, flags, { opening, afterwards }), at, flags);
        },
        { ...browserOfMachine(), ...insecureHosts(flags) },
      );
    },
  );
}

/** Says which crawls were interrupted, and how to go on with them. */
export async function pauseOthers(at: Installation, except: string | null, flags: OutputFlags): Promise<void> {
  for (const id of await pauseInterrupted(at, except)) {
    const command = commandAt(`resume ${id}`, { state: flags.state });
    note(flags, `Crawl ${id} was interrupted before, and is paused. Resume it with: ${command}`);
  }
}

/** The crawl that the folder of `--out` belongs to; null if it belongs to none. */
async function findCrawlIn(out: string | undefined): Promise<string | null> {
  return out === undefined ? null : readOwner(out);
}

async function findNewestOpen({ client }: Installation): Promise<CrawlView> {
  const open = (await client.crawls()).find(
    ({ status, purpose }) => purpose !== "import" && (status === "running" || status === "paused"),
  );
  if (open === undefined) throw new UserError("There is no crawl to resume. `orbweaver list` shows all crawls.");
  return open;
}
