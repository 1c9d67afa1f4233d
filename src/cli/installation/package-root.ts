import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of this program: a clone with its sources, or an installed package with what was built of them. */
export const ROOT = findRoot(import.meta.dirname);

/** Whether this is an installed package. It has no sources, so nothing is built. */
export const IS_PACKAGE = !existsSync(join(ROOT, "src"));

/** How people start the command line. The package's own command says so (bin/orbweaver.js). */
export const COMMAND = process.env.ORBWEAVER_COMMAND ?? (IS_PACKAGE ? "npx orbweaver" : "npm run orbweaver --");

/** The same where standard output goes to a file or another program: npm prints two lines of its own. */
export const QUIET_COMMAND = COMMAND.replace(/^npm run /, "npm run -s ");

function findRoot(folder: string): string {
  return existsSync(join(folder, "package.json")) ? folder : findRoot(dirname(folder));
}
