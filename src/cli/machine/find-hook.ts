import { statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../errors.ts";

/** The absolute path of a hook. Throws UserError if there is no such file. */
export function findHook(file: string): string {
  const path = resolve(file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new UserError(`There is no file ${path}. --hook names a Worker in TypeScript or JavaScript: docs/hook.md.`, 2);
}
