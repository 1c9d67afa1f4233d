import type { PassRun } from "./pass-run.ts";

/** The last step of every pass: its result holds from now on, and what is no longer needed is removed. */
export async function completePass(run: PassRun): Promise<void> {
  // Repeated after its answer was lost, it does the same again.
  await run.stepAfterEnd("complete", async ({ passes, passObjects, clock }, order) => {
    if (!(await passes.complete(order, clock.now()))) return passObjects.removePass(order);
    // The next pass may have begun already: what it writes stays, too.
    return passObjects.removeOthers(order.crawl, async () => {
      const { completed = [], running = [] } = Object.groupBy(await passes.list(order.crawl), ({ status }) => status);
      return { completed: completed.map(({ id }) => id), running: running.map(({ id }) => id) };
    });
  });
}
