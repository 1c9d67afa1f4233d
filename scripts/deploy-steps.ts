import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { z } from "zod"; // checks what wrangler prints
import { UserError } from "../src/cli/errors.ts";
import { commands, plan, SESSION_KEY, type SecretOptions, TOKEN_SECRET } from "./deploy-commands.ts";
import { HOOK_CONFIG, type Installation, READER_CONFIG, withoutLimits } from "./deploy-config.ts";
import { type Answer, readJson, type Wrangler } from "./wrangler.ts";

/**
 * The steps of a deploy. Each checks first and creates only what is missing, so that it can be repeated after any
 * failure.
 */

/** Prints one line of progress. */
export type Say = (line: string) => void;

const EXISTING = "is there";

const whoami = z.object({
  loggedIn: z.boolean(),
  accounts: z.array(z.object({ id: z.string(), name: z.string() })).default([]),
});

/** Returns a wrangler with a chosen account: without a terminal it cannot ask which of several to use. */
export async function checkLogin({ account, file }: Installation, wrangler: Wrangler, say: Say): Promise<Wrangler> {
  const answer = await wrangler.run(commands.login);
  const who = readJson(answer.stdout, whoami);
  if (who?.loggedIn === false) {
    throw new UserError(
      "You are not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN where there is no browser.",
    );
  }
  const named = account ?? wrangler.env.CLOUDFLARE_ACCOUNT_ID;
  const found = who?.accounts.find(({ id }) => id === named);
  if (named) {
    // A token may be able to deploy but not to read its account. Then the next command shows whether it works.
    say(`Account     ${found?.name ?? named}`);
    return wrangler.with({ CLOUDFLARE_ACCOUNT_ID: named });
  }
  if (who === null || answer.status !== 0) {
    throw wrangler.failure("wrangler could not say who is logged in.", commands.login, answer);
  }
  const [first, ...more] = who.accounts;
  if (first === undefined) {
    throw new UserError(
      "This login shows no account. Set CLOUDFLARE_ACCOUNT_ID to the one to deploy to, or log in anew: npx wrangler login",
    );
  }
  if (more.length > 0) {
    throw new UserError(
      [
        `This login has ${who.accounts.length} accounts. Say which: CLOUDFLARE_ACCOUNT_ID=ID npm run deploy, or account_id in ${file}.`,
        ...who.accounts.map(({ id, name }) => `  ${id}  ${name}`),
      ].join("\n"),
    );
  }
  say(`Account     ${first.name}`);
  return wrangler.with({ CLOUDFLARE_ACCOUNT_ID: first.id });
}

export async function ensureQueues({ queues }: Installation, wrangler: Wrangler, say: Say): Promise<void> {
  const { stdout } = await wrangler.ok(commands.listQueues, "The queues could not be listed.");
  const there = cellsOf(stdout);
  for (const name of queues) {
    const done = there.has(name) ? EXISTING : await create(wrangler, commands.makeQueue(name), `the queue ${name}`);
    say(`Queue       ${name} ${done}`);
  }
}

const databases = z.array(z.object({ uuid: z.string(), name: z.string() }));

export async function ensureDatabases({ ledgers, file }: Installation, wrangler: Wrangler, say: Say): Promise<void> {
  const answer = await wrangler.ok(commands.listDatabases, "The D1 databases could not be listed.");
  const there = readJson(answer.stdout, databases);
  if (there === null) throw wrangler.failure("The list of D1 databases is not JSON.", commands.listDatabases, answer);
  for (const ledger of ledgers) {
    if (ledger.id !== undefined && !there.some(({ uuid }) => uuid === ledger.id)) {
      throw new UserError(
        `${file} says database_id = "${ledger.id}", and this account has no such D1 database. Delete that line: the database is found by its name, "${ledger.name}", and made where it is missing.`,
      );
    }
    const isThere = ledger.id !== undefined || there.some(({ name }) => name === ledger.name);
    const done = isThere
      ? EXISTING
      : await create(wrangler, commands.makeDatabase(ledger.name), `the D1 database ${ledger.name}`);
    say(`D1          ${ledger.name} ${done}`);
  }
}

