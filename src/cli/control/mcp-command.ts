import type { Command } from "commander";
import { whereOptions } from "../flags/shared-options.ts";
import { IdleInstallation } from "../installation/idle-installation.ts";
import { type Installation, openInstallation, type WhereOptions } from "../installation/installation.ts";
import { browserOfMachine } from "../machine/find-browser.ts";
import { continueCrawls } from "./continue-crawls.ts";

/** `orbweaver mcp`: the tools for agents over standard input and output. */

/** Other commands may want the state folder. A start takes half a second. */
const MCP_IDLE_MS = 5_000;

const HELP = `
MCP clients start this command themselves. To add it to one, see docs/mcp.md.
Standard output carries the protocol alone. The command ends with its standard input.
Without --write it changes nothing, and between two questions other commands can use the state folder.
With --write, crawls run as long as the command does; the next one, or serve, continues them.`;

interface Flags extends WhereOptions {
  write?: boolean;
}

export function addMcpCommand(program: Command): void {
  const command = program
    .command("mcp")
    .description("Answer an agent's questions by the Model Context Protocol, over standard input and output.")
    .option("--write", "also let the agent start, watch, analyze, pause, resume and cancel crawls")
    .addHelpText("after", HELP);
  whereOptions(command).action(async ({ write = false, ...where }: Flags) => {
    const at = write
      ? new IdleInstallation(() => openToWrite(where), Number.POSITIVE_INFINITY)
      : new IdleInstallation(() => openInstallation(where, { reads: "pages" }), MCP_IDLE_MS);
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
    const access = write ? undefined : "read";
    // Other commands do not load it.
    const { bridge } = await import("../mcp-bridge.ts");
    await bridge(
      process.stdin,
      process.stdout,
      (message, init, read) => at.use(async ({ client }) => read(await client.mcp(message, { access, ...init }))),
      stop.signal,
    );
    await at.close();
  });
}

/** A local installation crawls as that of `serve` does. */
async function openToWrite(where: WhereOptions): Promise<Installation> {
  const at = await openInstallation(where, browserOfMachine());
  try {
    if (at.isOwn) await continueCrawls(at.client, (line) => console.error(line));
  } catch (error) {
    await at.dispose();
    throw error;
  }
  return at;
}
