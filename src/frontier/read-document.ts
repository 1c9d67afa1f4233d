import type { DocumentAnswer, PageFetched, PageRejected, PageResult } from "../crawl/outcome.ts";
import { reject, SENT_PLAINLY } from "../fetch/answer.ts";
import { type ByteLease, heldDocuments } from "../fetch/byte-budget.ts";
import { ReaderDied } from "../fetch/call-reader.ts";
import { type CaptureRequest, captureAnswer, captureContent } from "../fetch/capture-page.ts";
import { keptHeaders } from "../fetch/kept-headers.ts";
import type { PageRequest } from "../fetch/page-request.ts";
import type { ClaimedDocument } from "../store/document-turns.ts";
import { documentKey } from "../store/documents.ts";
import { BatchHook } from "./ask-hook.ts";
import { type Attempt, fetchedAttempt, reasonToLeave, timed } from "./attempt.ts";
import { commitAsked } from "./commit.ts";
import type { Deps } from "./deps.ts";
import { writeFile } from "./fetch-lane.ts";
import { write } from "./group-commit.ts";
import { HostLimits } from "./host-limits.ts";
import { LaneMemory } from "./lane-memory.ts";
import { askInLane, settleLargePage } from "./large-page.ts";
import type { Hint } from "./message.ts";
import { pageRequestOf, wantsOf } from "./request-of-work.ts";
import { retryLater } from "./retry-later.ts";
import { schedule } from "./schedule.ts";
import { expectReading, READING_MS } from "./send-document.ts";
import { settleVisit } from "./settle-visit.ts";
import { noteDeath, removeSettled } from "./take-document.ts";
import type { PageWork } from "./work.ts";

/**
 * Has one document read by the reader Worker, and takes it through the last three stages. The row is queued until then,
 * so whatever is lost or comes twice changes nothing.
 */

/**
 * CPU time of the reader Worker, as measured for docs/cost.md: 0.15 s for a PDF of 140 kB, 1.2 s for one of 1.3 MB. A
 * Worker cannot read its own CPU time.
 */
const READER_CPU_MS = 50;
const READER_CPU_MS_PER_BYTE = 1 / 1_000;
/** A document that ends the reader so often is poison, unless it is known to be the cause before. */
const MAX_DEATHS = 2;

/**
 * `again`: it ended its reader, and another document may have been the cause. It is free, and goes last of all. Throws
 * if a stage fails: then the document may be read again.
 */
export async function readDocument(
  work: PageWork,
  document: ClaimedDocument,
  deps: Deps,
): Promise<"settled" | "again"> {
  const { crawl, url, visit, answer } = document;
  const key = documentKey(crawl, url, visit);
  await expectReading(crawl, deps);
  const lease = await takeMemory(answer.bodyBytes ?? 0, deps);
  try {
    const body = await deps.documents.read(key);
    if (body === null) {
      await fetchAgain(work.hint, deps);
      return "settled";
    }
    const end = await settleDocument(work, document, body, deps);
    if (end === "settled" || end === "lane") await removeSettled(document, deps);
    if (end === "lane") await askInLane(work.hint, deps);
    // It waits until the hook is asked about it alone.
    if (end === "asked-alone") await deps.documentTurns.release(document, deps.clock.now() + READING_MS);
    return end === "again" ? end : "settled";
  } finally {
    lease?.release();
  }
}

/** This machine's isolate has no limit of memory, and reads no more documents at once than it has readers. */
async function takeMemory(bytes: number, { boot }: Deps): Promise<ByteLease | null> {
  return boot === null ? heldDocuments.take(bytes, READING_MS) : null;
}

/** Another attempt may have settled the row, and then the hint is dropped. */
async function fetchAgain(hint: Hint, deps: Deps): Promise<void> {
  await deps.waitingDocuments.remove(hint);
  await retryLater([hint], deps);
}

