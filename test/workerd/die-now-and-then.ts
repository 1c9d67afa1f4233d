import type { DoStep } from "../../src/passes/pass-run.ts";

/** Does steps in a process that is killed now and then, before a step or after it. `done`: what steps returned. */
export function dieNowAndThen(done: Map<string, unknown>): DoStep {
  let calls = 0;
  return async (name, work) => {
    if (done.has(name)) return done.get(name) as never;
    if (calls++ % 3 === 1) throw new Error("the process is killed before the step");
    const value = await work();
    if (calls % 3 === 1) throw new Error("the process is killed after the step");
    done.set(name, structuredClone(value));
    return value;
  };
}
