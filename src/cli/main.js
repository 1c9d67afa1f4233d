import { enableCompileCache } from "node:module";
import { join } from "node:path";

/**
 * The entry of the command line. Modules that are imported from here on are compiled once, and kept, also those of the
 * host process: https://nodejs.org/api/module.html#module-compile-cache. This file is JavaScript, because the cache
 * does not have the entry yet, and Node's TypeScript compiler takes longer to load than the rest of the command line.
 */

process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/orbweaver/compiled");
enableCompileCache(process.env.NODE_COMPILE_CACHE);
const { startHostAhead } = await import("./machine/host-process.ts");
startHostAhead(process.argv.slice(2));
await import("./program.ts");
