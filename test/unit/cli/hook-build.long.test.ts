import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildIn } from "./build-hook-in.ts";

/** The hook is built from whatever folder the command runs in. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hook-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("with a state folder that is named from there", async () => {
  expect(await buildIn(folder, 'export default { urlsFound: () => ["found it"] };')).toContain("found it");
});
