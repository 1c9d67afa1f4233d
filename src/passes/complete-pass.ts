import type { PassRun } from "./pass-run.ts";

/** The last step of every pass: its result holds from now on, and what is no longer needed is removed. */
export async function completePass(run: PassRun): Promise<void> {
  // Repeated after its answer was lost, it does the same again.
  await run.stepAfterEnd("complete", async ({ passes, passObjects, clock }, order) => {
    if (!(await passes.complete(order, clock.now()))) return passObjects.removePass(order);
    const completed = (await passes.list(order.crawl)).filter(({ status }) => status === "completed");
    return passObjects.removeOthers(
      order.crawl,
      completed.map(({ id }) => id),
    );
  });
}
