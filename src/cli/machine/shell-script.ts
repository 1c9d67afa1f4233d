import { renameSync, writeFileSync } from "node:fs";

/** Scripts for /bin/sh that stand in for a program which a library starts. */

/** An argument as a POSIX shell reads it: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html */
export function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

/** Another process may start the script at this moment: it finds the whole old one or the whole new one. */
export function writeScript(path: string, lines: readonly string[]): void {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o700 });
  renameSync(partial, path);
}
