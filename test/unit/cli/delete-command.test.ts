import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askToConfirm, describeDeletionCost } from "../../../src/cli/control/delete-command.ts";

test.each([
  ["y\n", true],
  ["Y\n", true],
  [" yes \n", true],
  ["n\n", false],
  ["\n", false],
  ["yesterday\n", false],
  ["", false],
])("the confirmation %j means %s", async (typed, agreed) => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const answer = askToConfirm("Delete it? ", { stdin, stderr });
  stdin.end(typed);
  expect(await answer).toBe(agreed);
  expect(String(stderr.read())).toContain("Delete it?");
});

test.each([
  [null, ""],
  [undefined, ""],
  [0.0099, ""],
  [0.01, "Deleting it costs at most 0.01 USD."],
  [2, "Deleting it costs at most 2.00 USD."],
])("a price of %o is said as %o", (usd, words) => {
  expect(describeDeletionCost(usd)).toBe(words);
});
