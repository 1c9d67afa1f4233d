import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { quote, writeScript } from "./shell-script.ts";

/**
 * Has miniflare start the readers of documents with less priority than the crawler. A document can keep every core busy
 * for a minute, and on a machine without a core to spare the crawler and its API then wait for seconds.
 */

/** The last place, as for `nice`: a reader gets what the crawler leaves, which on two cores is most of one. */
const NICENESS = 19;

/**
 * For each workerd that this process starts from now on: the one of the crawler has started before. `folder` is for the
 * script. Windows has no `nice`.
 */
export function useReaderScript(folder: string, env: NodeJS.ProcessEnv = process.env): void {
  if (process.platform === "win32") return;
  mkdirSync(folder, { recursive: true });
  const script = join(folder, "workerd");
  writeScript(script, [`exec nice -n ${NICENESS} ${quote(env.MINIFLARE_WORKERD_PATH ?? workerdPath())} "$@"`]);
  env.MINIFLARE_WORKERD_PATH = script;
}

export function workerdPath(): string {
  const miniflare = createRequire(import.meta.url).resolve("miniflare");
  return createRequire(miniflare)("workerd").default;
}
