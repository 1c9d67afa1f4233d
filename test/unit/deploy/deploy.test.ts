import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { readInstallation } from "../../../scripts/deploy-config.ts";
import { ROOT } from "../../../scripts/wrangler.ts";
import { FIRST_RUN, LATER_RUN } from "./deploy-commands.ts";
import { FakeAccount, installation } from "./fake-account.ts";

describe("a first run", () => {
  it("creates everything in the order of dependencies", async () => {
    const { commands, problem } = await new FakeAccount().deploy();
    expect(problem).toBeNull();
    expect(commands).toEqual(FIRST_RUN);
  });

  it("prints the size of each Worker", async () => {
    const { shown } = await new FakeAccount().deploy();
    expect(shown).toContain("Reader      orbweaver-reader is deployed: 2.6 MiB, 0.8 MiB compressed");
    expect(shown).toContain("Worker      orbweaver is deployed: 1.7 MiB, 0.3 MiB compressed");
  });

  it("warns of batches that hold more than can be fetched", async () => {
    const { shown } = await new FakeAccount().deploy({}, { names: { ...installation, tooLargeBatch: 5 } });
    expect(shown).toContain("takes batches of 5 messages");
    expect(shown).toContain("Set max_batch_size = 2 there.");
  });

  it("needs no reader Worker", async () => {
    const { shown, commands } = await new FakeAccount({ hasReader: true }).deploy(
      {},
      { names: { ...installation, reader: null } },
    );
    expect(shown).toContain("Reader      none: the configuration has no binding READER");
    expect(commands.filter((command) => command.startsWith("deploy"))).toEqual(["deploy"]);
  });

  it("deploys a hook before the Worker that is bound to it", async () => {
    const { shown, commands } = await new FakeAccount().deploy(
      {},
      { names: { ...installation, hook: "orbweaver-hook" } },
    );
    expect(shown).toContain("Hook        orbweaver-hook is deployed");
    expect(commands.filter((command) => command.startsWith("deploy"))).toEqual([
      "deploy --name orbweaver-reader --config wrangler.reader.toml",
      "deploy --name orbweaver-hook --config wrangler.hook.toml",
      "deploy",
    ]);
  });

  it("prints the address and, once, the token that the Worker was given", async () => {
    const account = new FakeAccount();
    const { shown } = await account.deploy();
    const token = account.state.secrets.API_TOKEN ?? "";
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(shown).toContain("Orbweaver is at https://orbweaver.jane.workers.dev");
    expect(shown).toContain(
      `npm run orbweaver -- crawl https://example.com/ --limit 10 --remote https://orbweaver.jane.workers.dev --token ${token}`,
    );
    expect(shown).toContain(`export ORBWEAVER_TOKEN=${token}`);
  });

  it("passes the token only by standard input", async () => {
    const account = new FakeAccount();
    const { calls } = await account.deploy();
    const token = account.state.secrets.API_TOKEN;
    expect(calls.filter(({ input }) => input === token).map(({ args }) => args)).toEqual([
      ["secret", "put", "API_TOKEN"],
    ]);
    expect(calls.flatMap(({ args }) => args)).not.toContain(token);
  });

  it("names the account to every command, for without a terminal wrangler cannot ask", async () => {
    const { calls } = await new FakeAccount().deploy();
    expect(new Set(calls.slice(1).map(({ account }) => account))).toEqual(new Set(["0123456789abcdef"]));
  });

  it("uses a custom domain as the address without workers.dev", async () => {
    const { shown } = await new FakeAccount({
      targets: ["schedule: * * * * *", "crawl.example.com (custom domain)"],
    }).deploy();
    expect(shown).toContain("Orbweaver is at https://crawl.example.com");
  });

  it("says if the Worker has no address", async () => {
    const { shown, problem } = await new FakeAccount({ targets: ["schedule: * * * * *"] }).deploy();
    expect(problem).toBeNull();
    expect(shown).toContain("wrangler named no address");
    expect(shown).toContain("Set workers_dev = true or a route");
  });
});

