import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { scratch, startWith } from "./cli.ts";

/**
 * Nothing that a run writes holds a token, and only its own file the key of the identity: not the state folder, nor
 * wrangler's own folders.
 */

const dir = scratch();
const TOKENS = ["operator-0123456789", "reader-9876543210"];
const MODEL_KEY = "sk-5432109876543210";
const ADDRESS = "https://crawler.example";

afterAll(() => dir.remove());

test("no file that serve writes holds a token, one holds the key of its identity, and nobody else can read its folders", async () => {
  const [home, tmp, state] = ["home", "tmp", "state"].map((name) => join(dir.path, name)) as [string, string, string];
  for (const folder of [home, tmp]) mkdirSync(folder);
  // Every place that wrangler, miniflare and node write to by default.
  const places = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: tmp,
  };
  const [token = "", readToken = ""] = TOKENS;
  const server = startWith(
    { ...places, WRANGLER_LOG_SANITIZE: "false", MODEL_URL: "http://127.0.0.1:9/v1", MODEL: "m", MODEL_KEY },
    [...["serve", "--port", "0", "--token", token, "--read-token", readToken, "--state", state, "--identity", ADDRESS]],
  );
  const address = /http:\/\/[\d.:]+/.exec(await server.printed("Try:"))?.[0] ?? "";
  for (const each of TOKENS) {
    const headers = { authorization: `Bearer ${each}` };
    expect((await fetch(`${address}/api/crawls`, { headers })).status).toBe(200);
  }
  const health = await fetch(`${address}/api/health`, { headers: { authorization: `Bearer ${token}` } });
  expect(await health.json()).toMatchObject({ result: { identity: { address: ADDRESS } } });
  // Nobody listens at the model's address.
  const asked = { method: "POST", body: JSON.stringify({ url: `${address}/`, prompt: "all" }) };
  const extracted = await fetch(`${address}/api/extract`, { ...asked, headers: { authorization: `Bearer ${token}` } });
  expect(await extracted.text()).not.toContain(MODEL_KEY);
  const identity = join(state, "identity.json");
  const privateKey = /\\"d\\":\\"([\w-]{43})/.exec(readFileSync(identity, "utf8"))?.[1] ?? "";
  expect(privateKey).toHaveLength(43);
  expect(statSync(identity).mode & 0o777).toBe(0o600);
  const isClean = () => {
    expect(filesWith([...TOKENS, MODEL_KEY], dir.path)).toEqual([]);
    expect(filesWith([privateKey], dir.path)).toEqual([identity]);
  };
  isClean();
  server.child.kill("SIGINT");
  const { stdout, stderr } = await server.ended;
  isClean();
  expect(stdout + stderr).toContain(`signed as ${ADDRESS}`);
  expect(stdout + stderr).not.toContain(privateKey);
  // The Worker's own log is there too.
  expect(readFileSync(join(state, "logs", "workerd.log"), "utf8")).toContain("/api/crawls");
  for (const folder of [state, join(state, "logs"), join(state, "v3")])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
});

function filesWith(secrets: readonly string[], folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const content = readIfThere(file);
      return secrets.some((secret) => content.includes(secret));
    });
}

/** SQLite removes its journals while it works: a file that is gone holds nothing. */
function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}
