import type { Command } from "commander";
import type { MarkedView, MarksView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { withScheme } from "../../url/with-scheme.ts";
import { UserError } from "../errors.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { readInstallation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { printable, table } from "../output/terminal-text.ts";

/** `mark`, `unmark` and `marked`: what a person says of pages. */

const HELP = `
A page has one label. A focused crawl (crawl --topic, --like) learns from "right" and "wrong".
With other labels, marks are examples for: orbweaver classify ID`;

export function addMarkCommands(program: Command): void {
  const mark = program
    .command("mark")
    .description("Mark pages of a crawl as right or wrong, or with any label.")
    .argument("<id>", CRAWL_HELP)
    .argument("<label>", "right, wrong, or another label")
    .argument("<url...>", "the pages");
  mark.addHelpText("after", HELP);
  whereOptions(mark).action(async (id: string, label: string, urls: string[], flags: WhereOptions) => {
    const marked = await withInstallation(flags, ({ client }) => client.mark(id, urls.map(withScheme), label));
    console.log(printable(`${plural(marked.marked, "page")} marked: ${label}`));
    refuseMissing(id, marked);
  });

  const unmark = program
    .command("unmark")
    .description("Remove the marks of pages. What a focused crawl has learned from them stays.")
    .argument("<id>", CRAWL_HELP)
    .argument("<url...>", "the pages");
  whereOptions(unmark).action(async (id: string, urls: string[], flags: WhereOptions) => {
    const { marked } = await withInstallation(flags, ({ client }) => client.mark(id, urls.map(withScheme), null));
    console.log(`${plural(marked, "page")} without a mark.`);
  });

  const marks = program
    .command("marked")
    .alias("marks")
    .description("List the pages that somebody marked.")
    .argument("<id>", CRAWL_HELP)
    .option("--label <label>", "only those with this label")
    .option("--json", "print JSON");
  whereOptions(marks).action(
    async (id: string, { label, json, ...where }: WhereOptions & { label?: string; json?: boolean }) => {
      const found = await readInstallation(where, "ledger", ({ client }) => client.marks(id, label));
      console.log(json ? JSON.stringify(found) : printable(describeMarks(id, found)));
    },
  );
}

function refuseMissing(id: string, { missing }: MarkedView): void {
  if (missing.length === 0) return;
  const list = missing.map((url) => `  ${url}`).join("\n");
  throw new UserError(printable(`Crawl ${id} does not have ${plural(missing.length, "URL")}:\n${list}`));
}

/** The lines of an example file, so that they can be edited and given to `classify --examples`. */
function describeMarks(id: string, { marks, labels }: MarksView): string {
  if (Object.keys(labels).length === 0) return `No marks yet. Mark a page: orbweaver mark ${id} right URL`;
  return table(marks.map(({ label, url }) => [label, url]));
}
