import { expect, test } from "vitest";
import { HolderWait } from "../../../src/cli/installation/holder-wait.ts";

/** Refusals one after the other: seconds, the holder, whether it starts, and whether the command tries again. */
const CASES: [name: string, refusals: [s: number, holder: number | null, isStarting: boolean, goesOn: boolean][]][] = [
  [
    "one that only reads",
    [
      [3, 1, false, true],
      [12, 1, false, true],
      [13, 1, false, false],
    ],
  ],
  [
    "one that does not say who it is",
    [
      [3, null, false, true],
      [13, null, false, false],
    ],
  ],
  [
    "one that starts for long",
    [
      [3, 1, true, true],
      [62, 1, true, true],
      [63, 1, true, false],
    ],
  ],
  [
    "one that has started just now, after a long start",
    [
      [3, 1, true, true],
      [40, 1, true, true],
      [44, 1, false, true],
      [54, 1, false, false],
    ],
  ],
  [
    "the first refusal comes late",
    [
      [15, 1, false, true],
      [25, 1, false, false],
    ],
  ],
  [
    "another one, which was faster",
    [
      [3, 1, false, true],
      [12, 1, false, true],
      [16, 2, true, true],
      [30, 2, false, true],
      [39, 3, false, true],
      [49, 3, false, false],
    ],
  ],
];

test.each(CASES)("a command waits for a process that has its folder: %s", (_, refusals) => {
  const wait = new HolderWait();
  const wentOn = refusals.map(([s, holder, isStarting]) => wait.goesOn({ holder, isStarting }, s * 1000));
  expect(wentOn).toEqual(refusals.map(([, , , goesOn]) => goesOn));
});
