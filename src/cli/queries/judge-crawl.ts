import type { CrawlDetail } from "../../api/views.ts";
import { failOn, needsReport } from "../flags/fail-on.ts";
import { sendIgnoreList } from "../flags/ignore-list.ts";
import type { Installation } from "../installation/installation.ts";
import type { OutputFlags } from "../output/finish.ts";
import { analyze } from "./analyze-command.ts";

interface JudgeFlags extends OutputFlags {
  analyze?: boolean;
  checkExternal?: boolean;
}

/** Analyzes an ended crawl if that is asked, or needed by `--fail-on`, and sets the exit code by what was found. */
export async function judgeCrawl(crawl: CrawlDetail, at: Installation, flags: JudgeFlags): Promise<void> {
  const { id } = crawl;
  const isAnalyzed = (flags.analyze || flags.checkExternal || needsReport(flags.failOn)) && hasEnded(crawl);
  const pass = isAnalyzed ? await analyze(id, at, flags, flags) : null;
  if (pass?.status === "completed") await sendIgnoreList(id, undefined, at.client);
  const findings = pass?.status === "completed" ? await at.client.findings(id, { limit: 1 }) : null;
  failOn(flags.failOn, crawl, findings);
}

export function hasEnded({ status }: CrawlDetail): boolean {
  return status !== "running" && status !== "paused";
}
