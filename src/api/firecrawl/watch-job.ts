import { systemClock } from "../../core/clock.ts";
import { logError } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import { MAX_READ } from "../../reading/records/read-row.ts";
import { findCrawl } from "../crawls/crawl-routes.ts";
import { formatsOf, isAskingModel, viewJobStatus } from "./job-status.ts";
import type { JobDeps } from "./needs.ts";
import { openDocuments, readDocument } from "./read-document.ts";

/**
 * The watcher of Firecrawl's clients: a WebSocket that first has the state of a job (`catchup`), then each document,
 * and then `done`. `done` always means completed, so any other end is a second `catchup` with its status. A socket that
 * closes before makes the clients ask every few seconds instead.
 */

/** A look at the job reads the rows of its completed pages, so a larger one is looked at less often. */
const TICK_MS = 1_000;
const ROWS_PER_TICK = 1_000;
const PAGE = 1_000;
/** A deploy would end a long invocation, and one may make so many reads. The clients then go on by polling. */
const LIFETIME_MS = 5 * 60_000;
const MAX_DOCUMENTS = 5 * MAX_READ;

/** `protocol`: the client's subprotocol, which is its token and must come back to it (RFC 6455, 4.1). */
export function watchJob(
  id: string,
  protocol: string | null,
  deps: JobDeps,
  keep: (work: Promise<void>) => void,
): Response {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  ours.accept();
  const watching = tellJob(id, ours, deps)
    .catch((error: unknown) => logError("watcher-failed", error))
    .finally(() => close(ours));
  keep(watching);
  return new Response(null, {
    status: 101,
    webSocket: theirs,
    headers: protocol === null ? {} : { "sec-websocket-protocol": protocol },
  });
}

async function tellJob(id: string, socket: WebSocket, deps: JobDeps): Promise<void> {
  const until = systemClock.now() + LIFETIME_MS;
  const told = new Set<string>();
  let isOpen = true;
  socket.addEventListener("close", () => {
    isOpen = false;
  });
  const send = (frame: object) => {
    if (isOpen) socket.send(JSON.stringify(frame));
  };
  let crawl = await findCrawl(id, deps);
  send({ type: "catchup", data: { ...(await viewJobStatus(crawl, deps)), data: [] } });
  for (;;) {
    for await (const document of newDocuments(crawl, told, deps)) {
      send({ type: "document", data: document });
      if (!isOpen || told.size >= MAX_DOCUMENTS) return;
    }
    const view = await viewJobStatus(crawl, deps);
    if (view.status !== "scraping") {
      send({ type: view.status === "completed" ? "done" : "catchup", data: { ...view, data: [] } });
      return;
    }
    if (!isOpen || systemClock.now() > until) return;
    const { completed } = crawl.counters;
    await systemClock.sleep(Math.max(TICK_MS, (completed / ROWS_PER_TICK) * TICK_MS));
    crawl = await findCrawl(crawl.id, deps);
  }
}

/** Documents that were not told yet. */
async function* newDocuments(crawl: Crawl, told: Set<string>, deps: JobDeps) {
  if (crawl.counters.completed === 0) return;
  // Values come when the pages are there.
  if (crawl.options.extract !== null && (crawl.status === "running" || (await isAskingModel(crawl, deps)))) return;
  const pages = { cursor: "", limit: PAGE, only: "pages", status: "completed" } as const;
  const reading = await openDocuments(crawl, deps);
  for await (const record of deps.records.walk(crawl.id, pages)) {
    if (told.has(record.url)) continue;
    told.add(record.url);
    yield await readDocument({ crawl, record }, formatsOf(crawl), { screenshot: crawl.options.screenshot }, reading);
  }
}

function close(socket: WebSocket): void {
  try {
    socket.close(1000);
  } catch {
    // The client has closed it.
  }
}
