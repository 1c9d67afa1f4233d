import { afterAll, expect, test } from "vitest";
import { ReaderProcesses } from "../../../src/cli/machine/reader-processes.ts";
import { ask, LIMIT_MS, makeReader } from "./odd-reader.ts";

/** The reader's own processes, with a Worker that does what a document may do to it. */

const odd = makeReader();
const one = new ReaderProcesses(odd.build, { readers: 1, limitMs: LIMIT_MS });
afterAll(async () => {
  await one.dispose();
  odd.remove();
});

test.concurrent("a document that hangs ends its process and is the cause; those before and after it are read", async () => {
  const asked = ["one", "hang", "two"].map((body) => ask(one, body));
  expect(await Promise.all(asked)).toEqual([
    [200, "read one"],
    [422, "it did not end within 3 s"],
    [200, "read two"],
  ]);
  expect(await ask(one, "leave")).toEqual([200, "no requests leave the reader"]);
});
