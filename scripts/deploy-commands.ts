import type { Installation } from "./deploy-config.ts";

/** All that deploy asks of wrangler, in its order. */

export const TOKEN_SECRET = "API_TOKEN";
export const READ_TOKEN_SECRET = "READ_TOKEN";

/** Which tokens are to be made although they are there, or, of the one that only reads, made at all. */
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
  // Without a terminal wrangler asks nothing: it applies what is missing.
  migrate: (database: string) => ["d1", "migrations", "apply", database, "--remote"],
  deploy: ["deploy"],
  build: ["deploy", "--dry-run"],
  listSecrets: ["secret", "list"],
  // The value comes by standard input, where neither a shell's history nor a list of processes shows it.
  putToken: ["secret", "put", TOKEN_SECRET],
  putReadToken: ["secret", "put", READ_TOKEN_SECRET],
};

/** A command, and when it is run; no word where it always is. */
export interface Planned {
  args: string[];
  when: "" | "if missing" | "with a new token on standard input";
}

/** What a deploy would run on an account where nothing is known. */
export function plan({ queues, ledger, mirror }: Installation, { rotateToken, readToken }: TokenOptions): Planned[] {
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
    always(commands.deploy),
    ...(readToken ? [withToken(commands.putReadToken)] : []),
    ...(rotateToken ? [withToken(commands.putToken)] : [always(commands.listSecrets), ifMissing(commands.putToken)]),
  ];
}
