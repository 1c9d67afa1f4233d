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

test("one turn is taken at a time, whatever fails, and the next one begins after a rest", async () => {
  const turns: { name: string; beganAt: number; endedAt: number }[] = [];
  const turn = async (name: string) => {
    const beganAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve));
    turns.push({ name, beganAt, endedAt: Date.now() });
    if (name === "b") throw new Error("b");
    return name;
  };
  const ends = await Promise.allSettled(["a", "b", "c"].map((name) => takeTurn(() => turn(name))));
  expect(ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)))).toEqual([
    "a",
    "Error: b",
    "c",
  ]);
  expect(turns.map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);
  for (const [at, { beganAt }] of turns.entries())
    expect(beganAt - (turns[at - 1]?.endedAt ?? 0)).toBeGreaterThanOrEqual(4);
});
