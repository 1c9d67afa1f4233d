import type { DocumentAnswer, PageFetched, PageResult } from "../crawl/outcome.ts";
import { decideRender } from "../crawl/render-memory.ts";
import { hostKey, originOf } from "../url/host-key.ts";
import { reasonToLeave } from "./attempt.ts";
import type { Deps } from "./deps.ts";
import { mayAsk } from "./find-sibling.ts";
import type { LaneMemory } from "./lane-memory.ts";
import { dispatch, type Hint } from "./message.ts";
import { rejectSoft404 } from "./soft-404.ts";
import { markdownUrlOf } from "./take-markdown.ts";
import type { PageWork } from "./work.ts";

/**
 * Pages that the reader Worker reads because of their size. A lane does more with a page than to read it: it may have a
 * browser draw it, ask for its Markdown, or find out whether it is a soft 404. What can be decided without the host is
 * decided here; a page that needs its host goes back to a lane, which reads it itself. So a page has the same record,
 * whichever way it goes.
 */

/** The page as its lane would have it; `lane` if that needs the host. */
export async function settleLargePage(
  work: PageWork,
  read: PageResult,
  { large, fault = null }: DocumentAnswer,
  memory: LaneMemory,
  deps: Deps,
): Promise<PageResult | "lane"> {
  if (large === undefined || read.kind !== "page") return read;
  const whole = { ...read, truncated: large.truncated, fault };
  if (read.noindex !== null || read.notModified !== null) return whole;
  const page = large.mayDraw ? undrawn(whole, work, memory) : whole;
  if (page === "lane" || reasonToLeave(page) !== null) return page;
  const { row, context } = work;
  const markdown = markdownUrlOf(work, { host: hostKey(row.url) }, page);
  if (markdown !== null && (await mayAsk(markdown, work, deps))) return "lane";
  if (page.looksMissing !== true) return page;
  const missing = context.missing.get(originOf(row.url));
  if (missing === undefined) return "lane";
  return (missing === "unclear" ? null : rejectSoft404(row.url, page, missing)) ?? page;
}

/** As `readRendered` of the page fetcher, for a page that no browser draws. */
function undrawn(page: PageFetched, work: PageWork, memory: LaneMemory): PageFetched | "lane" {
  const { render, why } = decideRender("auto", page, memory.knownOf(work).renders, work.row.url);
  if (render) return "lane";
  return why === null ? page : { ...page, shell: why };
}

/** Sends the URL to a lane, which fetches and reads it. This is no attempt, and no failure. */
export async function askInLane(hint: Hint, deps: Deps): Promise<void> {
  // Otherwise the message would lead to the document that waits.
  await deps.waitingDocuments.remove(hint);
  await dispatch(deps, [{ ...hint, inLane: true, delayMs: 0 }]);
}
