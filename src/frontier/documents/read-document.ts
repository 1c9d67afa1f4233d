import type { DocumentAnswer, PageFetched, PageRejected, PageResult } from "../../crawl/page/outcome.ts";
import { reasonToLeave } from "../../crawl/page/reason-to-leave.ts";
import { isOpenStatus } from "../../crawl/page/status.ts";
import { reject, SENT_PLAINLY } from "../../fetch/answer/answer.ts";
import { type CaptureRequest, captureAnswer, captureContent } from "../../fetch/answer/capture-page.ts";
import { keptHeaders } from "../../fetch/answer/kept-headers.ts";
import { ReaderDied } from "../../fetch/reading/call-reader.ts";
import type { PageRequest } from "../../fetch/request/page-request.ts";
import { type ByteLease, heldDocuments } from "../../fetch/transport/byte-budget.ts";
import type { ClaimedDocument } from "../../store/mirror/document-turns.ts";
import { documentKey } from "../../store/mirror/documents.ts";
import { hostKey } from "../../url/host-key.ts";
import { type Attempt, timed } from "../attempt.ts";
import { write } from "../batch/group-commit.ts";
import { dispatch, type Hint } from "../batch/message.ts";
import { retryLater } from "../batch/retry-later.ts";
import { schedule } from "../batch/schedule.ts";
import { commitAsked } from "../commit/commit.ts";
import type { Deps } from "../deps.ts";
import { OpenFeatures, settleAttempt } from "../features/open-features.ts";
import { fetchedAttempt } from "../fetched-attempt.ts";
import { BatchHook } from "../hook/ask-hook.ts";
import { writeFile } from "../lane/fetch-lane.ts";
import { asPage } from "../lane/fetch-once.ts";
import { pageRequestOf } from "../lane/request-of-work.ts";
import type { CommitDeps, PackDeps, RetryDeps, TurnDeps } from "../needs.ts";
import type { PageWork } from "../work.ts";
import { DOCUMENT_READING_MS, expectReading } from "./send-document.ts";
import { noteDeath, removeSettled } from "./take-document.ts";

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
    if (end === "asked-alone") await deps.documentTurns.release(document, deps.clock.now() + DOCUMENT_READING_MS);
    return end === "again" ? end : "settled";
  } finally {
    lease?.release();
  }
}

/** This machine's isolate has no limit of memory, and reads no more documents at once than it has readers. */
async function takeMemory(bytes: number, { boot }: TurnDeps): Promise<ByteLease | null> {
  return boot === null ? heldDocuments.take(bytes, DOCUMENT_READING_MS) : null;
}

/**
 * Sends a page to a lane, which fetches and reads it: what has to be done with it needs its host. This is no attempt,
 * and no failure.
 */
async function askInLane(hint: Hint, deps: Pick<Deps, "clock" | "frontier" | "waitingDocuments">): Promise<void> {
  // Otherwise the message would lead to the document that waits.
  await deps.waitingDocuments.remove(hint);
  await dispatch(deps, [{ ...hint, inLane: true, delayMs: 0 }]);
}

/** Another attempt may have settled the row, and then the hint is dropped. */
async function fetchAgain(hint: Hint, deps: RetryDeps & Pick<Deps, "waitingDocuments">): Promise<void> {
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
  const features = await OpenFeatures.open({
    works: [work],
    host: hostKey(work.row.url),
    document: answer,
    ask: async () => null,
    visit: async () => null,
    wait: (event) => event,
    deps,
  });
  const turn = features.before(work);
  if (turn?.kind === "decided") return settle(await features.end(work, turn.attempt), deps, hook);
  const request = pageRequestOf(work.row.url, work.context, features.wants(work), SENT_PLAINLY);
  const read = await readOnce(document, body, request, deps);
  deps.meter.add({ cpuMs: READER_CPU_MS + body.byteLength * READER_CPU_MS_PER_BYTE });
  if (read === "again") return read;
  const result = await features.after(work, { result: asFetched(read, answer), now });
  if (result === "lane") return result;
  const kept = captureDocument(asPage(result), body, answer, request);
  const attempt = await settleAttempt(timed(fetchedAttempt(work, kept, now), answer), deps);
  if (kept.kind === "page" && reasonToLeave(kept) === null && request.capture === null)
    await writeFile(work, kept, deps, answer.date);
  const ended = await features.end(work, attempt);
  await features.close();
  return settle(ended, deps, hook);
}

/** A large page as its lane would have it. */
function asFetched(read: PageResult, { large, fault = null }: DocumentAnswer): PageResult {
  return large === undefined || read.kind !== "page" ? read : { ...read, truncated: large.truncated, fault };
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
export function captureDocument(
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
async function settle(
  attempt: Attempt,
  deps: CommitDeps & PackDeps & Pick<Deps, "waits">,
  hook: BatchHook | null,
): Promise<"settled" | "asked-alone"> {
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
export async function dropDocument(
  hint: Hint,
  deps: Pick<Deps, "documents" | "ledger" | "waitingDocuments">,
): Promise<void> {
  const { crawl, epoch, url, visit } = hint;
  const state = await deps.ledger.crawl(crawl);
  const isOpen = state !== null && isOpenStatus(state.status);
  const isCurrent = isOpen && state.epoch === epoch && state.status !== "paused";
  if (isOpen && !isCurrent && (await deps.waitingDocuments.isWanted(hint))) return;
  await deps.documents.remove(documentKey(crawl, url, visit));
  await deps.waitingDocuments.remove(hint);
}

/**
 * Removes what a put of which nobody knows may have left (`sendSweep`). A document that another attempt is about to
 * note may go too: then its page is fetched again.
 */
export async function sweepDocument(
  { crawl, url, visit }: Hint,
  deps: Pick<Deps, "documents" | "waitingDocuments">,
): Promise<void> {
  if (await deps.waitingDocuments.isWanted({ crawl, url, visit })) return;
  await deps.documents.remove(documentKey(crawl, url, visit));
}
