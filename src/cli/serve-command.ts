import type { Command } from "commander";
import { natural } from "./shared-options.ts";
import { startLocal } from "./workerd.ts";

/** `orbweaver serve`: the console and the API on this machine until Ctrl-C. Crawls that an earlier process left running go on by the heartbeat. */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("Run the console, the API and the schedules on this machine until Ctrl-C.")
    .option("--port <n>", "the port to listen on; 0 takes any", natural(0), 8787)
    .option("--token <token>", "the token that the API asks for (default: a new one, printed at the start)")
    .option("--read-token <token>", "another token, which may only read (default: none)")
    .option("--state <dir>", "where crawls are kept on this machine", ".orbweaver")
    .action(async (flags: { port: number; token?: string; readToken?: string; state: string }) => {
      const worker = await startLocal(flags);
      console.log(`Orbweaver listens on ${worker.url}; Ctrl-C ends it.`);
      console.log(`Console: ${worker.url}/ (sign in with the token)`);
      console.log(`Token: ${worker.token}`);
      console.log("Crawls from here may ask private addresses: they are this machine's own (ALLOW_PRIVATE).");
      console.log(`Try: curl -H "Authorization: Bearer ${worker.token}" ${worker.url}/api/crawls`);
      await new Promise<void>((resolve) => {
        process.once("SIGINT", resolve);
        process.once("SIGTERM", resolve);
      });
      await worker.dispose();
    });
}
