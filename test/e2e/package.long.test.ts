import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { scratch, startScript } from "./cli.ts";
import { unpackPackage } from "./unpacked.ts";

/** The package that `npm pack` makes, in a folder that has nothing but it and its one dependency. */

const dir = scratch();
const home = join(dir.path, "home");
/** Bytes that are unpacked, without the dependency. */
const MAX_PACKAGE_BYTES = 20 * 1024 * 1024;
let site: Site;
let command = "";

beforeAll(async () => {
  site = await startSite((_, response) => {
    response.setHeader("content-type", "text/html").end("<title>Loom</title><p>Words about looms.");
  });
  mkdirSync(home);
  command = unpackPackage(dir.path);
}, 180_000);
afterAll(async () => {
  await site.close();
  dir.remove();
});

/** The Node of this test, without what npm and vitest say to their own. */
const startCommand = (...args: string[]) =>
  startScript(command, args, { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
const runCommand = (...args: string[]) => startCommand(...args).ended;

test("has one dependency, is small, and holds no sources", () => {
  const folder = dirname(dirname(command));
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { dependencies: object };
  expect(Object.keys(dependencies)).toEqual(["miniflare"]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes).toBeLessThan(MAX_PACKAGE_BYTES);
  expect(files.map(({ name }) => name).filter((name) => /\.(?:ts|tsx|map)$/.test(name))).toEqual([]);
});

test("crawls in an empty folder, and its hints name its own command", async () => {
  const none = await runCommand("list");
  expect(none).toEqual({
    code: 0,
    stdout: "No crawls yet. Start one: orbweaver crawl https://example.com/\n",
    stderr: "",
  });
  const { code, stdout } = await runCommand("crawl", `${site.origin}/`, "--delay", "0", "--out", "site", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: "completed", completed: 1 }]);
  expect(readFileSync(join(home, "site", "records.jsonl"), "utf8")).toContain('"title":"Loom"');
  expect(readdirSync(home).sort()).toEqual([".orbweaver", "site"]);
});

test("serves the console with its style, and SIGTERM ends all of it", async () => {
  const { child, printed } = startCommand("serve", "--port", "0", "--token", "t");
  const address = /listens on (\S+);/.exec(await printed("listens on"))?.[1] ?? "";
  expect((await fetch(`${address}/console/console.css`)).status).toBe(200);
  expect((await fetch(`${address}/api/crawls`, { headers: { authorization: "Bearer t" } })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  await expect(fetch(address)).rejects.toThrow();
});

test("says what builds a hook where wrangler is not installed", async () => {
  const { code, stderr } = await runCommand("serve", "--port", "0", "--hook", command);
  expect([code, stderr]).toEqual([1, expect.stringContaining("npm install wrangler")]);
});
