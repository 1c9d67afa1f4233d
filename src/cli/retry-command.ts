import type { Command } from "commander";
import { finish, holdOthers, note, type OutputFlags, outputOptions } from "./crawl-command.ts";
import { withInstallation } from "./installation.ts";
import { prepareOut } from "./out.ts";
import { natural, whereOptions } from "./shared-options.ts";
import { plural, state } from "./terminal-text.ts";

/** `orbweaver retry`: takes up again what a crawl had given up, and follows it to its end as `resume` does. */

interface Flags extends OutputFlags {
  status?: string;
  reason?: string;
  limit?: number;
}

export function addRetryCommand(program: Command): void {
  const command = program
    .command("retry")
    .description("Try again what failed in a crawl, also in one that has ended.")
    .argument("<id>", "the crawl")
    .option("--status <status>", "errored (the default), skipped, disallowed or cancelled URLs")
    .option("--reason <reason>", "only URLs that ended for this reason, such as timeout or limit")
    .option("--limit <n>", "stop after N completed pages instead", natural(1));
  whereOptions(outputOptions(command)).action(async (id: string, flags: Flags) => {
    if (flags.out !== undefined) await prepareOut(flags.out);
    await withInstallation(flags, async (at) => {
      await holdOthers(at, id, flags);
      const { status, reason, limit } = flags;
      const { retried, crawl } = await at.client.retry(id, { status, reason, limit });
      if (retried === 0)
        return note(flags, `Crawl ${id} has nothing of that kind to retry: it is ${state(crawl.status)}.`);
      note(flags, `Crawl ${id} tries ${plural(retried, "URL")} again.`);
      // A paused one waits for `resume`.
      if (crawl.status === "running") await finish(id, at, flags);
      else note(flags, `It is ${state(crawl.status)}.`);
    });
  });
}
