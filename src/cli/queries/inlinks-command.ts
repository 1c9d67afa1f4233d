import type { Command } from "commander";
import type { InlinksView } from "../../api/views.ts";
import { count, minuteOf } from "../../core/shown-values.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import { natural, whereOptions } from "../flags/shared-options.ts";
import { findCrawlOf } from "../installation/find-crawl.ts";
import { readInstallation, type WhereOptions } from "../installation/installation.ts";
import { COMMAND } from "../installation/package-root.ts";
import { printable } from "../output/terminal-text.ts";

/** `orbweaver inlinks`: shows who links to a URL, and with what words. */

interface Flags extends WhereOptions {
  crawl?: string;
  limit: number;
  json?: boolean;
}

export function addInlinksCommand(program: Command): void {
  const command = program
    .command("inlinks")
    .description("Show who links to a URL, and with what words, as `orbweaver analyze` found it.")
    .argument("<url>", "the URL")
    .option("--crawl <id>", "the crawl (default: the newest one of this URL's host, or else the newest)")
    .option("--limit <n>", "show at most this many pages and redirects", natural(1), 50)
    .option("--json", "print JSON");
  whereOptions(command).action(async (given: string, { crawl, limit, json, ...where }: Flags) => {
    const url = withScheme(given);
    await readInstallation(where, "pages", async (at) => {
      const id = crawl ?? (await findCrawlOf(url, at))?.id;
      if (id === undefined) throw new UserError(`There is no crawl yet. To crawl the site: ${COMMAND} crawl ${url}`);
      const found = await at.client.inlinks(id, url, limit);
      console.log(json ? JSON.stringify(found) : printable(describeInlinks(found)));
    });
  });
}

function describeInlinks({ url, total, analyzedAt, sources }: InlinksView): string {
  const when = `${minuteOf(analyzedAt)} UTC`;
  const left = total - sources.length;
  return [
    url,
    `${count(total)} ${total === 1 ? "page or redirect leads" : "pages and redirects lead"} to it, as analyzed at ${when}.`,
    ...sources.map((source) => ["", ...describeSource(source)].join("\n")),
    ...(left > 0 ? ["", `${count(left)} more not shown. To show more: --limit N`] : []),
  ].join("\n");
}

function describeSource({ url, title, redirects, links }: InlinksView["sources"][number]): string[] {
  if (redirects) return [url, "  redirects to it"];
  const lines = links.map(({ text, kind, place, nofollow, fragment }) => {
    const facts = [kind, place, ...(nofollow ? ["nofollow"] : []), ...(fragment === null ? [] : [`#${fragment}`])];
    return `  ${text === "" ? "(no text)" : `"${text}"`}  ${facts.join(", ")}`;
  });
  return [title ? `${url}  ${title}` : url, ...(lines.length > 0 ? lines : ["  its links are no longer stored"])];
}
