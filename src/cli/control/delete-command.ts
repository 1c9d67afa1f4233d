import { createInterface } from "node:readline";
import type { Command } from "commander";
import type { CrawlDetail } from "../../api/views.ts";
import { bytes, minuteOf, plural } from "../../core/shown-values.ts";
import { UserError } from "../errors.ts";
import { CRAWL_HELP, whereOptions } from "../flags/shared-options.ts";
import type { Client } from "../installation/client.ts";
import { type WhereOptions, withInstallation } from "../installation/installation.ts";
import { pagesOf } from "../output/terminal-text.ts";

/** `orbweaver delete`: deletes a crawl with everything it stored, after a confirmation. */

interface Flags extends WhereOptions {
  yes?: boolean;
  force?: boolean;
}

export function addDeleteCommand(program: Command): void {
  const command = program
    .command("delete")
    .description("Delete a crawl with everything it stored. Folders written by --out stay.")
    .argument("<id>", CRAWL_HELP)
    .option("--yes", "do not ask for confirmation")
    .option("--force", "delete it even if it is running");
  whereOptions(command).action(async (id: string, { yes, force, ...where }: Flags) => {
    if (!yes && !process.stdin.isTTY)
      throw new UserError("There is no terminal for the confirmation. Add --yes to delete.", 2);
    await withInstallation(where, async ({ client }) => {
      if (!yes && !(await askToConfirm(questionOf(await client.crawl(id), where.remote !== undefined), process))) {
        throw new UserError("Nothing was deleted.");
      }
      console.log(await deleteAll(id, force ?? false, where.remote !== undefined, client));
    });
  });
}

/** `isBilled`: on this machine nobody pays. */
function questionOf(crawl: CrawlDetail, isBilled: boolean): string {
  const { id, urls, bytes: size, deletionCostUsd } = crawl;
  const more = urls.length > 1 ? ` and ${urls.length - 1} more` : "";
  const cost = isBilled ? describeDeletionCost(deletionCostUsd) : "";
  return `${cost}${cost === "" ? "" : " "}Delete crawl ${id} of ${urls[0]}${more}, with ${plural(pagesOf(crawl), "page")} (${bytes(size)})? [y/N] `;
}

/** Cloudflare bills what is deleted. Empty for less than a cent, and where an older installation does not say. */
export function describeDeletionCost(usd: number | null | undefined): string {
  return usd == null || usd < 0.01 ? "" : `Deleting it costs at most ${usd.toFixed(2)} USD.`;
}

/** True for "y" and "yes". Everything else is a no, also the end of the input. */
export async function askToConfirm(
  question: string,
  at: { stdin: NodeJS.ReadableStream; stderr: NodeJS.WritableStream },
): Promise<boolean> {
  const terminal = createInterface({ input: at.stdin, output: at.stderr });
  const answer = await new Promise<string>((resolve) => {
    terminal.once("close", () => resolve(""));
    terminal.question(question, resolve);
  });
  terminal.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}

/** Repeats the request until nothing is left: on this machine the heartbeat runs only while a longer command does. */
export async function deleteAll(given: string, force: boolean, isBilled: boolean, client: Client): Promise<string> {
  let cost = "";
  for (let named = given; ; ) {
    const { id, done, waitsUntil, costUsd } = await client.delete(named, force);
    // Only the first answer has the price.
    const said = isBilled ? describeDeletionCost(costUsd) : "";
    if (said !== "") cost = ` ${said}`;
    // From now on the crawl is found by its entire id alone.
    named = id;
    if (done) return `Crawl ${id} is deleted.${cost}`;
    if (waitsUntil !== null)
      return `Crawl ${id} is deleted. Its space is freed after ${minuteOf(waitsUntil)} UTC, when no fetch of it can be in flight.${cost}`;
  }
}
