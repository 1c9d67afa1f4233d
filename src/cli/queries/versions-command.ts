import type { Command } from "commander";
import type { VersionsView } from "../../api/views.ts";
import { bytes } from "../../core/shown-values.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver versions`: lists what the crawls have fetched of a URL, and when. */

interface Flags extends WhereOptions {
  crawl?: string;
  json?: boolean;
}

type UrlVersions = Pick<VersionsView, "url" | "versions">;

/** Characters of a digest in the table. */
const DIGEST_CHARS = 12;

export function addVersionsCommand(program: Command): void {
  const command = program
    .command("versions")
    .description("List the versions of a URL over all crawls, newest first.")
    .argument("<url>", "the URL")
    .option("--crawl <id>", "only the versions of this crawl")
    .option("--json", "print JSON");
  whereOptions(command).action(async (given: string, { crawl, json, ...where }: Flags) => {
    const found = await readInstallation(where, "ledger", ({ client }) => client.versions(withScheme(given), crawl));
    if (json) console.log(JSON.stringify(found));
    else console.log(printable(describeVersions(found)));
  });
}

export function describeVersions({ url, versions }: UrlVersions): string {
  if (versions.length === 0) return `No crawl has fetched ${url}. To crawl it: ${COMMAND} crawl ${url}`;
  const heads = ["TIME (UTC)", "CRAWL", "CODE", "SIZE", "CONTENT", "SHA-256"];
  const shown = versions.find(({ replay }) => replay !== null);
  const hint = `To look at a version, open /replay/CRAWL/TIME/URL at the address that \`orbweaver serve\` prints, such as:\n${shown?.replay}`;
  return [url, table([heads, ...versions.map(row)]), ...(shown === undefined ? [] : [hint])].join("\n\n");
}

function row({ time, crawl, httpStatus, bytes: size, changed, sha256, redirectTo }: UrlVersions["versions"][number]) {
  return [
    time.slice(0, 19).replace("T", " "),
    crawl,
    String(httpStatus),
    size === null ? "-" : bytes(size),
    changed === null ? "first" : changed ? "changed" : "same",
    redirectTo === null ? (sha256?.slice(0, DIGEST_CHARS) ?? "-") : `to ${redirectTo}`,
  ];
}
