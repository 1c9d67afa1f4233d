import { join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Command, CommanderError } from "commander"; // arguments and --help, as in src/cli
import { UserError } from "../src/cli/errors.ts";
import { MAX_MESSAGE_URLS } from "../src/crawl/bounds/batch-size.ts";
import type { SecretOptions } from "./deploy-commands.ts";
import { FRONTIER_BATCH, type Installation, readInstallation } from "./deploy-config.ts";
import { ensureIdentity, farewellToSites } from "./deploy-identity.ts";
import { ensureLedgers, parseLedgers } from "./deploy-ledgers.ts";
import { adviseMaxCost, checkMaxCost, parseMaxCost, setMaxCost } from "./deploy-max-cost.ts";
import { sayOwnHosts } from "./deploy-own-hosts.ts";
import {
  applyMigrations,
  awaitTokens,
  checkLogin,
  checkTokens,
  type Deployed,
  deployHook,
  deployReader,
  deployWorker,
  ensureDatabases,
  ensureMirror,
  ensureQueues,
  ensureSessionKey,
  ensureToken,
  makeReadToken,
  rehearse,
  type Say,
} from "./deploy-steps.ts";
import { nameSection } from "./needed-sections.ts";
import { ROOT, Wrangler } from "./wrangler.ts";

/**
 * `npm run deploy`: creates what is missing, applies migrations, deploys and prints the address. It can be repeated at
 * any time.
 */

export interface DeployOptions extends SecretOptions {
  dryRun?: boolean;
  /** How many databases crawls live in from now on; absent for as many as the configuration has. */
  ledgers?: number;
}

const ANSWER_MS = 10_000;

const INTERNET: Deployed = {
  status: async (address, token) => {
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(ANSWER_MS);
    // A new address may have no name or no certificate yet.
    const answer = await fetch(`${address}/api/crawls?limit=1`, { headers, signal }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status ?? null;
  },
  sleep: (ms) => setTimeout(ms),
};

/** Throws UserError if a step fails. Earlier steps stay done, and the next run continues from there. */
export async function deploy(
  given: Installation,
  wrangler: Wrangler,
  options: DeployOptions,
  say: Say,
  deployed: Deployed = INTERNET,
): Promise<void> {
  const installation = ensureLedgers(given, options.ledgers, options, say);
  checkMaxCost(installation, options.maxCost);
  sayOwnHosts(installation, say);
  for (const each of installation.missing)
    say(`Warning     ${installation.file} has no ${nameSection(each)}: ${each.without}`);
  const { file, tooLargeBatch } = installation;
  if (tooLargeBatch !== null)
    say(
      `Warning     ${file} takes batches of ${tooLargeBatch} messages from the queue of pages. Each has up to ${MAX_MESSAGE_URLS} URLs, so a batch gets more than it may fetch and sends the others again, which costs operations. Set max_batch_size = ${FRONTIER_BATCH} there.`,
    );
  if (options.dryRun) return rehearse(installation, wrangler, options, say);
  checkTokens(options, wrangler);
  const known = await checkLogin(installation, wrangler, say);
  await ensureQueues(installation, known, say);
  await ensureDatabases(installation, known, say);
  await ensureMirror(installation, known, say);
  await applyMigrations(installation, known, say);
  const plan = await deployReader(installation, known, say);
  await deployHook(installation, known, say);
  const address = await deployWorker(installation, known, plan, say);
  // Secrets come last because they need the Worker, which rejects everybody until then. The read token comes first,
  // because a failure after it would hide it, and it can be created again without harm.
  await setMaxCost(installation, known, options.maxCost, say);
  const signer = await ensureIdentity(installation, known, options, address, new Date(), say);
  await ensureSessionKey(known, say);
  const readToken = await makeReadToken(known, options.readToken ?? false, say);
  const token = await ensureToken(known, options.rotateToken ?? false, say);
  const tokens = [token, readToken].filter((made) => made !== null);
  if (address !== null) await awaitTokens(address, tokens, deployed, say);
  const lines = [
    ...farewell(address, token),
    ...farewellToReaders(address, readToken),
    // A new token that nobody asked for means a new installation.
    ...(token !== null && !options.rotateToken ? adviseMaxCost(installation, options.maxCost) : []),
    ...farewellToSites(signer, installation),
  ];
  for (const line of lines) say(line);
}

function farewellToReaders(address: string | null, token: string | null): string[] {
  if (token === null) return [];
  return [
    "",
    "The token that only reads. It is shown this once, and nobody can read it again:",
    "",
    `  ${token}`,
    "",
    `  npm run orbweaver -- list --remote ${address ?? "ADDRESS"} --token ${token}`,
  ];
}

function farewell(address: string | null, token: string | null): string[] {
  const at = address ?? "ADDRESS";
  const where =
    address === null
      ? 'Orbweaver is deployed, but wrangler named no address for it. Set workers_dev = true or a route in the configuration and deploy again, or enable its workers.dev address in the dashboard: "Workers & Pages", the Worker, Settings, Domains & Routes.'
      : `Orbweaver is at ${address}`;
  if (token === null) return ["", where];
  return [
    "",
    where,
    "",
    "Its token. It is shown this once, and nobody can read it again:",
    "",
    `  ${token}`,
    "",
    "Use it:",
    "",
    `  npm run orbweaver -- crawl https://example.com/ --limit 10 --remote ${at} --token ${token}`,
    "",
    "or, so that it does not stand in every command:",
    "",
    `  export ORBWEAVER_TOKEN=${token}`,
    `  npm run orbweaver -- list --remote ${at}`,
  ];
}

async function main(): Promise<void> {
  const program = new Command("deploy")
    .description(
      "Makes what is missing on your Cloudflare account, applies migrations, deploys and prints the address.",
    )
    .option("--config <file>", "the configuration to deploy (default: wrangler.toml)")
    .option("--rotate-token", "make a new API token; the one before stops working at once")
    .option("--read-token", "make a new token that only reads; one made so before stops working at once")
    .option("--identity", "sign the requests of crawls (Web Bot Auth): makes the key, unless there is one")
    .option("--rotate-identity", "make another key to sign with; the one before stays known until the next rotation")
    .option(
      "--max-cost <usd>",
      'the cost at which a crawl pauses that sets no --max-cost of its own; "none" for no limit. It stays until it is set again (default: unchanged; at first none)',
      parseMaxCost,
    )
    .option(
      "--ledgers <n>",
      "keep crawls in N databases, each with its own crawls: adds those that the configuration lacks (default: as many as it has)",
      parseLedgers,
    )
    .option("--dry-run", "show the commands, build the Worker, and leave the account alone")
    .addHelpText("after", "\nIt may be run again at any time. docs/deploying.md says more.")
    .showHelpAfterError("Add --help to see what it takes.")
    .exitOverride()
    .parse();
  const { config, ...options } = program.opts<DeployOptions & { config?: string }>();
  const wrangler = Wrangler.installed(config === undefined ? [] : ["--config", relative(ROOT, resolve(config))]);
  const installation = await readInstallation(config ?? join(ROOT, "wrangler.toml"));
  await deploy(installation, wrangler, options, (line) => console.log(line));
}

/** Exits with 0 if deployed, 1 if not, and 2 if the arguments are wrong. */
if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  console.error(error instanceof UserError ? error.message : error);
  return error instanceof UserError ? error.exitCode : 1;
}
