import { join } from "node:path";

/** What is made once and kept beside the packages: `npm ci` removes it, and the next command makes it again. */

export const CACHE = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "orbweaver");
/** Modules that V8 has compiled: https://nodejs.org/api/module.html#module-compile-cache */
export const COMPILED = join(CACHE, "compiled");
