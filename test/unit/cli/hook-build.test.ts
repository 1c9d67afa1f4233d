import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildIn } from "./build-hook-in.ts";

/** What is wrong with a hook is told. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hook-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("and an error in it stands in the message", async () => {
  expect(await buildIn(folder, "export default {")).toMatch(/hook\.ts could not be built:[\s\S]*found end of file/);
});
