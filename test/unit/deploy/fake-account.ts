import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DeployOptions, deploy } from "../../../scripts/deploy.ts";
import type { Installation } from "../../../scripts/deploy-config.ts";
import { type Run, runProgram, Wrangler } from "../../../scripts/wrangler.ts";
import { UserError } from "../../../src/cli/errors.ts";
import { type Account, answer, type Call } from "./fake-wrangler.ts";

/** Deploys to a fake account and reports the result. */

export const installation: Installation = {
  file: "wrangler.toml",
  worker: "orbweaver",
  reader: "orbweaver-reader",
  hook: null,
  queues: ["orbweaver-frontier", "orbweaver-notices", "orbweaver-documents", "orbweaver-dead-letter"],
  ledgers: [{ binding: "LEDGER", name: "orbweaver", id: undefined }],
  mirror: "orbweaver-mirror",
  account: undefined,
  identityAddress: undefined,
  maxCost: undefined,
  ownHosts: undefined,
  userAgent: "Orbweaver/0.2",
  missing: [],
  tooLargeBatch: null,
};

const EMPTY: Account = {
  loggedIn: true,
  accounts: [{ id: "0123456789abcdef", name: "Jane" }],
  unlisted: [],
  queues: [],
  databases: [],
  r2: true,
  buckets: [],
  applied: false,
  deployed: false,
  hasReader: false,
  targets: [
    "https://orbweaver.jane.workers.dev",
    "schedule: * * * * *",
    "Producer for orbweaver-frontier",
    "Consumer for orbweaver-frontier",
  ],
  secrets: {},
  plan: "paid",
  requestsUntilReady: 0,
  failing: null,
};

export interface Outcome {
  /** The printed output, with the error. */
  shown: string;
  /** Null if the deploy succeeded. */
  problem: string | null;
  /** The commands of this run, as a person would type them. */
  commands: string[];
  calls: Call[];
}

export interface Circumstances {
  names?: Installation;
  env?: Record<string, string>;
}

export class FakeAccount {
  state: Account;

  constructor(state: Partial<Account> = {}) {
    this.state = structuredClone({ ...EMPTY, ...state });
  }

  async deploy(options: DeployOptions = {}, { names = installation, env = {} }: Circumstances = {}): Promise<Outcome> {
    const calls: Call[] = [];
    const run: Run = async (args, { CLOUDFLARE_ACCOUNT_ID, WRANGLER_OUTPUT_FILE_PATH }, input) => {
      calls.push({ args, input, account: CLOUDFLARE_ACCOUNT_ID });
      return answer(this.state, args, input, WRANGLER_OUTPUT_FILE_PATH);
    };
    return outcomeOf(new Wrangler(run, [], env), options, names, this, () => calls);
  }

  /** The deployed Worker: it knows a new token only after some requests. */
  async status(address: string, token: string): Promise<number | null> {
    if (address !== this.state.targets[0]) return null;
    this.state.requestsUntilReady -= 1;
    if (this.state.requestsUntilReady >= 0) return 401;
    return Object.values(this.state.secrets).includes(token) ? 200 : 401;
  }

  /** Deploys with wrangler as a program, and the account in a file. */
  async deployByProgram(): Promise<Outcome> {
    const folder = mkdtempSync(join(tmpdir(), "orbweaver-fake-account-"));
    const [account, calls] = [join(folder, "account.json"), join(folder, "calls.ndjson")];
    try {
      writeFileSync(account, JSON.stringify(this.state));
      const run = runProgram(process.execPath, join(import.meta.dirname, "fake-wrangler.ts"));
      const env = { PATH: process.env.PATH, FAKE_ACCOUNT: account, FAKE_CALLS: calls };
      return await outcomeOf(new Wrangler(run, [], env), {}, installation, this, () =>
        readFileSync(calls, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Call),
      );
    } finally {
      this.state = JSON.parse(readFileSync(account, "utf8")) as Account;
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function outcomeOf(
  wrangler: Wrangler,
  options: DeployOptions,
  names: Installation,
  account: FakeAccount,
  called: () => Call[],
): Promise<Outcome> {
  const lines: string[] = [];
  let problem: string | null = null;
  try {
    const status = async (address: string, token: string) => {
      if (wrangler.env.FAKE_ACCOUNT !== undefined) return 200;
      return account.status(address, token);
    };
    await deploy(names, wrangler, options, (line) => lines.push(line), { status, sleep: async () => undefined });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problem = error.message;
    lines.push(problem);
  }
  const calls = called();
  return { shown: lines.join("\n"), problem, commands: calls.map(({ args }) => args.join(" ")), calls };
}