export async function ensureMirror({ mirror }: Installation, wrangler: Wrangler, say: Say): Promise<void> {
  const { stdout } = await wrangler.ok(commands.listBuckets, "The R2 buckets could not be listed.");
  const there = new Set([...stdout.matchAll(/^name:\s+(\S+)/gm)].map(([, name]) => name));
  const done = there.has(mirror)
    ? EXISTING
    : await create(wrangler, commands.makeBucket(mirror), `the R2 bucket ${mirror}`);
  say(`R2          ${mirror} ${done}`);
}

/** Runs before the new code is deployed, which needs them. The old code must work with them. */
export async function applyMigrations({ ledgers }: Installation, wrangler: Wrangler, say: Say): Promise<void> {
  for (const { name: database } of ledgers) {
    const failed = `The migrations could not be applied to ${database}.`;
    const { stdout } = await wrangler.ok(commands.migrate(database), failed);
    const names = [...new Set(stdout.match(/\d{4}_[\w-]+\.sql/g) ?? [])];
    const where = ledgers.length === 1 ? "" : ` to ${database}`;
    say(`Migrations  ${names.length === 0 ? "none to apply" : `applied ${names.join(", ")}`}${where}`);
  }
}

/** The API's code and words for [limits] on the free plan. */
const FREE_PLAN = /code: 100328|limits are not supported for the free plan/i;

/** The plan of an account as far as a deploy has seen it: `free` refuses limits. */
export type Plan = "free" | "unknown";

/** Deploys the reader Worker, which the main one is bound to. The free plan has none: its 10 ms read no document. */
export async function deployReader({ reader }: Installation, wrangler: Wrangler, say: Say): Promise<Plan> {
  if (reader === null) {
    say("Reader      none: the configuration has no binding READER, so PDF, Office and EPUB documents are not read");
    return "unknown";
  }
  const args = commands.deployNamed(reader);
  const answer = await wrangler.withConfig(READER_CONFIG).run(args);
  if (FREE_PLAN.test(wordsOf(answer))) {
    say("Reader      none: this is the free plan, so PDF, Office and EPUB documents are not read");
    return "free";
  }
  if (answer.status !== 0) throw wrangler.failure(`The Worker ${reader} could not be deployed.`, args, answer);
  say(`Reader      ${reader} is deployed${sizeIn(answer)}`);
  return "unknown";
}

export async function deployHook({ hook }: Installation, wrangler: Wrangler, say: Say): Promise<void> {
  if (hook === null) return;
  const failed = `The hook ${hook} could not be deployed.`;
  const answer = await wrangler.withConfig(HOOK_CONFIG).ok(commands.deployNamed(hook), failed);
  say(`Hook        ${hook} is deployed${sizeIn(answer)}`);
}

/** The size that wrangler printed, in words; empty if it printed none. */
function sizeIn({ stdout }: Answer): string {
  const [, whole, gzip] = /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(stdout) ?? [];
  const inMiB = (kib: string) => `${(Number(kib) / 1_024).toFixed(1)} MiB`;
  return whole === undefined || gzip === undefined ? "" : `: ${inMiB(whole)}, ${inMiB(gzip)} compressed`;
}

