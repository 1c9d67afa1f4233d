import type { Command } from "commander";
import type { FeedView } from "../../api/views.ts";
import { UserError } from "../errors.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";

/** `orbweaver feed`: prints the addresses of the feeds of a watch's changes. */

interface Flags extends WhereOptions {
  replace?: boolean;
  json?: boolean;
}

export function addFeedCommand(program: Command): void {
  const command = program
    .command("feed")
    .description("Print the addresses of the Atom feed and the JSON Feed of a watch's changes.")
    .argument("<id>", "the watch")
    .option("--replace", "make new addresses, and revoke those before")
    .option("--json", "print JSON");
  whereOptions(command).action(async (id: string, { replace, json, ...where }: Flags) => {
    const { atom, json: jsonFeed } = await withInstallation(where, async ({ client, local }): Promise<FeedView> => {
      // The address of a local Worker ends with its command.
      if (local) throw new UserError("A feed has an address while an Orbweaver is served: start `orbweaver serve`.");
      if ((await client.crawl(id)).watching === null)
        throw new UserError(`This crawl is no watch, so it has no changes. Make it one: orbweaver watch ${id}`);
      const known = replace ? null : await client.feed(id);
      return known === null || known.atom === null ? client.replaceFeed(id) : known;
    });
    if (json) console.log(JSON.stringify({ atom, json: jsonFeed }));
    else console.log(`Atom       ${atom}\nJSON Feed  ${jsonFeed}`);
  });
}
