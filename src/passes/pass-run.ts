import { logError } from "../core/log.ts";
import { costUsd } from "../crawl/bounds/usage.ts";
import type { Pass } from "../crawl/report/pass.ts";
import type { Deps } from "../frontier/deps.ts";
import type { LedgersDeps } from "../frontier/ledgers.ts";
import type { Stores } from "../store/mirror/read-mirror.ts";

/** The steps of a pass, each noted in its row and billed to its crawl. */

/** Without a kind, it is an analysis. */
export type PassOrder = Pick<Pass, "crawl" | "id"> & Partial<Pick<Pass, "kind" | "checkExternal" | "reindex">>;

/** What a step works with: its own stores and meter. */
export type PassDeps = Stores &
  LedgersDeps &
  Pick<Deps, "passes" | "passObjects" | "crawlTemplates" | "reindexing" | "labels" | "ledger" | "readContent"> &
  Pick<Deps, "writeExportPart" | "extractions" | "extractionSections" | "modelAnswers" | "model" | "readFields"> &
  Pick<Deps, "gate" | "fetchHead" | "isDeadName" | "samePages"> &
  Pick<Deps, "meter" | "workload" | "boot" | "limits" | "clock">;

/** Does a step under a name, or returns what it returned before. Workflows retry a step that throws. */
export type DoStep = <T extends Rpc.Serializable<T>>(name: string, work: () => Promise<T>) => Promise<T>;

/** Rests so long in milliseconds, without an invocation. The name is unique. */
export type DoRest = (name: string, ms: number) => Promise<void>;

/** A pass that must not go on. Its step is not tried again. */
export class PassEnded extends Error {}

/** Part of the name of each step: after a deployment that changed the objects of passes, one that runs begins anew. */
const STEPS_VERSION = 2;

export class PassRun {
  readonly order: PassOrder;
  readonly #doStep: DoStep;
  readonly #open: () => PassDeps;
  readonly #doRest: DoRest;
  #done = 0;
  #steps: number | null = null;

  /** `open`: the stores of one step. Without `doRest`, its clock sleeps. */
  constructor(order: PassOrder, doStep: DoStep, open: () => PassDeps, doRest?: DoRest) {
    this.order = order;
    this.#doStep = doStep;
    this.#open = open;
    this.#doRest = doRest ?? ((_, ms) => open().clock.sleep(ms));
  }

  /** Rests between two steps: at most a few minutes, because a pass without steps counts as lost. */
  rest(name: string, ms: number): Promise<void> {
    return this.#doRest(name, ms);
  }

  /** The number of steps after those that were done, as far as it is known. */
  expect(steps: number): void {
    this.#steps = this.#done + steps;
  }

  /**
   * Does the next step, unless it was done before. `name` is unique, and the same in each run. `stage`: for people. It
   * must stay below 20 s of CPU time, return less than a mebibyte, and write the same bytes when it is repeated. Throws
   * PassEnded if the pass has ended, its crawl is being deleted, or the crawl's cost limit is reached.
   */
  step<T extends Rpc.Serializable<T>>(
    name: string,
    stage: string,
    work: (deps: PassDeps, order: PassOrder) => Promise<T>,
  ): Promise<T> {
    const done = this.#done++;
    // The number is an estimate: merges of the report come on top of it.
    const steps = this.#steps === null ? null : Math.max(this.#steps, done + 1);
    return this.#doStep(`${name} (${STEPS_VERSION})`, async () => {
      const deps = this.#open();
      const { passes, clock, boot } = deps;
      // On this machine, workerd answers requests only when no work is ready, and a pass has always work.
      await clock.sleep(1);
      const crawl = await passes.beginStep(this.order, { stage, done, steps }, clock.now(), boot);
      if (crawl === null) throw new PassEnded("the pass has ended");
      const { maxCostUsd } = crawl.options;
      const cost = costUsd(crawl.usage) - costUsd(crawl.usageBeforeMonth);
      if (maxCostUsd > 0 && cost >= maxCostUsd)
        throw new PassEnded(`the crawl has cost about ${maxCostUsd} USD, which is its limit`);
      return this.#bill(name, deps, work);
    });
  }

  /** Does a step that is right for a pass that has ended, too. It may be repeated. */
  stepAfterEnd(name: string, work: (deps: PassDeps, order: PassOrder) => Promise<void>): Promise<null> {
    return this.#doStep(name, async () => {
      await this.#bill(name, this.#open(), work);
      return null;
    });
  }

  async #bill<T>(name: string, deps: PassDeps, work: (deps: PassDeps, order: PassOrder) => Promise<T>): Promise<T> {
    const { passes, meter, workload } = deps;
    workload.batches += 1;
    try {
      return await work(deps, this.order);
    } catch (error) {
      logError("pass-step-failed", error, { step: name, crawl: this.order.crawl });
      throw error;
    } finally {
      workload.batches -= 1;
      await passes.bill(this.order.crawl, meter.take());
    }
  }
}
