import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The key with which the sessions of a state folder are encrypted: a file beside the database, for this user alone. */

export function sessionKeyFileOf(state: string): string {
  return join(state, "session-key");
}

/** 32 bytes in base64 (src/store/installation/seal.ts). Made when it is first needed. */
export function sessionKeyOf(state: string): string {
  const file = sessionKeyFileOf(state);
  // The state folder has one process that starts workerd, so nobody else makes it.
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}