/** Returns the address, or null if the Worker has none. */
export async function deployWorker(
  { worker, file }: Installation,
  wrangler: Wrangler,
  plan: Plan,
  say: Say,
): Promise<string | null> {
  say(`Worker      ${worker} ...`);
  const folder = await mkdtemp(join(tmpdir(), "orbweaver-deploy-"));
  // wrangler writes a report for programs to this file.
  const report = join(folder, "report.ndjson");
  try {
    const reporting = wrangler.with({ WRANGLER_OUTPUT_FILE_PATH: report });
    const failed = `The Worker ${worker} could not be deployed.`;
    let answer = plan === "free" ? null : await reporting.run(commands.deploy);
    if (answer === null || FREE_PLAN.test(wordsOf(answer))) {
      say("CPU limit   10 ms per invocation: this is the free plan, which takes no [limits]");
      answer = await deployWithoutLimits(file, reporting, failed);
    } else if (answer.status !== 0) throw wrangler.failure(failed, commands.deploy, answer);
    say(`Worker      ${worker} is deployed${sizeIn(answer)}`);
    // Without a report the Worker is deployed too, but its address is not known.
    return addressOf(await readFile(report, "utf8").catch(() => ""));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The copy is beside the original for as long as it is needed, because its paths are relative. */
async function deployWithoutLimits(file: string, wrangler: Wrangler, failed: string): Promise<Answer> {
  const copy = join(dirname(resolve(file)), `.free-plan-${process.pid}.json`);
  try {
    await writeFile(copy, await withoutLimits(file));
    return await wrangler.withConfig(copy).ok(commands.deploy, failed);
  } finally {
    await rm(copy, { force: true });
  }
}

const secretNames = z.array(z.object({ name: z.string() }));

/** The names of the Worker's secrets. */
export async function listSecrets(wrangler: Wrangler): Promise<string[]> {
  const answer = await wrangler.ok(commands.listSecrets, "The Worker's secrets could not be listed.");
  const there = readJson(answer.stdout, secretNames);
  if (there === null) throw wrangler.failure("The list of secrets is not JSON.", commands.listSecrets, answer);
  return there.map(({ name }) => name);
}

/** CI keeps its logs, so no token may be printed there. */
function isCI({ env: { CI = "" } }: Wrangler): boolean {
  return CI !== "" && CI !== "false" && CI !== "0";
}

/** Throws UserError before anything is done. */
export function checkTokens({ rotateToken, readToken }: SecretOptions, wrangler: Wrangler): void {
  if (!isCI(wrangler) || !(rotateToken || readToken)) return;
  throw new UserError(
    "A new token would be printed, and CI keeps its logs. Run this on your own machine, or set the secret yourself: npx wrangler secret put API_TOKEN",
  );
}

/**
 * Returns the new token to be shown, or null: the Worker has one, which cannot be read, or this is CI, where it gets
 * that of ORBWEAVER_TOKEN or none.
 */
export async function ensureToken(wrangler: Wrangler, rotate: boolean, say: Say): Promise<string | null> {
  if (!rotate && (await listSecrets(wrangler)).includes(TOKEN_SECRET)) {
    say(`Token       ${EXISTING} (lost? npm run deploy -- --rotate-token)`);
    return null;
  }
  if (isCI(wrangler)) {
    const given = wrangler.env.ORBWEAVER_TOKEN ?? "";
    if (given === "") {
      say("Token       none, so the API answers nobody: CI keeps its logs, so none is made here.");
      say("            Set one on your own machine (npx wrangler secret put API_TOKEN), or ORBWEAVER_TOKEN in CI.");
      return null;
    }
    await wrangler.ok(commands.putToken, "The token could not be set, so the API answers nobody yet.", given);
    say("Token       set to that of ORBWEAVER_TOKEN");
    return null;
  }
  const token = newToken();
  await wrangler.ok(commands.putToken, "The token could not be set, so the API answers nobody yet.", token);
  say(`Token       ${rotate ? "made anew; the one before works no more" : "made"}`);
  return token;
}

/**
 * Makes the key with which sessions are encrypted, unless there is one: another key would make those that were kept
 * useless. It is shown nowhere. Without it, everything but sessions works.
 */
export async function ensureSessionKey(wrangler: Wrangler, say: Say): Promise<void> {
  if ((await listSecrets(wrangler)).includes(SESSION_KEY)) return say(`Session key ${EXISTING}`);
  const key = randomBytes(32).toString("base64");
  try {
    await wrangler.ok(commands.putSecret(SESSION_KEY), "The key of sessions could not be set.", key);
    say("Session key made");
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say(`Session key none, so no session can be kept: ${error.message.split("\n")[0]}`);
  }
}

/** Returns a new token that only reads, or null if it is not wanted. */
export async function makeReadToken(wrangler: Wrangler, wanted: boolean, say: Say): Promise<string | null> {
  if (!wanted) return null;
  const token = newToken();
  await wrangler.ok(commands.putReadToken, "The token that only reads could not be set.", token);
  say("Read token  made; one before it works no more");
  return token;
}

/** What a deploy does with the deployed Worker. A test replaces it. */
export interface Deployed {
  /** The HTTP status of a request to the API with this token; null if no answer came. */
  status(address: string, token: string): Promise<number | null>;
  sleep(ms: number): Promise<void>;
}

const READY_POLL_MS = 2_000;
const MAX_READY_MS = 120_000;

/**
 * Waits until the Worker accepts its new tokens. A new secret is a new version of the Worker, which takes seconds to
 * reach all locations, and the certificate of a new address takes up to some minutes.
 */
export async function awaitTokens(address: string, tokens: string[], deployed: Deployed, say: Say): Promise<void> {
  if (tokens.length === 0) return;
  for (let waitedMs = 0; waitedMs <= MAX_READY_MS; waitedMs += READY_POLL_MS) {
    const statuses = await Promise.all(tokens.map((token) => deployed.status(address, token)));
    if (statuses.every((status) => status === 200)) return say("Ready       it answers, and knows its token");
    if (waitedMs === 0) say("Ready       not yet: waiting until it knows its token ...");
    await deployed.sleep(READY_POLL_MS);
  }
  say(
    `Ready       not after ${MAX_READY_MS / 60_000} minutes. A new address can take longer; the token below is valid once ${address}/health answers.`,
  );
}

function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Prints the commands of a deploy, and builds the Worker, which needs no account. */
export async function rehearse(
  installation: Installation,
  wrangler: Wrangler,
  secrets: SecretOptions,
  say: Say,
): Promise<void> {
  say("A deploy would run:");
  for (const { args, when, config } of plan(installation, secrets)) {
    const run = config === undefined ? wrangler : wrangler.withConfig(config);
    say(`  ${run.spell(args)}${when === "" ? "" : `   # ${when}`}`);
  }
  say("");
  const { reader, hook } = installation;
  const build = (config: string, failed: string) => wrangler.withConfig(config).ok(commands.build, failed);
  if (reader !== null) say((await build(READER_CONFIG, "The reader Worker could not be built.")).stdout.trim());
  if (hook !== null) say((await build(HOOK_CONFIG, "The hook could not be built.")).stdout.trim());
  const { stdout } = await wrangler.ok(commands.build, "The Worker could not be built.");
  say(stdout.trim());
}

/** The API's messages and codes for a queue, bucket or database that exists already. */
const EXISTS = /already exists|already taken|\[code: (11009|10004|7502)\]/i;

/**
 * Creates one resource, unless it exists: wrangler's lists show only their first page.
 */
async function create(wrangler: Wrangler, args: string[], what: string): Promise<string> {
  const answer = await wrangler.run(args);
  if (answer.status === 0) return "is made";
  if (EXISTS.test(wordsOf(answer))) return EXISTING;
  throw wrangler.failure(`${what.charAt(0).toUpperCase()}${what.slice(1)} could not be made.`, args, answer);
}

function wordsOf({ stdout, stderr }: Answer): string {
  return `${stdout}\n${stderr}`;
}

/** The cells of a table that wrangler drew. */
function cellsOf(table: string): Set<string> {
  return new Set(table.split(/[│\n]/).map((cell) => cell.trim()));
}

const deployEntry = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).optional() });

/**
 * The first target that is a host. Targets are addresses on workers.dev, routes, custom domains, schedules and queues.
 */
function addressOf(report: string): string | null {
  for (const line of report.split("\n")) {
    for (const target of readJson(line, deployEntry)?.targets ?? []) {
      const place = /^(?:https:\/\/)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)/i.exec(target)?.[1];
      if (place !== undefined) return `https://${place}`;
    }
  }
  return null;
}
