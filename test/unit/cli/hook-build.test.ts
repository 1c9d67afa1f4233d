import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

/** The hook is built from whatever folder the command runs in, and what is wrong with it is told. */

const BUILD = join(import.meta.dirname, "../../../src/cli/machine/hook-build.ts");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hook-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What a program in the folder prints that builds the hook, with a state folder beside it. */
async function build(source: string): Promise<string> {
  const main = join(folder, "hook.ts");
  writeFileSync(main, source);
  const program = `
    import { buildHook } from ${JSON.stringify(BUILD)};
    const built = buildHook(${JSON.stringify(main)}, "state/hook", "2026-11-01");
    console.log(await built.then(({ modules }) => modules[0].contents, (error) => error.message));`;
  const args = ["--input-type=module", "-e", program];
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
}

test("with a state folder that is named from there", async () => {
  expect(await build('export default { urlsFound: () => ["found it"] };')).toContain("found it");
});

test("and an error in it stands in the message", async () => {
  expect(await build("export default {")).toMatch(/hook\.ts could not be built:[\s\S]*found end of file/);
});
