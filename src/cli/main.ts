import { enableCompileCache } from "node:module";
import { COMPILED } from "./cache.ts";

/** The entry of the command line. Modules that are imported from here on are compiled once, and kept. */

enableCompileCache(process.env.NODE_COMPILE_CACHE ?? COMPILED);
await import("./program.ts");