async function settleDocument(
  work: PageWork,
  document: ClaimedDocument,
  body: Uint8Array<ArrayBuffer>,
  deps: Deps,
): Promise<"settled" | "again" | "asked-alone" | "lane"> {
  const { answer } = document;
  const now = deps.clock.now();
  const hook = deps.hook === null ? null : new BatchHook(deps.hook, deps);
  const over = (await HostLimits.open([work], deps)).decide(work, now);
  if (over !== null && over !== "later") return settle(over, deps, hook);
  // Its host is not asked for other pages.
  const memory = answer.large === undefined ? null : await LaneMemory.open({ going: [work] }, async () => null, deps);
  const wants = wantsOf(work, memory?.knownOf(work) ?? { hook: hook !== null, version: null, renders: null });
  const request = pageRequestOf(work.row.url, work.context, wants, SENT_PLAINLY);
  const read = await readOnce(document, body, request, deps);
  deps.meter.add({ cpuMs: READER_CPU_MS + body.byteLength * READER_CPU_MS_PER_BYTE });
  if (read === "again") return read;
  const result = memory === null ? read : await settleLargePage(work, read, answer, memory, deps);
  if (result === "lane") return result;
  const kept = captureDocument(result, body, answer, request);
  const attempt = await settleVisit(timed(fetchedAttempt(work, kept, now), answer), deps);
  if (kept.kind === "page" && reasonToLeave(kept) === null && request.capture === null)
    await writeFile(work, kept, deps, answer.date);
  const learned = (await memory?.learn(attempt)) ?? { ...attempt, version: null };
  await memory?.save();
  return settle(learned, deps, hook);
}

/**
 * A document that hangs or takes all memory ends its reader. On Cloudflare one that was read beside it may do so too.
 */
async function readOnce(
  document: ClaimedDocument,
  body: Uint8Array<ArrayBuffer>,
  request: PageRequest,
  deps: Deps,
): Promise<PageResult | "again"> {
  const { contentType, headers, httpStatus, durationMs } = document.answer;
  try {
    return await deps.readHeavyPage({ body, contentType, headers, httpStatus }, request, durationMs);
  } catch (error) {
    if (!(error instanceof ReaderDied)) throw error;
    await noteDeath(document, deps);
    if (!error.isCertain && document.deaths + 1 < MAX_DEATHS) return "again";
    const detail = `${error.isCertain ? "it ended its reader" : "its reader ended twice"}: ${error.message}`;
    return reject("poison", detail, { httpStatus, contentType, durationMs });
  }
}

/** Adds the records of the answer. Those of a document that is left out have no use, as with pages. */
function captureDocument(
  result: PageResult,
  body: Uint8Array,
  answer: DocumentAnswer,
  { url, capture }: PageRequest,
): PageFetched | PageRejected {
  if (result.kind === "redirect") throw new Error("a document does not redirect");
  const { statusText, headers, requestHeaders, date, httpStatus, durationMs, large } = answer;
  // Text is worth compressing, and most documents are compressed already.
  const form =
    large === undefined
      ? { isCompressed: true }
      : {
          ...(large.truncated === null ? {} : { truncated: large.truncated }),
          ...(result.kind === "page" ? { encoding: result.encoding } : {}),
        };
  const recordsFor = (order: CaptureRequest) => {
    const facts = { status: httpStatus, payload: body, durationMs, ...form };
    return captureAnswer(url, { ...{ statusText, headers, requestHeaders, date }, ...facts }, order);
  };
  if (result.kind === "rejected") return capture === null ? result : { ...result, capture: recordsFor(capture) };
  const page = { ...captureContent(url, { ...result, body }, date), headers: keptHeaders(headers) };
  if (capture === null || reasonToLeave(result) !== null) return page;
  const { answer: records } = recordsFor(capture);
  return { ...page, body: EMPTY, capture: { content: null, links: null, ...page.capture, answer: records } };
}

const EMPTY = new Uint8Array(0);

/** `asked-alone`: the hook failed on it, and is to be asked about it alone. */
async function settle(attempt: Attempt, deps: Deps, hook: BatchHook | null): Promise<"settled" | "asked-alone"> {
  const kept = hook === null ? [attempt] : await hook.askRead([attempt]);
  const { packs, ...written } = await write(kept, deps); //                                        4 write
  const { attempts, moved } = await commitAsked(written.attempts, packs, deps, hook); //           5 commit
  await schedule({ attempts, runs: [], waiting: [], moved }, deps); //              6 schedule
  await hook?.settle([attempt.work]);
  return attempts.length > 0 ? "settled" : "asked-alone";
}

/**
 * A row that has settled, or a crawl that has ended, needs its document no more. A crawl that is paused, or of another
 * epoch by now, may still want it, or has put another document in its place.
 */
export async function dropDocument(hint: Hint, deps: Deps): Promise<void> {
  const { crawl, epoch, url, visit } = hint;
  const state = await deps.ledger.crawl(crawl);
  const isOpen = state !== null && ["running", "paused", "watching"].includes(state.status);
  const isCurrent = isOpen && state.epoch === epoch && state.status !== "paused";
  if (isOpen && !isCurrent && (await deps.waitingDocuments.isWanted(hint))) return;
  await deps.documents.remove(documentKey(crawl, url, visit));
  await deps.waitingDocuments.remove(hint);
}
