import pLimit from "p-limit";
import { logWarning } from "../../core/log.ts";
import type { Crawl } from "../../crawl/crawl.ts";
import type { FetchResult, PageFetched, PageResult } from "../../crawl/page/outcome.ts";
import { reject, SENT_PLAINLY } from "../../fetch/answer/answer.ts";
import type { ArchivedAnswer } from "../../fetch/answer/archived-answer.ts";
import { ReaderDied } from "../../fetch/reading/call-reader.ts";
import type { PageRequest } from "../../fetch/request/page-request.ts";
import type { PrivateAccess } from "../../url/private-access.ts";
import type { Attempt } from "../attempt.ts";
import { commitAsked } from "../commit/commit.ts";
import { capturedBytes, writePacks } from "../commit/write-packs.ts";
import type { Deps } from "../deps.ts";
import { captureDocument } from "../documents/read-document.ts";
import { FEATURES } from "../features/list.ts";
import { wantsOf } from "../features/wants.ts";
import { fetchedAttempt } from "../fetched-attempt.ts";
import { pageRequestOf } from "../lane/request-of-work.ts";
import type { CommitDeps, PackDeps } from "../needs.ts";
import type { PageWork } from "../work.ts";
import { type ArchivedUrl, toImportedUrl } from "./archived-url.ts";

/**
 * Takes answers of an archive through reading, writing and commit, as a lane takes those of a host. No lane is opened
 * and no gate asked, because no host is contacted; links lead to no new URLs, because the archive has all that there
 * is. An answer that comes twice changes nothing the second time.
 */

export interface ArchivedCapture extends ArchivedUrl {
  answer: ArchivedAnswer;
}

type ReadingDeps = Pick<Deps, "documents" | "meter" | "readArchived" | "readHeavyPage">;
type ImportDeps = ReadingDeps & CommitDeps & PackDeps & Pick<Deps, "contexts" | "imports" | "limits">;

/** What an invocation holds before it is written. */
const MAX_HELD_BYTES = 8 * 1024 * 1024;
/** Calls of a page fetcher that may fail because of what else its isolate does. */
const MAX_TRIES = 2;

/**
 * Settles the answers that have not settled yet. `captures`: each URL once. Returns how many rows settled. Throws if a
 * stage fails: then the answers may be sent again.
 */
export async function importAnswers(
  crawl: Crawl,
  captures: readonly ArchivedCapture[],
  access: PrivateAccess,
  deps: ImportDeps,
): Promise<number> {
  const urls = captures.map(({ url }) => url);
  const settled = await deps.imports.settled(crawl.id, urls);
  const left = captures.filter(({ url }) => !settled.has(url));
  const context = deps.contexts.of(crawl, access);
  const limit = pLimit(deps.limits.fetches);
  let done = 0;
  for (let from = 0; from < left.length; ) {
    const group = groupFrom(left, from);
    from += group.length;
    const works = group.map((capture) => ({ capture, work: workOf(capture, crawl, context) }));
    await deps.imports.add(
      crawl.id,
      works.map(({ work: { row } }) => ({
        ...{ url: row.url, kind: row.kind, via: row.via },
        ...{ depth: row.depth, priority: row.priority, chain: row.chain },
      })),
      deps.clock.now(),
    );
    const attempts = await Promise.all(
      works.map(({ capture, work }) => limit(() => attemptOf(work, capture.answer, deps))),
    );
    done += await settle(attempts, deps);
  }
  return done;
}

/** The next answers that fit into memory together, at least one. Bodies may be compressed. */
function groupFrom(captures: readonly ArchivedCapture[], from: number): readonly ArchivedCapture[] {
  let bytes = 0;
  let to = from;
  for (; to < captures.length; to++) {
    bytes += captures[to]?.answer.body.byteLength ?? 0;
    if (to > from && bytes > MAX_HELD_BYTES) break;
  }
  return captures.slice(from, to);
}

