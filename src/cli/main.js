import { existsSync } from "node:fs";
import * as modules from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The entry of the command line in a clone. Modules that are imported from here on are compiled once, and kept, also
 * those of the host process: https://nodejs.org/api/module.html#module-compile-cache. This file is JavaScript, because
 * the cache does not have the entry yet, and Node's TypeScript compiler takes longer to load than the rest of the
 * command line. Every Node that runs modules can read it: it says what is missing.
 */

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const packages = join(root, "node_modules");
if (!existsSync(join(packages, "miniflare"))) {
  console.error(`Orbweaver is not set up yet. Run this first: npm ci --prefix ${root}`);
  process.exit(2);
}
if (!process.features.typescript) {
  console.error(
    `Node ${process.version} runs no TypeScript. npm finds the Node of this project: npm run --prefix ${root} orbweaver -- ${process.argv.slice(2).join(" ")}`,
  );
  process.exit(2);
}
process.env.NODE_COMPILE_CACHE ??= join(packages, ".cache/orbweaver/compiled");
modules.enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import("./start.ts");
