#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as modules from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The command of the package. In a clone that was linked it runs the sources, with the Node of the clone where this one
 * is too old for them.
 */

/** The first minor version by major version: what undici of miniflare needs, and `process.getBuiltinModule`. */
const OLDEST = { 20: 18, 22: 3 };
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isClone = existsSync(join(root, "src"));
const args = process.argv.slice(2);

process.env.ORBWEAVER_COMMAND ??= "orbweaver";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (isClone) runClone();
else if (major < 23 && !(minor >= OLDEST[major])) {
  console.error(`Orbweaver needs Node 20.18, 22.3 or later; this is ${process.version}. See https://nodejs.org/`);
  process.exitCode = 2;
} else {
  const { directory } = modules.enableCompileCache?.() ?? {};
  // The host process has a cache only by this variable.
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
  await import("../dist/cli/start.js");
}

function runClone() {
  const entry = join(root, "src/cli/main.js");
  const own = join(root, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node");
  if (process.features.typescript || !existsSync(own)) return import("../src/cli/main.js");
  const child = spawn(own, [entry, ...args], { stdio: "inherit" });
  // A Ctrl-C goes to both; whoever ends this process means the command.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => undefined);
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 143);
  });
}
