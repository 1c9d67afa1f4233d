import type { Command } from "commander";
import { plural, state } from "../../core/shown-values.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";
import { finishNotices } from "../output/finish.ts";
import { pagesOf } from "../output/terminal-text.ts";

/** `pause` and `cancel`: stop crawls. */

export function addStopCommands(program: Command): void {
  for (const [action, description] of [
    ["pause", "Pause a crawl; it can be resumed."],
    ["cancel", "Stop a crawl for good; its stored pages stay."],
  ] as const) {
    whereOptions(program.command(action).description(description).argument("<id>", CRAWL_HELP)).action(
      async (id: string, flags: WhereOptions) => {
        const crawl = await withInstallation(flags, async (at) => {
          const acted = await at.client.act(id, action);
          if (at.local) await finishNotices(acted.id, at, flags);
          return acted;
        });
        console.log(`Crawl ${crawl.id} is ${state(crawl.status)} with ${plural(pagesOf(crawl), "page")} stored.`);
      },
    );
  }
}
