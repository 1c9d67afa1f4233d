import { describe, expect, it } from "vitest";
import { ensureIdentity } from "../../../scripts/deploy-identity.ts";
import { Wrangler } from "../../../scripts/wrangler.ts";
import { identityIn } from "../../../src/fetch/request/identity.ts";
import { FakeAccount, installation } from "./fake-account.ts";
import { answer } from "./fake-wrangler.ts";

const ADDRESS = "https://orbweaver.jane.workers.dev";

const keysOf = ({ state }: FakeAccount) =>
  Object.keys(state.secrets)
    .filter((name) => name.startsWith("IDENTITY_KEY_"))
    .sort();

describe("an identity", () => {
  it("is made on request, of a key that the Worker can use", async () => {
    const account = new FakeAccount();
    expect((await account.deploy()).commands.join()).not.toContain("IDENTITY");
    const { shown, problem, calls, commands } = await account.deploy({ identity: true });
    expect(problem).toBeNull();
    const [name = ""] = keysOf(account);
    const secret = account.state.secrets[name] ?? "";
    expect(identityIn(account.state.secrets)).toMatchObject({ address: ADDRESS, keys: [{ jwk: JSON.parse(secret) }] });
    expect(commands).toContain("secret put IDENTITY_ADDRESS");
    // The secret goes by standard input alone, and nowhere else.
    const { d } = JSON.parse(secret);
    expect(calls.flatMap(({ args }) => args).join()).not.toContain(d);
    expect(calls.filter(({ input }) => input.includes(d)).map(({ args }) => args.at(-1))).toEqual([name]);
    expect(shown).not.toContain(d);
    expect(shown).toContain(`${ADDRESS}/about-this-crawler`);
    expect(shown).toContain(`USER_AGENT = "Orbweaver/0.2 (+${ADDRESS}/about-this-crawler)"`);
    expect(shown).toContain(`${ADDRESS}/.well-known/http-message-signatures-directory`);
  });

  it("stays when the deploy runs again", async () => {
    const account = new FakeAccount();
    await account.deploy({ identity: true });
    const before = structuredClone(account.state.secrets);
    const { shown } = await account.deploy({ identity: true });
    expect(account.state.secrets).toEqual(before);
    expect(shown).toContain("its key is there");
    await account.deploy();
    expect(account.state.secrets).toEqual(before);
  });

  it("is rotated on request: the key before stays, older ones go", async () => {
    const account = new FakeAccount({ deployed: true });
    const wrangler = new Wrangler(async (args, _, input) => answer(account.state, args, input, undefined), [], {});
    const said: string[] = [];
    const rotate = (time: string) =>
      ensureIdentity(installation, wrangler, { rotateIdentity: true }, ADDRESS, new Date(time), (line) =>
        said.push(line),
      );
    await rotate("2026-01-01T00:00:00Z");
    await rotate("2026-02-01T00:00:00.500Z");
    expect(keysOf(account)).toEqual(["IDENTITY_KEY_20260101T000000Z", "IDENTITY_KEY_20260201T000000Z"]);
    await rotate("2026-03-01T00:00:00Z");
    expect(keysOf(account)).toEqual(["IDENTITY_KEY_20260201T000000Z", "IDENTITY_KEY_20260301T000000Z"]);
    expect(said.at(-1)).toContain("IDENTITY_KEY_20260201T000000Z stays beside it");
  });

  it("has the configured address, where there is one", async () => {
    const account = new FakeAccount();
    const names = { ...installation, identityAddress: "https://crawler.example", userAgent: "My/1 (+https://my.test)" };
    const { commands, shown } = await account.deploy({ identity: true }, { names });
    expect(commands).not.toContain("secret put IDENTITY_ADDRESS");
    expect(shown).toContain("signed as https://crawler.example");
    expect(shown).not.toContain("Name that page");
  });

  it("needs an address", async () => {
    const account = new FakeAccount({ targets: ["schedule: * * * * *"] });
    const { problem } = await account.deploy({ identity: true });
    expect(problem).toContain("Set IDENTITY_ADDRESS");
    expect(keysOf(account)).toEqual([]);
  });

  it("is part of a dry run, which makes no key", async () => {
    const { shown } = await new FakeAccount().deploy({ dryRun: true, identity: true });
    expect(shown).toContain("npx wrangler secret put IDENTITY_ADDRESS   # with the Worker's address on standard input");
    expect(shown).toContain("npx wrangler secret put IDENTITY_KEY_(TIME)   # if missing");
  });
});

describe("a default cost limit", () => {
  it("is advised to the owner of a new installation, once", async () => {
    const account = new FakeAccount();
    const advice = "npm run deploy -- --max-cost 5";
    expect((await account.deploy()).shown).toContain(advice);
    expect((await account.deploy()).shown).not.toContain(advice);
    expect((await account.deploy({ rotateToken: true })).shown).not.toContain(advice);
    expect((await new FakeAccount().deploy({ maxCost: "none" })).shown).not.toContain(advice);
  });

  it("is set once, and stays", async () => {
    const account = new FakeAccount();
    const { shown } = await account.deploy({ maxCost: "5" });
    expect(shown).toContain("Cost limit  5 USD for each crawl that sets none");
    await account.deploy();
    expect(account.state.secrets.MAX_COST_USD).toBe("5");
    expect((await account.deploy({ maxCost: "none" })).shown).toContain("Cost limit  none");
    expect(account.state.secrets.MAX_COST_USD).toBe("none");
  });

  it("is not set beside one of the configuration", async () => {
    const names = { ...installation, maxCost: "3" };
    const { problem, commands } = await new FakeAccount().deploy({ maxCost: "5" }, { names });
    expect(problem).toContain('wrangler.toml has MAX_COST_USD = "3"');
    expect(commands).toEqual([]);
    expect((await new FakeAccount().deploy({}, { names })).shown).toContain("Cost limit  3 USD");
  });
});

describe("in CI, which keeps its logs", () => {
  const CI = { env: { CI: "true" } };

  it("no token is made or shown", async () => {
    const account = new FakeAccount();
    const { problem, shown } = await account.deploy({}, CI);
    expect(problem).toBeNull();
    expect(Object.keys(account.state.secrets)).toEqual(["SESSION_KEY"]);
    expect(shown).toContain("Token       none");
    expect(shown).toContain("wrangler secret put API_TOKEN");
  });

  it("the Worker gets the token of ORBWEAVER_TOKEN, which is not shown", async () => {
    const account = new FakeAccount();
    const given = { env: { CI: "true", ORBWEAVER_TOKEN: "given-token" } };
    const { shown } = await account.deploy({}, given);
    expect(account.state.secrets.API_TOKEN).toBe("given-token");
    expect(shown).not.toContain("given-token");
    account.state.secrets.API_TOKEN = "another";
    await account.deploy({}, given);
    expect(account.state.secrets.API_TOKEN).toBe("another");
  });

  it.each([{ rotateToken: true }, { readToken: true }])("%j is refused before anything is done", async (options) => {
    const { problem, commands } = await new FakeAccount().deploy(options, CI);
    expect(problem).toContain("CI keeps its logs");
    expect(commands).toEqual([]);
  });
});