describe("a later run", () => {
  it("creates nothing and deploys", async () => {
    const account = new FakeAccount();
    await account.deploy();
    const before = structuredClone(account.state);
    const { commands, problem, shown } = await account.deploy();
    expect(problem).toBeNull();
    expect(commands).toEqual(LATER_RUN);
    expect(account.state).toEqual(before);
    expect(shown).toContain("Orbweaver is at https://orbweaver.jane.workers.dev");
  });

  it("never shows an existing token", async () => {
    const account = new FakeAccount();
    await account.deploy();
    const token = account.state.secrets.API_TOKEN ?? "";
    expect(token).not.toBe("");
    expect((await account.deploy()).shown).not.toContain(token);
  });

  it("creates only what an incomplete deploy lacks", async () => {
    const { commands } = await new FakeAccount({
      queues: ["orbweaver-frontier"],
      databases: [{ uuid: "1", name: "orbweaver" }],
      applied: true,
    }).deploy();
    expect(commands.filter((command) => / (create|put) /.test(command))).toEqual([
      "queues create orbweaver-notices",
      "queues create orbweaver-documents",
      "queues create orbweaver-dead-letter",
      "r2 bucket create orbweaver-mirror",
      "secret put SESSION_KEY",
      "secret put API_TOKEN",
    ]);
  });

  it("does not confuse a longer name with the one that it needs", async () => {
    const { commands } = await new FakeAccount({
      queues: ["orbweaver-frontier-old", "my-orbweaver-dead-letter"],
      databases: [{ uuid: "1", name: "orbweaver-old" }],
      buckets: ["orbweaver-mirror-old"],
    }).deploy();
    expect(commands).toEqual(FIRST_RUN);
  });

  it("accepts existing things that a truncated list leaves out", async () => {
    const account = new FakeAccount({
      queues: ["orbweaver-frontier", "orbweaver-dead-letter"],
      buckets: ["orbweaver-mirror"],
      unlisted: ["orbweaver-frontier", "orbweaver-mirror"],
    });
    const { problem, shown } = await account.deploy();
    expect(problem).toBeNull();
    expect(shown).toContain("Queue       orbweaver-frontier is there");
    expect(shown).toContain("R2          orbweaver-mirror is there");
  });

  it("continues where an earlier run failed", async () => {
    const account = new FakeAccount({ failing: { command: "deploy", words: "Something broke. [code: 10001]" } });
    expect((await account.deploy()).problem).toContain("The Worker orbweaver-reader could not be deployed.");
    expect(account.state.secrets).toEqual({});
    account.state.failing = null;
    const { commands, problem } = await account.deploy();
    expect(problem).toBeNull();
    expect(commands).toEqual([...LATER_RUN.slice(0, -1), ...FIRST_RUN.slice(-3)]);
  });
});

describe("the plan", () => {
  it("may be the free one, which refuses CPU limits", async () => {
    const { problem, shown, commands } = await new FakeAccount({ plan: "free" }).deploy();
    expect(problem).toBeNull();
    expect(shown).toContain("CPU limit   10 ms per invocation: this is the free plan");
    expect(shown).toContain("Worker      orbweaver is deployed");
    expect(shown).toContain("Reader      none: this is the free plan");
    const [first, second, ...more] = commands.filter((command) => command.startsWith("deploy"));
    expect([first, more]).toEqual(["deploy --name orbweaver-reader --config wrangler.reader.toml", []]);
    const copy = /^deploy --config (\S+)$/.exec(second ?? "")?.[1] ?? "";
    expect(dirname(copy)).toBe(ROOT);
    expect(existsSync(copy)).toBe(false);
  });

  it("is not asked for again after another failure", async () => {
    const failing = { command: "deploy", words: "Something broke. [code: 10001]" };
    const { commands } = await new FakeAccount({ failing }).deploy();
    expect(commands.filter((command) => command.startsWith("deploy"))).toEqual([
      "deploy --name orbweaver-reader --config wrangler.reader.toml",
    ]);
  });
});

