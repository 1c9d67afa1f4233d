import type { Command } from "commander";
import type { PassView } from "../../api/views.ts";
import { plural } from "../../core/shown-values.ts";
import { askToConfirm } from "../control/delete-command.ts";
import { UserError } from "../errors.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import { type Installation, type WhereOptions, withInstallation } from "../installation/installation.ts";
import { note, type OutputFlags } from "../output/finish.ts";
import { followPassToEnd } from "../output/follow-pass.ts";

/** `orbweaver analyze`: reads a whole crawl afterwards, and follows the steps. */

interface AnalyzeFlags extends WhereOptions {
  json?: boolean;
  checkExternal?: boolean;
  reindex?: boolean;
  yes?: boolean;
}

export const CHECK_EXTERNAL = "also ask for the URLs of other sites that pages link to, and report those that are gone";

export function addAnalyzeCommand(program: Command): void {
  const command = program
    .command("analyze")
    .description("Read the links of a whole crawl, and rank its pages. The same command goes on after an interruption.")
    .argument("<id>", CRAWL_HELP)
    .option("--check-external", CHECK_EXTERNAL)
    .option("--no-check-external", "ask no other site; what they answered in the last 30 days is still reported")
    .option("--reindex", "also leave out of the search index what many pages repeat; says the price and asks first")
    .option("--yes", "with --reindex: do not ask for confirmation")
    .option("--json", "print only one JSON object, at the end, to standard output");
  command.addHelpText(
    "after",
    "\nWithout --check-external or --no-check-external, other sites are asked if the analysis before asked them. Each " +
      "URL is asked once, at the pace of its host and as its robots.txt says, and again after 7 days. Broken are " +
      "only status 404, status 410 and host names that do not exist; the report counts all other answers by reason.",
  );
  whereOptions(command).action(async (given: string, flags: AnalyzeFlags) => {
    if (flags.reindex && !flags.yes && !process.stdin.isTTY)
      throw new UserError("There is no terminal for the confirmation. Add --yes to reindex.", 2);
    await withInstallation(flags, async (at) => {
      const { id } = await at.client.crawl(given);
      if (flags.reindex) await confirmReindex(id, at, flags);
      const pass = await analyze(id, at, flags, flags);
      if (flags.json) console.log(JSON.stringify(pass));
    });
  });
}

/**
 * Starts a pass, or joins the one that runs, and follows it to its end or to Ctrl-C. Throws UserError if it has no
 * result. `checkExternal` and `reindex`: see startPass.
 */
export async function analyze(
  id: string,
  at: Installation,
  flags: OutputFlags,
  { checkExternal, reindex = false }: Pick<AnalyzeFlags, "checkExternal" | "reindex"> = {},
): Promise<PassView> {
  const asked = { ...(checkExternal === undefined ? {} : { checkExternal }), ...(reindex ? { reindex } : {}) };
  const start = () => at.client.analyze(id, asked);
  const pass = await followPassToEnd(id, start, at, { ...flags, command: "analyze" }, (started) => {
    if (checkExternal === true && !started.checkExternal)
      note(flags, "It does not check external links. Give the command again when it has ended.");
    if (reindex && !started.reindex) note(flags, "It does not reindex. Give the command again when it has ended.");
  });
  if (pass.status === "completed") note(flags, `Crawl ${id} is analyzed, in ${pass.stepsDone} steps.`);
  return pass;
}

/** Says the price, and asks unless `yes`. */
async function confirmReindex(id: string, { client }: Installation, { yes }: AnalyzeFlags): Promise<void> {
  const { pages, maxUsd } = await client.reindexPrice(id);
  const price = `Reindexing ${plural(pages, "page")} costs at most ${maxUsd.toFixed(6)} USD on Cloudflare`;
  if (yes) process.stderr.write(`${price}.\n`);
  else if (!(await askToConfirm(`${price}. Go on? [y/N] `, process))) throw new UserError("Nothing was analyzed.");
}
