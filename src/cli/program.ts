import { CommanderError } from "commander";
import { UserError } from "./errors.ts";
import { makeProgram } from "./make-program.ts";

/** The command line: a client of the HTTP API, local or deployed, without crawl logic. */

/** Exit codes: 0 for success, 1 for failure, 2 for wrong arguments. */
try {
  await (await makeProgram(process.argv[2])).parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
await Promise.all([process.stdout, process.stderr].map(untilWritten));
// workerd has ended; a keep-alive connection to it must not keep this process alive.
process.exit();

/** Resolves when the reader has what was written: an exit would lose what waits for a slow one. */
function untilWritten(out: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // A reader that has gone, such as `head`, wants no more.
    out.once("error", () => resolve());
    out.write("", () => resolve());
  });
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof UserError) {
    console.error(error.message);
    return error.exitCode;
  }
  console.error(error);
  return 1;
}
