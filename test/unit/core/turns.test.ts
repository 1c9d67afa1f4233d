import { expect, test } from "vitest";
import { inTurns } from "../../../src/core/turns.ts";

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
