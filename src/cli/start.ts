import { startHostAhead } from "./machine/host-process.ts";

/** Starts the host process while the command line still loads. */

startHostAhead(process.argv.slice(2));
await import("./program.ts");
