import type { Command } from "commander";
import { plural, state } from "../../core/shown-values.ts";
import { LATEST } from "../../crawl/crawl-id.ts";
import { CRAWL_HELP, natural, whereOptions } from "../flags/shared-options.ts";
import { withInstallation } from "../installation/installation.ts";
import { browserOfMachine } from "../machine/find-browser.ts";
import { finish, note, type OutputFlags, outputOptions, prepareOutput } from "../output/finish.ts";
import { extractAfterwards } from "../output/follow-extraction.ts";
import { judgeCrawl } from "../queries/judge-crawl.ts";
import { pauseOthers } from "./crawl-command.ts";

/** `orbweaver retry`: fetches failed URLs again, and follows the crawl to its end like `resume`. */

interface Flags extends OutputFlags {
  status?: string;
  reason?: string;
  limit?: number;
}

export function addRetryCommand(program: Command): void {
  const command = program
    .command("retry")
    .description("Fetch the failed URLs of a crawl again, even if the crawl has ended.")
    .argument("<id>", CRAWL_HELP)
    .option("--status <status>", "errored, skipped, disallowed or cancelled URLs (default: errored)")
    .option("--reason <reason>", "only URLs with this reason, such as timeout or limit")
    .option("--limit <n>", "change the page limit to N completed pages", natural(1));
  whereOptions(outputOptions(command)).action(async (given: string, flags: Flags) => {
    if (given !== LATEST) await prepareOutput(flags, given);
    await withInstallation(
      flags,
      async (at) => {
        const { id } = await at.client.crawl(given);
        if (given === LATEST) await prepareOutput(flags, id);
        await pauseOthers(at, id, flags);
        const { status, reason, limit } = flags;
        const { retried, crawl } = await at.client.retry(id, { status, reason, limit });
        if (retried === 0) return note(flags, `Crawl ${id} has no such URLs to retry. It is ${state(crawl.status)}.`);
        const opening = `Crawl ${id} retries ${plural(retried, "URL")}.`;
        if (crawl.status === "running")
          return judgeCrawl(
            await finish(id, at, flags, { opening, afterwards: extractAfterwards(at, flags) }),
            at,
            flags,
          );
        // A paused crawl stays paused until `resume`.
        note(flags, opening);
        note(flags, `It is ${state(crawl.status)}.`);
      },
      browserOfMachine(),
    );
  });
}
