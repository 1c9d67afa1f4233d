import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, parse, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { UserError } from "../errors.ts";
import { ROOT } from "../installation/package-root.ts";
import type { WorkerOptions } from "./stored-build.ts";

/** Builds the operator's own Worker, which decides about URLs and pages (crawl/subject/hook.ts). */

/** The name of its Worker, here and on Cloudflare. */
export const HOOK_NAME = "orbweaver-hook";

/** Its options for miniflare. `main`: the file; `into`: where the build goes. Throws UserError if it fails. */
export async function buildHook(main: string, into: string, compatibilityDate: unknown): Promise<WorkerOptions> {
  // wrangler runs in another folder.
  const folder = resolve(into);
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "wrangler.json");
  const flags = ["nodejs_compat"];
  const settings = { name: HOOK_NAME, main, compatibility_date: compatibilityDate, compatibility_flags: flags };
  writeFileSync(config, JSON.stringify(settings));
  const problem = await bundle(folder, config);
  if (problem !== null) throw new UserError(`The hook ${main} could not be built:\n${problem}`);
  // wrangler names the result after the file.
  const script = join(folder, `${parse(main).name}.js`);
  return {
    name: HOOK_NAME,
    compatibilityDate,
    compatibilityFlags: flags,
    cacheAPI: false,
    bindings: {},
    modulesRoot: folder,
    modules: [{ type: "ESModule", path: script, contents: readFileSync(script, "utf8") }],
  };
}

/**
 * wrangler bundles it as for a deploy. Each start hands the file to workerd, so it is minified. Functions keep their
 * names in stack traces. Returns what is wrong, null for nothing: its streams are not those of the command.
 * https://developers.cloudflare.com/workers/wrangler/commands/#deploy
 */
async function bundle(folder: string, config: string): Promise<string | null> {
  const args = ["deploy", "--dry-run", "--minify", "--outdir", folder, "--config", config];
  const child = spawn(process.execPath, [findWrangler(), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [problem, [code]] = await Promise.all([text(child.stderr), once(child, "close") as Promise<[number | null]>]);
  return code === 0 ? null : stripVTControlCharacters(problem).trim();
}

/** A package brings no wrangler, for only a hook is built there: that of the folder, then. Throws UserError. */
function findWrangler(): string {
  for (const folder of [ROOT, process.cwd()]) {
    try {
      const manifest = createRequire(join(folder, "package.json")).resolve("wrangler/package.json");
      return join(dirname(manifest), "bin", "wrangler.js");
    } catch {
      // The next folder may have it.
    }
  }
  throw new UserError("wrangler builds the hook, and it is not installed. Run this here first: npm install wrangler");
}
