import type { Settled } from "../../store/ledger/ledger-commit.ts";
import type { Attempt } from "../attempt.ts";
import { commitAsked } from "../commit/commit.ts";
import { recordRobots } from "../commit/record-robots.ts";
import { writePacks } from "../commit/write-packs.ts";
import type { LaneRun } from "../lane/fetch-lane.ts";
import { untilDeadline } from "../lane/lane-deadline.ts";
import type { PackDeps } from "../needs.ts";
import { toHints } from "../work.ts";
import type { Waiting } from "./admit.ts";
import type { Batch, BatchFailure } from "./batch.ts";
import { schedule } from "./schedule.ts";

/**
 * The last three stages: commits what the hosts of a batch bring, in groups, as databases do with concurrent
 * transactions. A transaction and a pack cost the same for one page and for 25, but a fast host must not wait for a
 * slow one. So the first result waits a moment for others; one transaction of a batch runs at a time.
 */

/**
 * Real time that a result waits for others. A polite host rests for longer anyway, and its next URLs must find it free.
 */
const LINGER_MS = 500;
/**
 * The same of a result for which nobody waits: its host is free, and has other URLs of its crawl to give meanwhile. So
 * lanes of polite hosts that end one after the other share a transaction and a pack. Twice as long saves nothing more.
 */
const PATIENT_LINGER_MS = 5_000;

/** What one host brings. */
interface Part {
  attempts: readonly Attempt[];
  run?: LaneRun;
  waiting?: readonly Waiting[];
  /** Whether nobody waits for it. Its lane has been given back. */
  isPatient?: boolean;
}

interface Group {
  parts: Part[];
  /** Lets others join for this time at most, in real time. */
  linger(ms: number): void;
  /** Ends the wait for others. */
  close(): void;
  ended: Promise<void>;
}

/** The fourth stage. */
export async function write(attempts: readonly Attempt[], deps: PackDeps): ReturnType<typeof writePacks> {
  return writePacks(attempts, await recordRobots(attempts, deps), deps);
}

export class GroupCommit {
  readonly #batch: Batch;
  #hostsLeft: number;
  #open: Group | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** `hosts`: the number of hosts that will call `leave`. */
  constructor(batch: Batch, hosts: number) {
    this.#batch = batch;
    this.#hostsLeft = hosts;
  }

  /** Whether a result may wait for those of other hosts. */
  get isAwaitingOthers(): boolean {
    return this.#hostsLeft > 1 && this.#batch.hook === null;
  }

  /** Resolves when the part is committed or given back. Rejects if neither was possible. */
  add(part: Part): Promise<void> {
    const { attempts, run, waiting = [], isPatient = false } = part;
    if (attempts.length === 0 && run === undefined && waiting.length === 0) return Promise.resolve();
    this.#open ??= this.#openGroup();
    const group = this.#open;
    group.parts.push(part);
    group.linger(isPatient ? PATIENT_LINGER_MS : LINGER_MS);
    if (this.#hostsLeft === 0 || this.#batch.isFull || this.#batch.isFullOfText) group.close();
    return group.ended;
  }

  /** A host adds nothing more. Nobody waits after the last one has left. */
  leave(): void {
    this.#hostsLeft -= 1;
    if (this.#hostsLeft === 0) this.#open?.close();
  }

  #openGroup(): Group {
    const { activity, deps } = this.#batch;
    const closed = Promise.withResolvers<void>();
    // A request may start 32 invocations, so a hook is called once for all hosts.
    const linger = (ms: number) =>
      queueMicrotask(() => {
        if (this.#hostsLeft > 0 && this.#batch.hook === null)
          void deps.clock.sleep(ms * deps.clock.speed).then(closed.resolve);
      });
    const group: Group = { parts: [], linger, close: closed.resolve, ended: Promise.resolve() };
    const start = async () => {
      await Promise.all([closed.promise, this.#last]);
      // Until now others could join.
      if (this.#open === group) this.#open = null;
      await activity.work(() => this.#settle(group.parts));
    };
    group.ended = start();
    this.#last = group.ended.catch(() => undefined);
    return group;
  }

  async #settle(parts: readonly Part[]): Promise<void> {
    const batch = this.#batch;
    const { deps, report } = batch;
    const tried = parts.flatMap(({ attempts }) => attempts);
    const runs = parts.flatMap(({ run }) => run ?? []);
    const waiting = parts.flatMap((part) => part.waiting ?? []);
    const works = [...tried, ...waiting].map(({ work }) => work).concat(runs.flatMap(({ unfetched }) => unfetched));
    const { hook } = batch;
    const settling = async () => {
      const kept = hook === null ? tried : await batch.stage("hook", () => hook.askRead(tried));
      const lanes = runs.map(({ lane }) => lane);
      const writing = () => untilDeadline(write(kept, deps), lanes, deps.clock);
      const written = await batch.stage("write", writing); //                                            4 write
      const packs = [...written.packs, ...runs.flatMap((run) => run.packs)];
      const { attempts, moved } = await batch.stage(
        "commit",
        () => commitAsked(written.attempts, packs, deps, hook), //                                             5 commit
      );
      if (moved.length > 0) report.commits += 1;
      for (const { crawl, settled } of moved) this.#count(crawl, settled);
      await batch.stage("schedule", () => schedule({ attempts, runs, waiting, moved }, deps)); //        6 schedule
    };
    await settling()
      .catch(async (failure: BatchFailure) => {
        await Promise.all(runs.map(({ driver }) => driver.release()));
        await batch.giveBack(toHints(works), failure);
      })
      .finally(() => {
        for (const attempt of tried) {
          batch.release(attempt);
          batch.releaseText(attempt);
        }
      });
  }

  #count(crawl: string, settled: Settled[]): void {
    const counts = this.#batch.report.settled[crawl] ?? {};
    for (const { status } of settled) counts[status] = (counts[status] ?? 0) + 1;
    this.#batch.report.settled[crawl] = counts;
  }
}
