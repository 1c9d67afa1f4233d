import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { isAgreed } from "../../../src/cli/delete-command.ts";

test.each([
  ["y\n", true],
  ["Y\n", true],
  [" yes \n", true],
  ["n\n", false],
  ["\n", false],
  ["yesterday\n", false],
  ["", false],
])("asked whether to delete, %j is %s", async (typed, agreed) => {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  const answer = isAgreed("Delete it? ", { stdin, stderr });
  stdin.end(typed);
  expect(await answer).toBe(agreed);
  expect(String(stderr.read())).toContain("Delete it?");
});
