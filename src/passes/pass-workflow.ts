import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { NonRetryableError } from "cloudflare:workflows";
import { clockOf } from "../core/clock.ts";
import { ledgerOf } from "../crawl/crawl-id.ts";
import type { PassKind } from "../crawl/report/pass.ts";
import { depsOf } from "../frontier/deps.ts";
import { writeExport } from "./export/write-export.ts";
import { extractPages } from "./extract/extract-pages.ts";
import { keepAnswers } from "./links/known-answers.ts";
import { type DoRest, type DoStep, PassEnded, type PassOrder, PassRun } from "./pass-run.ts";
import { runPass } from "./run-pass.ts";
import { classifyPages } from "./text/classify-pages.ts";
import { findTopics } from "./text/find-topics.ts";

/**
 * A pass as an instance of Cloudflare Workflows, which keeps what each step returned and goes on after the last one.
 * https://developers.cloudflare.com/workflows/build/rules-of-workflows/
 */

/**
 * A failed step is tried six times, over five minutes. It may last ten minutes, which is below the time for which a
 * deletion waits (IN_FLIGHT_MS). https://developers.cloudflare.com/workflows/build/sleeping-and-retrying/
 */
const POLICY = {
  retries: { limit: 5, delay: "10 seconds", backoff: "exponential" },
  timeout: "10 minutes",
} as const;

const RUNNERS: Record<PassKind, (run: PassRun) => Promise<void>> = {
  analyze: runPass,
  classify: classifyPages,
  topics: findTopics,
  export: writeExport,
  extract: extractPages,
};

export class PassWorkflow extends WorkflowEntrypoint<Env, PassOrder> {
  override async run({ payload }: Readonly<WorkflowEvent<PassOrder>>, step: WorkflowStep): Promise<void> {
    const order: PassOrder = { ...payload, crawl: payload.crawl, id: payload.id };
    const doStep = ((name, work) => step.do(name, POLICY, () => work().catch(asFinal) as never)) as DoStep;
    // A rest counts real time.
    const doRest: DoRest = (name, ms) => step.sleep(name, ms / clockOf(this.env).speed);
    const run = new PassRun(order, doStep, () => depsOf(this.env, undefined, ledgerOf(order.crawl)), doRest);
    try {
      await RUNNERS[order.kind ?? "analyze"](run);
    } catch (error) {
      await endWithoutResult(run, error);
      throw error;
    }
  }
}

/** Workflows do not retry a step that throws this. */
function asFinal(error: unknown): never {
  throw error instanceof PassEnded ? new NonRetryableError(error.message) : error;
}

/** A pass that has ended otherwise stays as it is. */
async function endWithoutResult(run: PassRun, error: unknown): Promise<void> {
  const why = error instanceof Error ? error.message : String(error);
  await run.stepAfterEnd("fail", async (deps, order) => {
    if (!(await deps.passes.fail(order, why, deps.clock.now()))) return;
    await keepAnswers(deps, order);
    await deps.passObjects.removePass(order);
  });
}
