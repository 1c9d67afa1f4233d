import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { UserError } from "../errors.ts";
import { bundle, type WorkerOptions } from "./make-build.ts";

/** Builds the operator's own Worker, which decides about URLs and pages (crawl/subject/hook.ts). */

/** The name of its Worker, here and on Cloudflare. */
export const HOOK_NAME = "orbweaver-hook";

/** Its options for miniflare. `main`: the file; `folder`: where the build goes. Throws UserError if it fails. */
export async function buildHook(main: string, folder: string, compatibilityDate: unknown): Promise<WorkerOptions> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "wrangler.json");
  const flags = ["nodejs_compat"];
  const settings = { name: HOOK_NAME, main, compatibility_date: compatibilityDate, compatibility_flags: flags };
  writeFileSync(config, JSON.stringify(settings));
  await bundle(folder, config).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
    throw new UserError(`The hook ${main} could not be built: see the message above.`);
  });
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