describe("a deploy is ready", () => {
  it("once the Worker knows its new token", async () => {
    const account = new FakeAccount({ requestsUntilReady: 5 });
    const { shown } = await account.deploy();
    expect(shown).toContain("Ready       not yet");
    expect(shown).toContain("Ready       it answers, and knows its token");
    expect(shown.indexOf("knows its token\n")).toBeLessThan(shown.indexOf("Orbweaver is at"));
    expect(account.state.requestsUntilReady).toBe(-1);
  });

  it("once it knows both new tokens", async () => {
    const account = new FakeAccount({ requestsUntilReady: 5 });
    await account.deploy({ readToken: true });
    expect(account.state.requestsUntilReady).toBe(-3);
  });

  it("or else says so, and shows the token all the same", async () => {
    const account = new FakeAccount({ requestsUntilReady: 1_000 });
    const { shown, problem } = await account.deploy();
    expect(problem).toBeNull();
    expect(shown).toContain("Ready       not after 2 minutes.");
    expect(shown).toContain(account.state.secrets.API_TOKEN);
  });

  it("without a wait if it has its token already", async () => {
    const account = new FakeAccount();
    await account.deploy();
    account.state.requestsUntilReady = 3;
    expect((await account.deploy()).shown).not.toContain("Ready");
    expect(account.state.requestsUntilReady).toBe(3);
  });
});

describe("the token", () => {
  it("is replaced on request, and shown once", async () => {
    const account = new FakeAccount();
    await account.deploy();
    const before = account.state.secrets.API_TOKEN ?? "";
    const { commands, shown } = await account.deploy({ rotateToken: true });
    const after = account.state.secrets.API_TOKEN ?? "";
    expect(after).not.toBe(before);
    expect(shown).toContain(after);
    expect(shown).not.toContain(before);
    expect(commands.at(-1)).toBe("secret put API_TOKEN");
    expect((await account.deploy()).shown).not.toContain(after);
  });

  it("is not shown if it cannot be set", async () => {
    const account = new FakeAccount({ failing: { command: "secret put", words: "Secret edit failed." } });
    const { problem, shown, calls } = await account.deploy();
    expect(problem).toContain("the API answers nobody yet");
    expect(shown).not.toContain(calls.at(-1)?.input);
  });
});

describe("the key of sessions", () => {
  it("is made once, and shown nowhere", async () => {
    const account = new FakeAccount();
    const { shown, calls } = await account.deploy();
    const key = account.state.secrets.SESSION_KEY ?? "";
    expect(Buffer.from(key, "base64")).toHaveLength(32);
    expect(shown).not.toContain(key);
    expect(calls.flatMap(({ args }) => args)).not.toContain(key);
    await account.deploy();
    expect(account.state.secrets.SESSION_KEY).toBe(key);
  });

  it("is no reason to stop if it cannot be set", async () => {
    const account = new FakeAccount({ failing: { command: "secret put SESSION_KEY", words: "Secret edit failed." } });
    const { problem, shown } = await account.deploy();
    expect(problem).toBe(null);
    expect(shown).toContain("Session key none, so no session can be kept");
    expect(account.state.secrets.API_TOKEN).toBeDefined();
  });
});

