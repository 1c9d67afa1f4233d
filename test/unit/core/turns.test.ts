import { expect, test } from "vitest";
import { inTurns, takeTurn } from "../../../src/core/turns.ts";

test.each([0, 1, 5_000, 5_001, 17_000])(
  "%i items come in order, and others have their turns between them",
  async (count) => {
    const items = Array.from({ length: count }, (_, at) => at);
    const done: number[] = [];
    const seen: number[] = [];
    const timer = setInterval(() => seen.push(done.length), 0);
    await inTurns(items, (item) => done.push(item));
    clearInterval(timer);
    expect(done).toEqual(items);
    if (count > 5_000) expect(seen.some((length) => length > 0 && length < count)).toBe(true);
  },
);

test("one turn is taken at a time, whatever fails, and each is followed by a rest", async () => {
  const steps: string[] = [];
  const turn = async (name: string) => {
    steps.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve));
    steps.push(`${name} ends`);
    if (name === "b") throw new Error("b");
    return name;
  };
  const rests = setInterval(() => steps.at(-1) !== "rest" && steps.push("rest"), 1);
  const ends = await Promise.allSettled(["a", "b", "c"].map((name) => takeTurn(() => turn(name))));
  clearInterval(rests);
  expect(ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)))).toEqual([
    "a",
    "Error: b",
    "c",
  ]);
  const turns = steps.filter((step) => step !== "rest");
  for (const [at, step] of turns.entries()) expect(step.endsWith(at % 2 === 0 ? "begins" : "ends")).toBe(true);
  for (const step of turns.filter((each) => each.endsWith("begins")).slice(1))
    expect(steps[steps.indexOf(step) - 1]).toBe("rest");
});
