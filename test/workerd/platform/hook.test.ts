import { expect, test } from "vitest";
import { HookProblem } from "../../../src/frontier/hook/hook-caller.ts";
import type { FaultPlan } from "./faults.ts";
import { type HookRule, ModelHook } from "./hook.ts";
import { Invocation } from "./invocation.ts";
import { Isolate } from "./isolates.ts";
import { quietSurroundings } from "./network.ts";

/** The model's hook: rules that hold at any time, and calls that fail or come late. */

const page = (name: string) => ({ crawl: "c", url: `https://a.test/${name}`, via: null, depth: 0, attempts: 0 });

function open(rules: Record<string, HookRule>, plan?: FaultPlan) {
  const around = quietSurroundings(1, plan);
  const hook = new ModelHook(new Map(Object.entries(rules).map(([name, rule]) => [page(name).url, rule])), around);
  const { time } = around;
  const ask = (...names: string[]) => {
    // Its timeout is the runtime's, in the model's time.
    const { setTimeout, clearTimeout } = globalThis;
    Object.assign(globalThis, time.timers);
    const asked = hook.callerOf(new Invocation(new Isolate(1))).pagesDue(names.map(page));
    return time.until(asked).finally(() => Object.assign(globalThis, { setTimeout, clearTimeout }));
  };
  return { ask };
}

test("it decides by its rules, and throws for a list that holds a bad URL", async () => {
  const { ask } = open({ b: { drop: "pagesDue" }, c: { throwsAt: "pagesDue" } });
  expect(await ask("a", "b")).toEqual([{}, { drop: "not now" }]);
  await expect(ask("a", "c")).rejects.toBeInstanceOf(HookProblem);
  expect(await ask("a")).toEqual([{}]);
});

test("a fault strikes a page once, before or after the call or by its lateness", async () => {
  const found = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const { ask } = open({}, { rate: 1, budget: i % 3, kills: 0 });
    const ends = [await ask("a").then(() => "answered", String), await ask("a").then(() => "answered", String)];
    expect(ends[1]).toBe("answered");
    found.add(ends[0] ?? "");
  }
  expect([...found].sort()).toEqual(["Error: pagesDue: Network connection lost.", "answered"]);
});
