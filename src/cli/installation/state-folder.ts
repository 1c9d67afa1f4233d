import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errorCode, UserError } from "../errors.ts";
import { SOCKET_FOLDER } from "./state-paths.ts";

/** The state folder with the local ledger, mirror and gates. */

/** The error for a state folder that cannot be written. */
export function unwritable(path: string, error: unknown): UserError {
  return new UserError(
    `The state folder ${path} cannot be written (${errorCode(error)}). Choose another with --state DIR.`,
  );
}

/**
 * Creates the folder and those inside it, for this user alone: they hold pages, crawl headers and logs. A folder that
 * exists keeps its own mode, because it may hold other things; what is inside is closed at every start. Throws
 * UserError.
 */
export function makeStateFolder(path: string): void {
  try {
    if (!existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true });
      mkdirSync(path, { recursive: true, mode: 0o700 });
      // In a repository of somebody's, it is no change.
      writeFileSync(join(path, ".gitignore"), "*\n");
    }
    for (const name of ["logs", SOCKET_FOLDER, "v3"]) {
      mkdirSync(join(path, name), { recursive: true });
      chmodSync(join(path, name), 0o700);
    }
  } catch (error) {
    throw unwritable(path, error);
  }
}
