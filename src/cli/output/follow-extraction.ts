import type { CrawlDetail, PassView } from "../../api/views.ts";
import { UserError } from "../errors.ts";
import type { Installation } from "../installation/installation.ts";
import { note, type OutputFlags } from "./finish.ts";
import { followPassToEnd } from "./follow-pass.ts";
import { commandAt, describeModelGaps } from "./go-on.ts";
import { describeModel } from "./summary.ts";

/**
 * Has the model asked about the pages of a crawl, and follows that. Returns the crawl as it is then, too. Throws
 * UserError if it ends without a result.
 */
export async function followExtraction(
  id: string,
  at: Installation,
  flags: OutputFlags,
): Promise<{ pass: PassView; crawl: CrawlDetail }> {
  const start = () => at.client.startExtraction(id);
  const pass = await followPassToEnd(id, start, at, { ...flags, command: "extract" });
  const crawl = await at.client.crawl(id);
  for (const line of [...describeModel(crawl), ...describeModelGaps(crawl, flags)]) note(flags, line.trim());
  return { pass, crawl };
}

/** The same once a crawl has ended that wants it. What the model cannot do stops nothing else. */
export function extractAfterwards(at: Installation, flags: OutputFlags) {
  return async ({ id, status, options }: CrawlDetail): Promise<void> => {
    // A server of an earlier version has no such option.
    if (options.extract == null || status === "running" || status === "paused") return;
    try {
      await followExtraction(id, at, flags);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      note(flags, `The model was not asked about all pages. ${error.message}`);
      note(flags, `When it answers again, go on with: ${commandAt(`extract ${id}`, flags)}`);
      process.exitCode = 1;
    }
  };
}
