import { createInterface } from "node:readline";
import type { Command } from "commander";
import type { CrawlDetail } from "../api/views.ts";
import type { Client } from "./client.ts";
import { UserError } from "./errors.ts";
import { type WhereOptions, withInstallation } from "./installation.ts";
import { whereOptions } from "./shared-options.ts";
import { bytes, pagesOf, plural } from "./terminal-text.ts";

/** `orbweaver delete`: a crawl and all it kept, after a question. */

interface Flags extends WhereOptions {
  yes?: boolean;
  force?: boolean;
}

export function addDeleteCommand(program: Command): void {
  const command = program
    .command("delete")
    .description("Delete a crawl with all it kept; a folder that --out wrote stays.")
    .argument("<id>", "the crawl")
    .option("--yes", "do not ask")
    .option("--force", "delete it also while it runs");
  whereOptions(command).action(async (id: string, { yes, force, ...where }: Flags) => {
    if (!yes && !process.stdin.isTTY) throw new UserError("There is no terminal to ask at: say --yes to delete.", 2);
    await withInstallation(where, async ({ client }) => {
      if (!yes && !(await isAgreed(questionOf(await client.crawl(id)), process))) {
        throw new UserError("Nothing was deleted.");
      }
      console.log(await deleteAll(id, force ?? false, client));
    });
  });
}

function questionOf(crawl: CrawlDetail): string {
  const { id, urls, bytes: size } = crawl;
  const more = urls.length > 1 ? ` and ${urls.length - 1} more` : "";
  return `Delete crawl ${id} of ${urls[0]}${more}, with ${plural(pagesOf(crawl), "page")} (${bytes(size)})? [y/N] `;
}

/** Anything but "y" or "yes" is a no, and so is the end of the input. */
export async function isAgreed(
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

/** Asks until nothing is left: on this machine the heartbeat beats only while a longer command runs. */
async function deleteAll(id: string, force: boolean, client: Client): Promise<string> {
  for (;;) {
    const { done, waitsUntil } = await client.delete(id, force);
    if (done) return `Crawl ${id} is deleted.`;
    if (waitsUntil !== null)
      return `Crawl ${id} is deleted. Pages of it may still be on their way, so its space is freed after ${waitsUntil}.`;
  }
}
