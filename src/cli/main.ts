import { enableCompileCache } from "node:module";
import { COMPILED } from "./cache.ts";
import { startHostAhead } from "./host-process.ts";

/** The entry of the command line. Modules that are imported from here on are compiled once, and kept. */

enableCompileCache(process.env.NODE_COMPILE_CACHE ?? COMPILED);
startHostAhead(process.argv.slice(2));
await import("./program.ts");