describe("the token that only reads", () => {
  it("is created on request, beside the other one, and shown once", async () => {
    const account = new FakeAccount();
    await account.deploy();
    const before = account.state.secrets.API_TOKEN;
    expect(account.state.secrets.READ_TOKEN).toBeUndefined();
    const { commands, shown, calls } = await account.deploy({ readToken: true });
    const token = account.state.secrets.READ_TOKEN ?? "";
    expect(Buffer.from(token, "base64url")).toHaveLength(32);
    expect(shown).toContain(`list --remote https://orbweaver.jane.workers.dev --token ${token}`);
    expect(calls.flatMap(({ args }) => args)).not.toContain(token);
    expect(commands.filter((command) => command.includes(" put "))).toEqual(["secret put READ_TOKEN"]);
    expect(account.state.secrets.API_TOKEN).toBe(before);
    expect((await account.deploy()).shown).not.toContain(token);
  });

  it("does not affect the other one if it cannot be set", async () => {
    const account = new FakeAccount({ failing: { command: "secret put READ_TOKEN", words: "Secret edit failed." } });
    const { problem } = await account.deploy({ readToken: true, rotateToken: true });
    expect(problem).toContain("The token that only reads could not be set.");
    expect(Object.keys(account.state.secrets)).toEqual(["SESSION_KEY"]);
  });

  it("is part of a dry run", async () => {
    const { shown } = await new FakeAccount().deploy({ dryRun: true, readToken: true });
    expect(shown).toContain("npx wrangler secret put READ_TOKEN   # with a new token on standard input");
  });
});

describe("the account", () => {
  it("must be logged in to", async () => {
    const { problem, commands } = await new FakeAccount({ loggedIn: false }).deploy();
    expect(problem).toContain("npx wrangler login");
    expect(problem).toContain("CLOUDFLARE_API_TOKEN");
    expect(commands).toEqual(["whoami --json"]);
  });

  it("must be named if there are several", async () => {
    const two = [
      { id: "aaaa", name: "Jane" },
      { id: "bbbb", name: "Acme" },
    ];
    const account = new FakeAccount({ accounts: two });
    const { problem, commands } = await account.deploy();
    expect(problem).toContain("CLOUDFLARE_ACCOUNT_ID=ID npm run deploy");
    expect(problem).toContain("bbbb  Acme");
    expect(commands).toEqual(["whoami --json"]);

    const named = await account.deploy({}, { env: { CLOUDFLARE_ACCOUNT_ID: "bbbb" } });
    expect(named.problem).toBeNull();
    expect(named.shown).toContain("Account     Acme");
    const configured = await account.deploy({}, { names: { ...installation, account: "aaaa" } });
    expect(configured.calls.at(-1)?.account).toBe("aaaa");
  });

  it("need not be readable by a token that names it", async () => {
    const account = new FakeAccount({ failing: { command: "whoami", words: "Authentication error [code: 10000]" } });
    expect((await account.deploy({}, { env: { CLOUDFLARE_ACCOUNT_ID: "bbbb" } })).problem).toBeNull();
    expect((await account.deploy()).problem).toContain("lacks a permission");
  });

  it("must have R2 enabled; earlier steps stay done", async () => {
    const account = new FakeAccount({ r2: false });
    const { problem } = await account.deploy();
    expect(problem).toContain("Please enable R2 through the Cloudflare Dashboard. [code: 10042]");
    expect(problem).toContain("https://dash.cloudflare.com/?to=/:account/r2/overview");
    account.state.r2 = true;
    const again = await account.deploy();
    expect(again.problem).toBeNull();
    expect(again.commands.filter((command) => / create /.test(command))).toEqual(["r2 bucket create orbweaver-mirror"]);
  });

  it("must have the database whose id the configuration names", async () => {
    const id = "00000000-0000-0000-0000-000000000000";
    const names = { ...installation, ledgers: [{ binding: "LEDGER", name: "orbweaver", id }] };
    const account = new FakeAccount();
    const { problem, commands } = await account.deploy({}, { names });
    expect(problem).toContain("Delete that line");
    expect(commands).not.toContain("d1 create orbweaver");
    account.state.databases = [{ uuid: "00000000-0000-0000-0000-000000000000", name: "another name" }];
    expect((await account.deploy({}, { names })).problem).toBeNull();
  });
});

