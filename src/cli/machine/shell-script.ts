import { renameSync, writeFileSync } from "node:fs";

/** Scripts for /bin/sh that stand in for a program which a library starts. */

/** A text as one word of a script. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Another process may start the script at this moment: it finds the whole old one or the whole new one. */
export function writeScript(path: string, lines: readonly string[]): void {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o700 });
  renameSync(partial, path);
}
