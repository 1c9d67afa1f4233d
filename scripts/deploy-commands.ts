import type { Installation } from "./deploy-config.ts";

/** The wrangler commands of a deploy, in their order. */

export const TOKEN_SECRET = "API_TOKEN";
export const READ_TOKEN_SECRET = "READ_TOKEN";

/** `rotateToken` replaces an existing token. `readToken` creates the token that only reads, or replaces it. */
export interface TokenOptions {
  rotateToken?: boolean;
  readToken?: boolean;
}

export const commands = {
  login: ["whoami", "--json"],
  listQueues: ["queues", "list"],
  makeQueue: (name: string) => ["queues", "create", name],
  listDatabases: ["d1", "list", "--json"],
  makeDatabase: (name: string) => ["d1", "create", name],
  listBuckets: ["r2", "bucket", "list"],
  makeBucket: (name: string) => ["r2", "bucket", "create", name],
  // Without a terminal wrangler does not ask, and applies what is missing.
  migrate: (database: string) => ["d1", "migrations", "apply", database, "--remote"],
  deploy: ["deploy"],
  /** With READER_CONFIG. */
  deployReader: (name: string) => ["deploy", "--name", name],
  build: ["deploy", "--dry-run"],
  listSecrets: ["secret", "list"],
  // The value comes by standard input, so that no shell history and no process list shows it.
  putToken: ["secret", "put", TOKEN_SECRET],
  putReadToken: ["secret", "put", READ_TOKEN_SECRET],
};

/** A command, and when it runs; empty if it always does. */
export interface Planned {
  args: string[];
  when: "" | "if missing" | "with a new token on standard input";
  /** Whether it takes READER_CONFIG. */
  isReader?: true;
}

/** The commands that a deploy would run on any account. */
export function plan(
  { queues, ledger, mirror, reader }: Installation,
  { rotateToken, readToken }: TokenOptions,
): Planned[] {
  const always = (args: string[]): Planned => ({ args, when: "" });
  const ifMissing = (args: string[]): Planned => ({ args, when: "if missing" });
  const withToken = (args: string[]): Planned => ({ args, when: "with a new token on standard input" });
  return [
    always(commands.login),
    always(commands.listQueues),
    ...queues.map((name) => ifMissing(commands.makeQueue(name))),
    always(commands.listDatabases),
    ifMissing(commands.makeDatabase(ledger.name)),
    always(commands.listBuckets),
    ifMissing(commands.makeBucket(mirror)),
    always(commands.migrate(ledger.name)),
    // The binding of the main Worker needs its target.
    ...(reader === null ? [] : [{ ...always(commands.deployReader(reader)), isReader: true as const }]),
    always(commands.deploy),
    ...(readToken ? [withToken(commands.putReadToken)] : []),
    ...(rotateToken ? [withToken(commands.putToken)] : [always(commands.listSecrets), ifMissing(commands.putToken)]),
  ];
}
