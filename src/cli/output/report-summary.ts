import type { FindingsView } from "../../api/views.ts";
import { count, minuteOf, plural } from "../../core/shown-values.ts";
import type { Client } from "../installation/client.ts";
import { commandAt, type Place } from "./go-on.ts";
import { table } from "./terminal-text.ts";

/** The site report for a terminal: the numbers, the first findings of each kind, and what to type next. */

/** Findings of each kind, and of the only kind that was asked for. */
const EXAMPLES = 3;
const MOST_OF_KIND = 1_000;
const SEVERITIES = ["error", "warning", "notice"];

type Finding = FindingsView["findings"][number];
type Count = FindingsView["counts"][number];

/** Lines. Words of others in them are not made printable. */
export async function* summarizeReport(
  id: string,
  { counts, comparedWith, comparedCrawl, finishedAt, pages, links, leftOut }: FindingsView,
  { kind: only, against, ignore, out: _, ...place }: Place & { kind?: string; against?: string; ignore?: false },
  client: Client,
): AsyncGenerator<string> {
  const kinds = counts
    .filter(({ kind }) => only === undefined || kind === only)
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  yield `${plural(pages, "page")}, ${plural(links, "link")}, analyzed at ${minuteOf(finishedAt)} UTC`;
  if (comparedWith !== null)
    yield `Compared with the analysis${comparedCrawl === null ? "" : ` of crawl ${comparedCrawl}`} of ${minuteOf(comparedWith)} UTC.`;
  yield* leftOut;
  const beside = { ...(against === undefined ? {} : { against }), ...(ignore === undefined ? {} : { ignore }) };
  const compare = `${against === undefined ? "" : ` --against ${against}`}${ignore === undefined ? "" : " --no-ignore"}`;
  if (kinds.length === 0) yield "No problems were found.";
  else yield `\n${table(rowsOf(kinds, comparedWith !== null))}`;
  for (const { kind, title, mend, found, mended } of kinds) {
    const limit = only === undefined ? EXAMPLES : MOST_OF_KIND;
    const { findings } = await client.findings(id, { kind, limit, ...beside });
    yield `\n${title}: ${mend}`;
    for (const [i, finding] of findings.entries()) yield* describeFinding(finding, findings[i - 1]);
    const left = found + mended - findings.length;
    if (left > 0)
      yield `  ${count(left)} more: ${commandAt(`report ${id}${compare} --format csv --kind ${kind}`, place)}`;
  }
  yield `\nTo send it as a file: ${commandAt(`report ${id}${compare} --format html`, { ...place, out: "report.html" })}`;
  yield `To see what kinds of pages the site has: ${commandAt(`sections ${id}`, place)}`;
  yield `To analyze the crawl again: ${commandAt(`analyze ${id}`, place)}`;
}

function rowsOf(kinds: Count[], isCompared: boolean): string[][] {
  const row = (severity: string, numbers: string[], title: string) => [
    severity,
    ...(isCompared ? numbers : numbers.slice(0, 1)),
    title,
  ];
  return [
    row("severity", ["found", "new", "still", "mended"], "problem"),
    ...kinds.map((each) => row(each.severity, [each.found, each.new, each.still, each.mended].map(count), each.title)),
  ];
}

/** A target that the finding before has, too, is not repeated. */
function* describeFinding(finding: Finding, before: Finding | undefined): Generator<string> {
  const { page, target, text = "", place, detail, change } = finding;
  if (target !== undefined && target !== before?.target) yield `  ${target}`;
  const facts = [detail, place === "navigation" ? "in navigation" : undefined, change ?? undefined];
  const told = facts.filter((fact) => fact !== undefined).join(", ");
  const subject = `${target === undefined ? "  " : "    from "}${page}${text === "" ? "" : ` "${text}"`}`;
  yield told === "" ? subject : `${subject} (${told})`;
}
