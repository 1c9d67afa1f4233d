import type { Command } from "commander";
import type { TopicView } from "../../api/views.ts";
import { count, plural } from "../../core/shown-values.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions } from "../installation/installation.ts";
import { commandAt, type Place } from "../output/go-on.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `orbweaver focus`: how well a crawl with a subject does, and what it has learned. */

interface Flags extends WhereOptions {
  json?: boolean;
}

const SHOWN = 8;
const MOST_BARS = 60;
const BARS = [..."▁▂▃▄▅▆▇█"];

export function addTopicCommand(program: Command): void {
  const command = program
    .command("focus")
    .alias("topic")
    .description("Show how well a crawl with --topic or --like does: its harvest rate, best hosts, words and pages.")
    .argument("<id>", CRAWL_HELP)
    .option("--json", "print JSON, with all hosts and words");
  whereOptions(command).action(async (given: string, { json, ...where }: Flags) => {
    await readInstallation(where, "ledger", async (at) => {
      const { id } = await at.client.crawl(given);
      const found = await at.client.topic(id);
      console.log(json ? JSON.stringify(found) : printable(describeTopic(id, found, where)));
    });
  });
}

export function describeTopic(id: string, topic: TopicView, place: Place): string {
  const { words, like, pages, relevant, recent, until, hosts, terms, best, doubtful, harvest } = topic;
  const subject = [...(words === "" ? [] : [words]), ...like].join(", ") || "its example texts";
  const pageRows = (list: TopicView["best"]) =>
    table([["RELEVANCE", "PAGE"], ...list.slice(0, SHOWN).map((page) => [page.relevance.toFixed(2), page.url])]);
  return [
    `Subject: ${subject}.`,
    `${count(relevant)} of ${plural(pages, "page")} relevant${shareOf(relevant, pages)}; of the last ${count(recent.pages)}: ${count(recent.relevant)}${shareOf(recent.relevant, recent.pages)}.` +
      (until > 0 ? ` It ends below ${percent(until)} of the last 200.` : ""),
    ...(harvest.points.length > 1 ? [`Harvest: ${bars(harvest.points)}`] : []),
    `Words: ${
      terms
        .slice(0, 2 * SHOWN)
        .map(({ term }) => term)
        .join(", ") || "none yet"
    }.`,
    "",
    table([
      ["RELEVANCE", "PAGES", "HOST"],
      ...hosts.slice(0, SHOWN).map((host) => [host.relevance.toFixed(2), count(host.pages), host.host]),
    ]),
    ...(best.length === 0 ? [] : ["", "Best pages:", pageRows(best)]),
    ...(doubtful.length === 0 ? [] : ["", "Doubtful pages:", pageRows(doubtful)]),
    "",
    `Only relevant pages: ${commandAt(`records ${id} --min-relevance 0.5`, place)}`,
  ].join("\n");
}

/** The mean relevance of the pages over time, as a line of bars: a full one is 1. */
function bars(points: readonly number[]): string {
  const step = Math.ceil(points.length / MOST_BARS);
  const groups = Array.from({ length: Math.ceil(points.length / step) }, (_, i) =>
    points.slice(i * step, (i + 1) * step),
  );
  return groups
    .map((group) => group.reduce((sum, point) => sum + point, 0) / group.length)
    .map((mean) => BARS[Math.min(BARS.length - 1, Math.floor(mean * BARS.length))])
    .join("");
}

function shareOf(part: number, all: number): string {
  return all === 0 ? "" : ` (${percent(part / all)})`;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}
