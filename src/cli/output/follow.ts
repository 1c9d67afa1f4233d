import { setTimeout as sleep } from "node:timers/promises";
import type { CrawlDetail } from "../../api/views.ts";
import type { Installation } from "../installation/installation.ts";
import type { Place } from "./go-on.ts";
import { describeLongWait } from "./long-wait.ts";
import type { Progress } from "./progress.ts";
import { pagesOf, printable } from "./terminal-text.ts";

/** Follows a crawl to its end. The first Ctrl-C finishes the pages in flight, the second stops at once. */

const POLL_MS = 250;
/** A long crawl is polled every five seconds: each request costs workerd some 10 KB that it does not free. */
const MAX_POLL_MS = 5_000;
/** The window of the displayed rate. */
const WINDOW_MS = 5_000;
/** Looking at all hosts costs the gate of each a call. */
const LOOK_EVERY_MS = 10_000;
/** What failed waits for seconds until it is tried again, and the health reads every ledger. */
const HEALTH_EVERY_MS = 2_000;
const SAME_KEYPRESS_MS = 500;

export interface Followed {
  crawl: CrawlDetail;
  /** The user stopped the crawl; it can be resumed. */
  interrupted: boolean;
}

/** Aborts at the first Ctrl-C or SIGTERM from now on. The second one ends the process. */
export function listenForStop(): { signal: AbortSignal; end: () => void } {
  const stop = new AbortController();
  let stoppedAt = 0;
  const onSignal = () => {
    // Through npm, one Ctrl-C arrives twice: from the terminal and from npm.
    if (stop.signal.aborted && Date.now() - stoppedAt > SAME_KEYPRESS_MS) process.exit(130);
    if (!stop.signal.aborted) stoppedAt = Date.now();
    stop.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  const end = () => {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  };
  return { signal: stop.signal, end };
}

/** A crawl that settles nothing is asked for its hosts now and then. */
class Stillness {
  #finished = -1;
  #nextAt = 0;
  readonly #said = new Set<string>();

  /** Whether nothing has ended for a while, and it is time to look. */
  lasts(finished: number, now: number): boolean {
    const isStill = finished === this.#finished;
    const isTime = isStill && now >= this.#nextAt;
    if (!isStill || isTime) this.#nextAt = now + LOOK_EVERY_MS;
    this.#finished = finished;
    return isTime;
  }

  isNew(key: string): boolean {
    return !this.#said.has(key) && this.#said.add(key) !== undefined;
  }
}

export async function follow(
  id: string,
  { client, local, logs, isShared }: Installation,
  progress: Progress,
  stop: AbortSignal,
  place: Place,
): Promise<Followed> {
  const startedAt = Date.now();
  const stillness = new Stillness();
  let samples: { at: number; completed: number }[] = [];
  /** Crawls that take turns wait for each other again and again: that is said once. */
  let waitingFor: string | null = null;
  let failure: string | null = null;
  let reportedFailure: string | null = null;
  let healthAt = Number.NEGATIVE_INFINITY;
  try {
    for (;;) {
      const crawl = await client.crawl(id);
      const now = Date.now();
      samples = [...samples.filter(({ at }) => now - at <= WINDOW_MS), { at: now, completed: pagesOf(crawl) }];
      const [first] = samples;
      const seconds = first === undefined ? 0 : (now - first.at) / 1000;
      progress.update(crawl, seconds === 0 ? 0 : (pagesOf(crawl) - (first?.completed ?? 0)) / seconds);
      if (crawl.waitingFor !== null && crawl.waitingFor !== waitingFor) {
        progress.say(printable(`Waiting: ${crawl.waitingFor}.`));
        waitingFor = crawl.waitingFor;
      }
      if (stillness.lasts(crawl.finished, now)) {
        const wait = describeLongWait(crawl, await client.hosts(id), now, place);
        if (wait !== null && stillness.isNew(wait.key)) progress.say(printable(wait.line));
      }
      // On Cloudflare another isolate may answer /health, so the crawl reports its failure.
      if (!local) failure = crawl.lastFailure?.what ?? null;
      else if (now - healthAt >= HEALTH_EVERY_MS) {
        failure = (await client.health()).failure;
        healthAt = now;
      }
      if (failure !== null && failure !== reportedFailure)
        progress.say(`Trouble: ${failure}. Orbweaver tries again.${logs === null ? "" : ` Logs: ${logs}`}`);
      reportedFailure = failure;
      if (crawl.status !== "running") return { crawl, interrupted: crawl.status === "paused" };
      if (stop.aborted) {
        // A deployed crawl continues without this process; a local one does not.
        if (!local) return { crawl, interrupted: true };
        progress.say("Stopping: the pages in flight are being finished. Ctrl-C again stops at once.");
        await client.act(id, "pause");
        // What others crawl goes on, and with it the pages of this crawl that are in flight.
        while ((await client.busy()) > 0 && !(await isShared())) await sleep(POLL_MS);
        return { crawl: await client.crawl(id), interrupted: true };
      }
      const pauseMs = Math.min(Math.max(POLL_MS, (now - startedAt) / 100), MAX_POLL_MS);
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    progress.stop();
  }
}