describe("ledgers", () => {
  const file = join(mkdtempSync(join(tmpdir(), "orbweaver-ledgers-")), "wrangler.toml");
  const ours = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const deployed = async (account: FakeAccount, ledgers?: number, dryRun = false) =>
    account.deploy({ ...(ledgers === undefined ? {} : { ledgers }), dryRun }, { names: await readInstallation(file) });
  beforeEach(() => writeFileSync(file, ours));
  afterAll(() => rmSync(dirname(file), { recursive: true }));

  it("are bound, made and migrated, and stay", async () => {
    const account = new FakeAccount();
    const { commands, problem } = await deployed(account, 3);
    expect(problem).toBeNull();
    const ofDatabases = commands.filter((command) => command.startsWith("d1 "));
    const names = ["orbweaver", "orbweaver-1", "orbweaver-2"];
    expect(ofDatabases).toEqual([
      "d1 list --json",
      ...names.map((name) => `d1 create ${name}`),
      ...names.map((name) => `d1 migrations apply ${name} --remote`),
    ]);
    expect((await readInstallation(file)).ledgers.map(({ binding }) => binding)).toEqual([
      "LEDGER",
      "LEDGER_1",
      "LEDGER_2",
    ]);
    const { commands: again } = await deployed(account);
    expect(again.filter((command) => command.startsWith("d1 migrations"))).toHaveLength(3);
    await deployed(account, 4);
    expect((await readInstallation(file)).ledgers.map(({ name }) => name)).toEqual([...names, "orbweaver-3"]);
  });

  it("are not taken away", async () => {
    await deployed(new FakeAccount(), 3);
    const { problem, commands } = await deployed(new FakeAccount(), 2);
    expect(problem).toContain("none of them can be taken away");
    expect(commands).toEqual([]);
  });

  it("leave the file alone in a rehearsal", async () => {
    const { shown } = await deployed(new FakeAccount(), 2, true);
    expect(shown).toContain("d1 create orbweaver-1");
    expect(readFileSync(file, "utf8")).toBe(ours);
  });

  it("have a database each", async () => {
    writeFileSync(file, `${ours}\n[[d1_databases]]\nbinding = "LEDGER_1"\ndatabase_name = "orbweaver"\n`);
    await expect(readInstallation(file)).rejects.toThrow('the database "orbweaver" for two ledgers');
  });
});

describe("a failure", () => {
  it("shows the command, wrangler's own words and what to do next", async () => {
    const words = "A request to the Cloudflare API failed.\n\n  Something broke. [code: 10001]";
    const { problem } = await new FakeAccount({ failing: { command: "d1 create", words } }).deploy();
    expect(problem).toBe(
      [
        "The D1 database orbweaver could not be made. wrangler says:",
        "",
        "  $ npx wrangler d1 create orbweaver",
        "  ✘ [ERROR] A request to the Cloudflare API failed.",
        "",
        "    Something broke. [code: 10001]",
        "",
        "When that is mended, run `npm run deploy` again: what is done already is left alone.",
      ].join("\n"),
    );
  });

  it.each(LATER_RUN.slice(1))("of %s ends the deploy there", async (command) => {
    const { problem, commands } = await new FakeAccount({ failing: { command, words: "No.", isWhole: true } }).deploy();
    expect(problem).toContain("✘ [ERROR] No.");
    expect(commands.at(-1)).toBe(command);
  });
});

describe("a dry run", () => {
  it("lists what a deploy would run, and changes no account", async () => {
    const account = new FakeAccount({ loggedIn: false });
    const before = structuredClone(account.state);
    const { commands, shown, problem } = await account.deploy({ dryRun: true });
    expect(problem).toBeNull();
    expect(commands).toEqual(["deploy --dry-run --config wrangler.reader.toml", "deploy --dry-run"]);
    expect(account.state).toEqual(before);
    for (const command of FIRST_RUN) expect(shown).toContain(`npx wrangler ${command}`);
    expect(shown).toContain("Total Upload");
  });
});
