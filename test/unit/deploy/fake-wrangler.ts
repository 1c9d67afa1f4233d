import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Answer } from "../../../scripts/wrangler.ts";

/**
 * A fake wrangler: it answers like version 4.156.2, from an account that is an object, or a file if it runs as a
 * program. It fails where a test says so. The real wrangler gave the shapes of its answers.
 */

export interface Account {
  loggedIn: boolean;
  accounts: { id: string; name: string }[];
  /** Existing names that the list leaves out, like a list cut off after its first page. */
  unlisted: string[];
  queues: string[];
  databases: { uuid: string; name: string }[];
  r2: boolean;
  buckets: string[];
  applied: boolean;
  deployed: boolean;
  hasReader: boolean;
  targets: string[];
  secrets: Record<string, string>;
  plan: "paid" | "free";
  /** Requests to the deployed Worker before it knows a new token. */
  requestsUntilReady: number;
  /** A command that fails, such as "deploy", and its output. */
  failing: { command: string; words: string; isWhole?: true } | null;
}

export interface Call {
  args: string[];
  input: string;
  account: string | undefined;
}

const QUEUE_TAKEN =
  "Queue name '%' is already taken. Please use a different name and try again. [code: 11009]\n\n  If you think this is a bug, please open an issue at: https://github.com/cloudflare/workers-sdk/issues/new/choose";

