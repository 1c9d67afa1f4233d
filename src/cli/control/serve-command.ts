import type { Command } from "commander";
import { natural } from "../flags/shared-options.ts";
import { Client } from "../installation/client.ts";
import { identityFileOf, readIdentityFile, writeIdentityFile } from "../installation/identity-file.ts";
import { checkIdentityAddress } from "../installation/identity-key.ts";
import { makeStateFolder } from "../installation/state-folder.ts";
import { DEFAULT_STATE } from "../installation/state-paths.ts";
import { browserOfMachine } from "../machine/find-browser.ts";
import { findHook } from "../machine/find-hook.ts";
import { startLocal } from "../machine/workerd.ts";
import { continueCrawls } from "./continue-crawls.ts";

/**
 * `orbweaver serve`: the console and the API until Ctrl-C. It continues crawls that an earlier process left running.
 */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .description("Run the console, the API and the schedules on this machine until Ctrl-C.")
    .option("--port <n>", "the port to listen on; 0 selects a free one", natural(0), 8787)
    .option(
      "--host <address>",
      "the address to listen on; 0.0.0.0 lets other machines in, which send the token unencrypted unless a proxy with TLS stands before it (default: 127.0.0.1, this machine alone)",
    )
    .option("--token <token>", "the token for the API (default: a new one, printed at the start)")
    .option("--read-token <token>", "another token, for reading only (default: none)")
    .option(
      "--identity <address>",
      "sign requests (Web Bot Auth), as the https address under which a proxy or tunnel shows this server; the key stays in STATE/identity.json (default: not signed, unless that file is there)",
    )
    .option("--hook <file>", "your own Worker that decides about URLs and pages: docs/hook.md (default: none)")
    .option(
      "--ledgers <n>",
      "keep crawls in N databases, each with its own crawls; a new crawl goes where there is room (default: as many as the folder has, at first 1)",
      natural(1),
    )
    .option("--state <dir>", "the folder that stores crawls on this machine", DEFAULT_STATE)
    .action(
      async (flags: {
        port: number;
        host?: string;
        token?: string;
        readToken?: string;
        identity?: string;
        hook?: string;
        ledgers?: number;
        state: string;
      }) => {
        const { state, identity, hook, ...options } = flags;
        const own = hook === undefined ? {} : { hook: findHook(hook) };
        if (identity !== undefined) {
          const address = checkIdentityAddress(identity);
          makeStateFolder(state);
          writeIdentityFile(state, address, new Date());
        }
        const stopped = new Promise<void>((resolve) => {
          // Through npm, one Ctrl-C arrives twice; the second must not end this process before workerd.
          for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve());
        });
        const worker = await startLocal(state, {
          ...options,
          ...own,
          ...browserOfMachine(),
          hasConsole: true,
          stays: true,
        });
        const [token = ""] = worker.token.split(" ");
        console.log(`Orbweaver listens on ${worker.url}; Ctrl-C stops it.`);
        console.log(`Console: ${worker.url}/sign-in#token=${encodeURIComponent(token)} (the link signs you in)`);
        console.log(`Token: ${worker.token}`);
        const { IDENTITY_ADDRESS: signer } = readIdentityFile(state);
        if (signer !== undefined)
          console.log(`Requests are signed as ${signer}; without ${identityFileOf(state)} they are not.`);
        if (own.hook !== undefined) console.log(`Hook: ${own.hook}`);
        console.log("A crawl from this machine may reach the private addresses that are its seeds, and no others.");
        console.log(`Try: curl -H "Authorization: Bearer ${worker.token}" ${worker.url}/api/crawls`);
        if (!worker.isShared)
          console.log(`Other commands reach this server with: --remote ${worker.url} --token ${token}`);
        await continueCrawls(new Client(worker.url, token), console.log);
        await stopped;
        await worker.dispose();
      },
    );
}
