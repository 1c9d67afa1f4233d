import { readFileSync } from "node:fs";
import { Option } from "commander";
import { UserError } from "../errors.ts";
import type { Client } from "../installation/client.ts";

/** The list of findings to ignore, which lies beside what a site is made of. */

const USUAL = "orbweaver.ignore";

export function ignoreOption(): Option {
  return new Option(
    "--ignore <file>",
    `the findings to ignore, a line each: KIND URL-GLOB until YYYY-MM-DD # reason (the day may be left out). Without it, the file ${USUAL} of this folder, if there is one. The installation keeps the list for all crawls of the same seeds`,
  );
}

export function noIgnoreOption(): Option {
  return new Option("--no-ignore", "report what is on the list, too");
}

/** Replaces the list of the crawl's site by a file. Without one the installation's own list stays. */
export async function sendIgnoreList(id: string, file: string | false | undefined, client: Client): Promise<void> {
  if (file === false) return;
  const list = readList(file);
  if (list !== null) await client.ignoreFindings(id, list);
}

/** Null without a file. */
function readList(file: string | undefined): string | null {
  try {
    return readFileSync(file ?? USUAL, "utf8");
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (file === undefined && isMissing) return null;
    throw new UserError(
      `${file ?? USUAL} cannot be read${isMissing ? ": there is no such file" : `: ${String(error)}`}.`,
    );
  }
}
