import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import type { WorkerBuild } from "../../src/cli/machine/stored-build.ts";
import { startWith } from "./cli.ts";

/** What the start of a command takes: the files of a build, simulators, and miniflare. */

/** The entry comes first. */
export function filesOf({ folder, files }: Pick<WorkerBuild, "folder" | "files">): string[] {
  return files.map((file) => join(folder, file));
}

/** The configuration that a command hands to workerd. The command then fails, because nothing starts. */
async function configOf(folder: string, name: string, ...args: string[]): Promise<string> {
  const workerd = join(folder, `workerd-${name}`);
  writeFileSync(workerd, '#!/bin/sh\ncat > "$0.config"\n');
  chmodSync(workerd, 0o755);
  const state = join(folder, `state-${name}`);
  mkdirSync(state);
  const { code } = await startWith({ MINIFLARE_WORKERD_PATH: workerd }, [name, ...args, "--state", state]).ended;
  expect(code).toBe(1);
  return readFileSync(`${workerd}.config`, "latin1");
}

/** A command, the simulators that it starts, and whether it only reads. */
interface Started {
  name: string;
  args: string[];
  parts: string[];
  isReader: boolean;
}

/** Runs the command in a state folder below `folder`. */
export async function expectSimulators(folder: string, { name, args, parts, isReader }: Started): Promise<void> {
  const config = await configOf(folder, name, ...args);
  const simulators = ["d1:db", "r2:bucket", "queues:queue", "cache:cache"];
  expect(simulators.filter((service) => config.includes(`${service}\0`))).toEqual(parts);
  expect(config.includes("--initial-old-space-size=4\0")).toBe(!isReader);
}

/** Whether a command loads miniflare, by one of its packages: it is asked for as any module. */
export async function loadsMiniflare(
  dir: string,
  variables: Record<string, string>,
  ...args: string[]
): Promise<boolean> {
  const folder = mkdtempSync(join(dir, "loads-"));
  const hook = join(folder, "hook.mjs");
  const mark = join(folder, "loaded");
  writeFileSync(
    hook,
    `import { writeFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({
      load: (url, context, next) => {
        if (url.includes("/node_modules/undici/")) writeFileSync(${JSON.stringify(mark)}, url);
        return next(url, context);
      },
    });`,
  );
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}`, ...variables };
  const { code } = await startWith(env, [...args, "--state", join(folder, "state")]).ended;
  expect(code).toBe(0);
  return existsSync(mark);
}
