import type { Command } from "commander";
import type { SectionsView } from "../../api/views.ts";
import { bytes, count, minuteOf, plural } from "../../core/shown-values.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions } from "../installation/installation.ts";
import { commandAt, type Place } from "../output/go-on.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver sections`: what kinds of pages a site has. */

interface Flags extends WhereOptions {
  json?: boolean;
}

export function addSectionsCommand(program: Command): void {
  const command = program
    .command("sections")
    .description("List the kinds of pages that a site has, by URL pattern, as `orbweaver analyze` found them.")
    .argument("<id>", CRAWL_HELP)
    .option("--json", "print JSON, with medians, ranks and examples");
  whereOptions(command).action(async (given: string, { json, ...where }: Flags) => {
    await readInstallation(where, "pages", async (at) => {
      const { id } = await at.client.crawl(given);
      const found = await at.client.sections(id);
      console.log(json ? JSON.stringify(found) : printable(describeSections(id, found, where)));
    });
  });
}

/** Lines. A column that says nothing of any section is left out. */
export function describeSections(id: string, { total, sections, others, analyzedAt }: SectionsView, place: Place) {
  const hasWords = sections.some(({ words }) => words !== null);
  const hasChanges = sections.some(({ changesPerMonth }) => changesPerMonth !== null);
  const row = (words: string, changes: string, cells: string[], last: string) => [
    ...cells,
    ...(hasWords ? [words] : []),
    ...(hasChanges ? [changes] : []),
    last,
  ];
  const origin = commonOrigin(sections.map(({ pattern }) => pattern));
  const rows = [
    row("words", "changes/month", ["URLs", "stored", "pages", "bytes", "time", "kind"], "pattern"),
    ...sections.map((section) =>
      row(
        section.words === null ? "-" : count(section.words),
        section.changesPerMonth === null ? "-" : section.changesPerMonth.toFixed(1),
        [...cellsOf(section), section.kind ?? "not read"],
        section.pattern.slice(origin.length),
      ),
    ),
    ...(others === null
      ? []
      : [row("", "", [...cellsOf(others), ""], `${plural(others.sections, "smaller section")}`)]),
  ];
  const when = `${minuteOf(analyzedAt)} UTC`;
  return [
    `${plural(total.urls, "URL")} in ${plural(sections.length + (others?.sections ?? 0), "section")}, analyzed at ${when}.`,
    ...(origin === "" ? [] : [`All patterns begin with ${origin}`]),
    "",
    table(rows),
    "",
    `With examples: ${commandAt(`sections ${id} --json`, place)}`,
  ].join("\n");
}

type Counted = Pick<SectionsView["sections"][number], "urls" | "statuses" | "bytes" | "pageShare" | "timeShare">;

function cellsOf({ urls, statuses, bytes: size, pageShare, timeShare }: Counted): string[] {
  return [count(urls), count(statuses.completed ?? 0), percent(pageShare), bytes(size), percent(timeShare)];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;
}

/** The origin of all patterns; empty if they have several. */
function commonOrigin(patterns: readonly string[]): string {
  const origins = new Set(patterns.map((pattern) => /^[^/]*\/\/[^/]*/.exec(pattern)?.[0] ?? ""));
  const [only = "", ...others] = origins;
  return others.length > 0 ? "" : only;
}
