import { logWarning } from "../core/log.ts";
import type { Crawl, Discovery } from "../crawl/crawl.ts";
import { hasTopic } from "../crawl/crawl-options.ts";
import { pagePriority } from "../crawl/page/url-kind.ts";
import { signalRoom } from "../crawl/watch/signal.ts";
import { isKey, type Submission } from "../crawl/watch/submission.ts";
import { dispatchNow } from "../frontier/batch/message.ts";
import { Gathering } from "../frontier/commit/gathering.ts";
import { compileCrawl } from "../frontier/context.ts";
import { type FetchOnceDeps, fetchOnce } from "../frontier/lane/fetch-once.ts";
import { askLedgers, atLedger, homeOf } from "../frontier/ledgers.ts";
import { emptyCommit } from "../store/ledger/ledger-commit.ts";
import type { KeyState } from "../store/notices/indexnow.ts";
import type { Deeds } from "./deed.ts";
import type { SubmissionDeps } from "./needs.ts";

/**
 * An owner's word by IndexNow (https://www.indexnow.org/documentation): the pages of a watch that have changed. The key
 * file of the host must hold the owner's key. The heartbeat reads it through the host's gate, so a request never waits
 * for a host. What strangers may cause by it has a bound: `store/notices/indexnow.ts`.
 */

/** Hosts whose keys one heartbeat checks. */
const MOST_HOSTS = 20;
const MAX_KEY_FILE_BYTES = 10_000;
/** A page that is submitted is as near as one to which a seed links. */
const DEPTH = 1;

/** Takes a submission. Only a valid key brings visits at once. */
export async function submit(submission: Submission, deps: SubmissionDeps): Promise<KeyState> {
  const elsewhere = await watchesElsewhere(submission.host, deps);
  const state = await deps.indexnow.submit(submission, deps.clock.now(), elsewhere.length > 0);
  if (state !== "valid") return state;
  const here = await atLedger(deps, 0).watchHosts.watchesOf(submission.host);
  for (const watch of [...here, ...elsewhere]) await takeUp(watch, submission.urls, homeOf(deps, watch.id));
  return state;
}

/**
 * The watches of other ledgers that visit this host. A ledger that does not answer is left out: its watches miss this
 * word, and visit the pages when they are due.
 */
async function watchesElsewhere(host: string, deps: SubmissionDeps): Promise<Crawl[]> {
  if (deps.ledgers.numbers.length === 1) return [];
  const { answers } = await askLedgers(deps, async ({ ledgerNumber, watchHosts }) =>
    ledgerNumber === 0 ? [] : watchHosts.watchesOf(host),
  );
  return answers.flat();
}

/** Checks the keys of submissions that wait, and takes up their URLs. Returns the number of keys that were checked. */
export async function checkKeys(deps: SubmissionDeps & FetchOnceDeps, deeds: Deeds): Promise<number> {
  const { indexnow, clock } = deps;
  await indexnow.forget(clock.now());
  const pending = await indexnow.pending(MOST_HOSTS);
  await indexnow.noteTries(pending, clock.now());
  await Promise.all(
    pending.map((submission) => deeds.attempt("check", submission.host, () => check(submission, deps))),
  );
  return pending.length;
}

async function check(submission: Submission, deps: SubmissionDeps & FetchOnceDeps): Promise<void> {
  const { host, location, key, urls } = submission;
  const { indexnow, clock } = deps;
  const here = await atLedger(deps, 0).watchHosts.watchesOf(host);
  const watches = [...here, ...(await watchesElsewhere(host, deps))];
  // A paused watch asks for nothing, so the key waits until it is resumed.
  const asking = watches.find(({ status }) => status !== "paused");
  if (asking === undefined && watches.length > 0) return;
  const result = asking === undefined ? { kind: "denied" as const } : await fetchKeyFile(location, asking, deps);
  // The heartbeat tries again until the submission is forgotten, or was tried too often.
  if (result.kind === "waits") return;
  if (result.kind === "rejected" && result.retryable) return indexnow.countFailure(submission, clock.now());
  const isValid = result.kind === "page" && isKeyFile(result.body, key);
  if (isValid) for (const watch of watches) await takeUp(watch, urls, homeOf(deps, watch.id));
  else logWarning("indexnow-refused", { host, kind: result.kind });
  await indexnow.settle(submission, isValid ? "valid" : "refused", clock.now());
}

function fetchKeyFile(location: string, asking: Crawl, deps: FetchOnceDeps): ReturnType<typeof fetchOnce> {
  return fetchOnce(location, { ...asking, options: { ...asking.options, maxBodyBytes: MAX_KEY_FILE_BYTES } }, deps);
}

/** A file of keys alone: a page of the host that has the word in it says nothing about its owner. */
function isKeyFile(body: Uint8Array, key: string): boolean {
  const words = new TextDecoder().decode(body).trim().split(/\s+/);
  return words.every(isKey) && words.includes(key);
}

/**
 * Makes the known pages due, as far as the budget of signals goes, and discovers the others, if they are in scope and
 * the page limit has room.
 */
async function takeUp(crawl: Crawl, urls: readonly string[], deps: SubmissionDeps): Promise<void> {
  const { id, options, counters } = crawl;
  const now = deps.clock.now();
  const budget = options.watch?.fixed === false ? await deps.signals.budget(id) : null;
  const room = budget === null ? 0 : signalRoom(budget, now);
  const quiet = room === 0 ? [] : await deps.signals.unsignalled(id, urls);
  const signals = quiet.slice(0, room).map((url) => ({ url, lastmod: null, isDue: true }));
  const unknown = await deps.ledger.unknown(id, [...urls]);
  const discoveries = inScope(crawl, unknown, deps).slice(0, Math.max(0, options.limit - counters.discovered));
  if (signals.length + discoveries.length === 0) return;
  const moved = await deps.ledger.commit([{ ...emptyCommit(id), signals, discoveries }], now);
  for (const { crawl, state, ...sent } of moved)
    if (state?.status === "running") await dispatchNow(deps, { crawl, epoch: state.epoch }, sent);
}

/**
 * The URLs are on a host of the watch, so that a private one was allowed; and the fetcher refuses it where it is not.
 */
function inScope(crawl: Crawl, urls: Iterable<string>, deps: Pick<SubmissionDeps, "seen">): Discovery[] {
  const context = { crawl, topic: null, ...compileCrawl(crawl, "all") };
  // The host itself says that the page is new, which in a crawl with a subject is worth as much as a good link.
  const score = hasTopic(crawl.options) ? 1 : null;
  const gathering = new Gathering(context, deps.seen.of(crawl.id));
  for (const url of urls) {
    const priority = pagePriority({ isPreferred: context.isPreferred(url), score, nth: null });
    const found = { via: null, depth: DEPTH, redirects: 0, chain: 0, pattern: null, lastmod: null, cookies: null };
    gathering.decide({ ...found, url, kind: "page", priority }, "urls");
  }
  return [...gathering.found.values()];
}
