import { logError } from "../core/log.ts";
import { costUsd } from "../crawl/bounds/usage.ts";
import type { Pass } from "../crawl/report/pass.ts";
import { partsOf, type Shards } from "../crawl/shards/shards.ts";
import type { Deps } from "../frontier/deps.ts";
import { homeOf, type LedgersDeps } from "../frontier/ledgers.ts";
import { type PartedStores, storesOf } from "../frontier/shards/over-parts.ts";

/** The steps of a pass, each noted in its row and billed to its crawl. */

/** Without a kind, it is an analysis. */
export type PassOrder = Pick<Pass, "crawl" | "id"> & Partial<Pick<Pass, "kind" | "checkExternal" | "reindex">>;

/** What a step is opened with: its own stores and meter. */
type OpenedDeps = LedgersDeps &
  Pick<Deps, keyof PartedStores | "shardParts" | "passes" | "passObjects" | "readContent"> &
  Pick<Deps, "writeExportPart" | "extractions" | "extractionSections" | "modelAnswers" | "model" | "readFields"> &
  Pick<Deps, "gate" | "fetchHead" | "isDeadName"> &
  Pick<Deps, "meter" | "workload" | "boot" | "limits" | "clock">;

/** What a step works with. The stores are those of all parts of a crawl over several ledgers. */
export type PassDeps = Omit<OpenedDeps, keyof PartedStores> &
  PartedStores & {
    /** The parts, each with the stores of its ledger alone. A crawl in one ledger is one part. */
    parts: readonly { crawl: string; deps: OpenedDeps }[];
  };

/** Does a step under a name, or returns what it returned before. Workflows retry a step that throws. */
export type DoStep = <T extends Rpc.Serializable<T>>(name: string, work: () => Promise<T>) => Promise<T>;

/** Rests so long in milliseconds, without an invocation. The name is unique. */
export type DoRest = (name: string, ms: number) => Promise<void>;

/** A pass that must not go on. Its step is not tried again. */
export class PassEnded extends Error {}

/** Part of the name of each step: after a deployment that changed the objects of passes, one that runs begins anew. */
const STEPS_VERSION = 3;

export class PassRun {
  readonly order: PassOrder;
  readonly #doStep: DoStep;
  readonly #open: () => OpenedDeps;
  readonly #doRest: DoRest;
  #done = 0;
  #steps: number | null = null;

  /** `open`: the stores of one step. Without `doRest`, its clock sleeps. */
  constructor(order: PassOrder, doStep: DoStep, open: () => OpenedDeps, doRest?: DoRest) {
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
      return this.#bill(name, deps, crawl.shards, work);
    });
  }

  /** Does a step that is right for a pass that has ended, too. It may be repeated. */
  stepAfterEnd(name: string, work: (deps: PassDeps, order: PassOrder) => Promise<void>): Promise<null> {
    return this.#doStep(name, async () => {
      await this.#bill(name, this.#open(), null, work);
      return null;
    });
  }

  async #bill<T>(
    name: string,
    deps: OpenedDeps,
    shards: Shards | null,
    work: (deps: PassDeps, order: PassOrder) => Promise<T>,
  ): Promise<T> {
    const { passes, meter, workload } = deps;
    const ids = shards === null ? [this.order.crawl] : partsOf(shards);
    const parts = ids.map((crawl) => ({ crawl, deps: homeOf(deps, crawl) }));
    workload.batches += 1;
    try {
      return await work({ ...storesOf({ shards }, deps), parts }, this.order);
    } catch (error) {
      logError("pass-step-failed", error, { step: name, crawl: this.order.crawl });
      throw error;
    } finally {
      workload.batches -= 1;
      await passes.bill(this.order.crawl, meter.take());
    }
  }
}
