import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const BUILD = join(import.meta.dirname, "../../../src/cli/machine/hook-build.ts");

/** What a program prints that runs in the folder and builds the hook there, with a state folder beside it. */
export async function buildIn(folder: string, source: string): Promise<string> {
  const main = join(folder, "hook.ts");
  writeFileSync(main, source);
  const program = `
    import { buildHook } from ${JSON.stringify(BUILD)};
    const built = buildHook(${JSON.stringify(main)}, "state/hook", "2026-11-01");
    console.log(await built.then(({ modules }) => modules[0].contents, (error) => error.message));`;
  const args = ["--input-type=module", "-e", program];
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
}