/** Answers a command and changes the account. `report` is the file for wrangler's report of a deploy. */
export function answer(account: Account, args: string[], input: string, report: string | undefined): Answer {
  const command = args.join(" ");
  const name = args.at(-1) ?? "";
  const { failing } = account;
  const fails = failing?.isWhole ? command === failing.command : command.startsWith(failing?.command ?? "\0");
  if (failing !== null && fails) return refuse(failing.words);
  if (command === "whoami --json") {
    const { loggedIn, accounts } = account;
    const who = JSON.stringify(loggedIn ? { loggedIn, authType: "OAuth Token", accounts } : { loggedIn }, null, 4);
    return { ...say(who), status: loggedIn ? 0 : 1 };
  }
  if (command === "queues list")
    return say(tableOf(account.queues.filter((queue) => !account.unlisted.includes(queue))));
  if (command.startsWith("queues create")) {
    if (account.queues.includes(name)) return refuse(QUEUE_TAKEN.replace("%", name));
    account.queues.push(name);
    return say(`🌀 Creating queue '${name}'\n✅ Created queue '${name}'`);
  }
  if (command === "d1 list --json") return say(JSON.stringify(account.databases, null, 2));
  if (command.startsWith("d1 create")) {
    if (account.databases.some((database) => database.name === name))
      return refuse("A database with that name already exists");
    account.databases.push({ uuid: `uuid-of-${name}`, name });
    return say(`✅ Successfully created DB '${name}' in region WEUR`);
  }
  if (command.startsWith("r2 bucket") && !account.r2)
    return refuse(
      "A request to the Cloudflare API (/accounts/1/r2/buckets) failed.\n\n  Please enable R2 through the Cloudflare Dashboard. [code: 10042]",
    );
  if (command === "r2 bucket list") {
    const shown = account.buckets.filter((bucket) => !account.unlisted.includes(bucket));
    const listed = shown.map((bucket) => `name:           ${bucket}\ncreation_date:  2026-01-01T00:00:00.000Z`);
    return say(`Listing buckets...\n${listed.join("\n\n")}`);
  }
  if (command.startsWith("r2 bucket create")) {
    if (account.buckets.includes(name))
      return refuse("The bucket you tried to create already exists, and you own it. [code: 10004]");
    account.buckets.push(name);
    return say(`Creating bucket '${name}'...\n✅ Created bucket '${name}' with default storage class of Standard.`);
  }
  if (command.startsWith("d1 migrations apply")) {
    if (account.applied) return say("Resource location: remote\n\n✅ No migrations to apply!");
    account.applied = true;
    return say("Migrations to be applied:\n│ 0001_ledger.sql │\n│ 0001_ledger.sql │ ✅ │");
  }
  if (command === "deploy --dry-run" || command === "deploy --dry-run --config wrangler.reader.toml")
    return say("Total Upload: 1763.35 KiB / gzip: 331.87 KiB\n--dry-run: exiting now.");
  const isReader = /^deploy --name \S+ --config wrangler\.reader\.toml$/.test(command);
  if ((command === "deploy" || isReader) && account.plan === "free")
    return refuse(
      "A request to the Cloudflare API failed.\n\n  CPU limits are not supported for the Free plan. [code: 100328]",
    );
  if (isReader) {
    account.hasReader = true;
    return say("Total Upload: 2647.16 KiB / gzip: 863.76 KiB\nUploaded orbweaver-reader (1 sec)");
  }
  if (command === "deploy --name orbweaver-hook --config wrangler.hook.toml")
    return say("Total Upload: 0.61 KiB / gzip: 0.34 KiB\nUploaded orbweaver-hook (1 sec)");
  if (command === "deploy" && !account.hasReader)
    return refuse('Could not resolve service binding "READER". Target script "orbweaver-reader" not found.');
  if (command === "deploy" || isDeployWithoutLimits(args)) {
    account.deployed = true;
    const entries = [
      { type: "wrangler-session", version: 1 },
      { type: "deploy", version: 1, targets: account.targets },
    ];
    if (report !== undefined) writeFileSync(report, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    return say(
      ["Total Upload: 1763.35 KiB / gzip: 331.87 KiB", "Deployed orbweaver triggers (1 sec)", ...account.targets].join(
        "\n  ",
      ),
    );
  }
  if (command === "secret list") {
    if (!account.deployed) return refuse('Worker "orbweaver" not found.');
    return say(JSON.stringify(Object.keys(account.secrets).map((secret) => ({ name: secret, type: "secret_text" }))));
  }
  if (command.startsWith("secret put")) {
    account.secrets[name] = input.trimEnd();
    return say(`✨ Success! Uploaded secret ${name}`);
  }
  if (command.startsWith("secret delete")) {
    if (!(name in account.secrets)) return refuse(`Binding ${name} not found. [code: 10056]`);
    delete account.secrets[name];
    return say(`✨ Success! Deleted secret ${name}`);
  }
  return refuse(`Unknown command: ${command}`);
}

/** A deploy of another configuration. */
function isDeployWithoutLimits([command, flag, file = ""]: string[]): boolean {
  if (command !== "deploy" || flag !== "--config") return false;
  const { limits, services } = JSON.parse(readFileSync(file, "utf8"));
  return limits === undefined && services === undefined;
}

function say(words: string): Answer {
  return { status: 0, stdout: `${words}\n`, stderr: "" };
}

/** Errors go to standard error, coloured even where there is no terminal, with the place of wrangler's log below. */
function refuse(words: string): Answer {
  const stderr = `\x1b[31m✘ [ERROR]\x1b[0m ${words}\n\n\n🪵  Logs were written to "wrangler.log"\n`;
  return { status: 1, stdout: "", stderr };
}

function tableOf(queues: string[]): string {
  const rows = queues.map((queue) => `│ 1234 │ ${queue.padEnd(20)} │ 2026 │ 2026 │ 1 │ 1 │`);
  return ["┌──────┬───┐", "│ id   │ name │ created_on │ modified_on │ producers │ consumers │", ...rows].join("\n");
}

/** The program that FakeAccount.deployByProgram runs. */
if (import.meta.main) {
  const { FAKE_ACCOUNT = "", FAKE_CALLS = "", CLOUDFLARE_ACCOUNT_ID, WRANGLER_OUTPUT_FILE_PATH } = process.env;
  const account = JSON.parse(readFileSync(FAKE_ACCOUNT, "utf8")) as Account;
  const args = process.argv.slice(2);
  const input = await text(process.stdin);
  const call: Call = { args, input, account: CLOUDFLARE_ACCOUNT_ID };
  appendFileSync(FAKE_CALLS, `${JSON.stringify(call)}\n`);
  const { status, stdout, stderr } = answer(account, args, input, WRANGLER_OUTPUT_FILE_PATH);
  writeFileSync(FAKE_ACCOUNT, JSON.stringify(account));
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = status;
}