function workOf(capture: ArchivedCapture, crawl: Crawl, context: PageWork["context"]): PageWork {
  const { url, kind, via, depth, priority, chain } = toImportedUrl(capture, capture.answer, crawl.options.documents);
  return {
    kind: "page",
    hint: { crawl: crawl.id, epoch: crawl.epoch, url, sitemap: false, visit: null, failures: 0 },
    row: {
      ...{ crawl: crawl.id, url, kind, via, depth, priority, chain },
      ...{ attempts: 0, redirects: 0, lastmod: null, found: null, cookies: null, unanswered: null },
      ...{ visit: null, document: null },
    },
    context,
    lost: false,
  };
}

async function attemptOf(work: PageWork, answer: ArchivedAnswer, deps: ReadingDeps): Promise<Attempt> {
  const request = pageRequestOf(work.row.url, work.context, wantsOf(work, FEATURES), SENT_PLAINLY);
  const result = await readAnswer(request, answer, deps);
  return withoutDiscoveries(fetchedAttempt(work, result, answer.date));
}

/** A page that ends its reader twice ends. Throws for want of something of our own. */
async function readAnswer(request: PageRequest, answer: ArchivedAnswer, deps: ReadingDeps): Promise<PageResult> {
  let result: FetchResult | null = null;
  for (let tries = 1; result === null; tries++) {
    result = await deps.readArchived(request, answer).catch((error: unknown) => {
      if (tries < MAX_TRIES) return null;
      return reject("poison", String(error), { httpStatus: answer.status, durationMs: 0 });
    });
  }
  if (result.kind === "given-back") throw new Error(`there was no ${result.lacks} for an answer`);
  if (result.kind !== "document") return result;
  deps.meter.add({ mirrorWrites: result.writes });
  const { key = "" } = request.document ?? {};
  try {
    const body = await deps.documents.read(key);
    if (body === null) throw new Error("the mirror has lost a document");
    const { contentType, headers, httpStatus } = result;
    const read = await readHeavy({ body, contentType, headers, httpStatus }, request, deps);
    return captureDocument(whole(read, result.large?.truncated ?? null), body, result, request);
  } finally {
    await deps.documents.remove(key);
  }
}

function whole(read: PageResult, truncated: PageFetched["truncated"]): PageResult {
  return read.kind === "page" ? { ...read, truncated } : read;
}

async function readHeavy(
  received: Parameters<Deps["readHeavyPage"]>[0],
  request: PageRequest,
  deps: Pick<Deps, "readHeavyPage">,
): Promise<PageResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await deps.readHeavyPage(received, request, 0);
    } catch (error) {
      if (!(error instanceof ReaderDied)) throw error;
      logWarning("imported-document-ended-its-reader", { error: error.message });
      if (!error.isCertain && tries < MAX_TRIES) continue;
      const { httpStatus, contentType } = received;
      return reject("poison", error.message, { httpStatus, contentType, durationMs: 0 });
    }
  }
}

/** The links stand in the pack, for an analysis. A failed answer is not asked for again. */
function withoutDiscoveries(attempt: Attempt): Attempt {
  const none = { count: 0, examples: [] };
  return {
    ...attempt,
    ...{ links: [], alternates: [], sitemaps: [], feeds: [], assets: [], embedded: [], redirect: null, cookies: null },
    ...{ nofollow: none, dropped: { links: none, requisites: none } },
  };
}

/** The last stages, for as many attempts at a time as a pack holds. Returns how many rows settled. */
async function settle(attempts: readonly Attempt[], deps: CommitDeps & PackDeps): Promise<number> {
  let settled = 0;
  for (let from = 0; from < attempts.length; ) {
    let to = from;
    for (let bytes = 0; to < attempts.length && (to === from || bytes < MAX_HELD_BYTES); to++)
      bytes += capturedBytes(attempts[to] as Attempt);
    const { packs, attempts: written } = await writePacks(attempts.slice(from, to), [], deps);
    const { moved } = await commitAsked(written, packs, deps, null);
    settled += moved.reduce((sum, each) => sum + each.settled.length, 0);
    from = to;
  }
  return settled;
}
