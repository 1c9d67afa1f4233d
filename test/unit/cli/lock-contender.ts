import { appendFileSync } from "node:fs";
import { UserError } from "../../../src/cli/errors.ts";
import { lockState } from "../../../src/cli/installation/state-lock.ts";

/**
 * A process for state.long.test.ts: takes the lock of a folder again and again, and writes to a file when it has it and
 * when it gives it back. Arguments: the folder, the file, how often, and whether it ends by SIGKILL with the lock.
 */
const [folder = "", log = "", rounds = "1", isKilled = ""] = process.argv.slice(2);

for (let round = 1; round <= Number(rounds); round++) {
  const state = await lock();
  appendFileSync(log, `enter ${process.pid}\n`);
  if (isKilled === "killed" && round === Number(rounds)) process.kill(process.pid, "SIGKILL");
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  appendFileSync(log, `leave ${process.pid}\n`);
  state.release();
}

/** Others may have it for longer than lockState waits. */
async function lock(): ReturnType<typeof lockState> {
  for (;;) {
    try {
      return await lockState(folder);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
}
