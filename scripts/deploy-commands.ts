import { HOOK_CONFIG, type Installation, READER_CONFIG } from "./deploy-config.ts";

/** The wrangler commands of a deploy, in their order. */

export const TOKEN_SECRET = "API_TOKEN";
export const READ_TOKEN_SECRET = "READ_TOKEN";
export const SESSION_KEY = "SESSION_KEY";

/** `rotateToken` replaces an existing token. `readToken` creates the token that only reads, or replaces it. */
export interface TokenOptions {
  rotateToken?: boolean;
  readToken?: boolean;
}

/** `identity` makes the key that signs requests, unless there is one. `rotateIdentity` makes another one. */
export interface IdentityOptions {
  identity?: boolean;
  rotateIdentity?: boolean;
}

/** `maxCost`: US dollars, or "none". */
export interface SecretOptions extends TokenOptions, IdentityOptions {
  maxCost?: string;
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
  /** With READER_CONFIG or HOOK_CONFIG. */
  deployNamed: (name: string) => ["deploy", "--name", name],
  build: ["deploy", "--dry-run"],
  listSecrets: ["secret", "list"],
  // The value comes by standard input, so that no shell history and no process list shows it.
  putToken: ["secret", "put", TOKEN_SECRET],
  putReadToken: ["secret", "put", READ_TOKEN_SECRET],
  putIdentityAddress: ["secret", "put", "IDENTITY_ADDRESS"],
  putMaxCost: ["secret", "put", "MAX_COST_USD"],
  putSecret: (name: string) => ["secret", "put", name],
  deleteSecret: (name: string) => ["secret", "delete", name],
};

/** A command, and when it runs; empty if it always does. */
export interface Planned {
  args: string[];
  when: "" | "if missing" | `with ${string} on standard input`;
  /** The configuration that it takes; absent for that of the installation. */
  config?: string;
}

/** The commands that a deploy would run on any account. */
export function plan(
  { queues, ledgers, mirror, reader, hook, identityAddress }: Installation,
  { rotateToken, readToken, identity, rotateIdentity, maxCost }: SecretOptions,
): Planned[] {
  const always = (args: string[]): Planned => ({ args, when: "" });
  const ifMissing = (args: string[]): Planned => ({ args, when: "if missing" });
  const withInput = (args: string[], input: string): Planned => ({ args, when: `with ${input} on standard input` });
  const withToken = (args: string[]): Planned => withInput(args, "a new token");
  const newKey = "IDENTITY_KEY_(TIME)";
  return [
    always(commands.login),
    always(commands.listQueues),
    ...queues.map((name) => ifMissing(commands.makeQueue(name))),
    always(commands.listDatabases),
    ...ledgers.map(({ name }) => ifMissing(commands.makeDatabase(name))),
    always(commands.listBuckets),
    ifMissing(commands.makeBucket(mirror)),
    ...ledgers.map(({ name }) => always(commands.migrate(name))),
    // The bindings of the main Worker need their targets.
    ...(reader === null ? [] : [{ ...always(commands.deployNamed(reader)), config: READER_CONFIG }]),
    ...(hook === null ? [] : [{ ...always(commands.deployNamed(hook)), config: HOOK_CONFIG }]),
    always(commands.deploy),
    ...(maxCost === undefined ? [] : [withInput(commands.putMaxCost, maxCost)]),
    ...(!identity && !rotateIdentity
      ? []
      : [
          ...(identityAddress === undefined ? [withInput(commands.putIdentityAddress, "the Worker's address")] : []),
          always(commands.listSecrets),
          rotateIdentity ? withInput(commands.putSecret(newKey), "a new key") : ifMissing(commands.putSecret(newKey)),
        ]),
    ...[always(commands.listSecrets), ifMissing(commands.putSecret(SESSION_KEY))],
    ...(readToken ? [withToken(commands.putReadToken)] : []),
    ...(rotateToken ? [withToken(commands.putToken)] : [always(commands.listSecrets), ifMissing(commands.putToken)]),
  ];
}
