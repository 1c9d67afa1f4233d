import type { Command } from "commander";
import type { OwnershipView } from "../../api/views.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { whereOptions } from "../flags/shared-options.ts";
import type { Client } from "../installation/client.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";
import { printable } from "../output/terminal-text.ts";

/** `orbweaver own`: whether a host is shown to be one's own, and how to show it. */

export function addOwnCommand(program: Command): void {
  whereOptions(
    program
      .command("own")
      .description("Say whether a host is shown to be your own, and how to show it.")
      .argument("<host>", "the host, or a URL of it")
      .option("--json", "print JSON"),
  ).action(async (host: string, flags: WhereOptions & { json?: boolean }) => {
    const view = await withInstallation(flags, ({ client }) => client.ownership(withScheme(host)));
    if (flags.json) return console.log(JSON.stringify(view));
    for (const line of describeOwnership(view)) console.log(printable(line));
  });
}

export function describeOwnership({ says, isOwn, limits, key, file, dns }: OwnershipView): string[] {
  if (isOwn) return [`${says}.`];
  return [
    `${says}.`,
    `Whatever a crawl asks for: ${limits}.`,
    "If it is yours, publish the key of this installation in one of these places, and run this command again in an hour:",
    `  ${file}  a text file with the line ${key}`,
    ...(dns === null ? [] : [`  ${dns}  a TXT record with the value ${key}`]),
  ];
}

/** The flags by which a crawl may ask for more than any host gives. */
interface SpeedFlags {
  delay?: number;
  concurrency?: number;
  ignoreRobots?: boolean;
}

/** More seeds are crawled by the same limits; their hosts are not named. */
const MAX_HOSTS = 10;
/** In milliseconds. A host that does not answer is not waited for: the crawl has begun. */
const HOST_PATIENCE_MS = 10_000;

/** What to tell a person whose crawl asks for more than the hosts of its seeds give. */
export async function findGuestHosts(seeds: readonly string[], flags: SpeedFlags, client: Client): Promise<string[]> {
  if (!asksForMore(flags)) return [];
  const byHost = new Map(
    seeds.flatMap((seed): [string, string][] => {
      const url = URL.parse(withScheme(seed));
      return url === null ? [] : [[url.host, url.href]];
    }),
  );
  const asked = [...byHost.values()].slice(0, MAX_HOSTS).map((url) => client.ownership(url).catch(() => null));
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), HOST_PATIENCE_MS).unref());
  const views = await Promise.all(asked.map((one) => Promise.race([one, late])));
  return views.flatMap((view) => (view === null || view.isOwn ? [] : [describeGuest(view)]));
}

/** Beyond these, a host must be one's own: GUEST_DELAY_MS and GUEST_CONNECTIONS of src/host/guest-limits.ts. */
function asksForMore({ delay, concurrency, ignoreRobots }: SpeedFlags): boolean {
  return (delay ?? 1) < 0.2 || (concurrency ?? 1) > 2 || ignoreRobots === true;
}

function describeGuest({ host, limits }: Pick<OwnershipView, "host" | "limits">): string {
  return `${host} is not shown to be yours: ${limits}. If it is yours: orbweaver own ${host}`;
}
