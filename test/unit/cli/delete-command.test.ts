import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askToConfirm } from "../../../src/cli/delete-command.ts";

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
