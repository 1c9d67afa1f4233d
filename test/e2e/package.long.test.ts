import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { scratch } from "./cli.ts";

/** The package that `npm pack` makes, in a folder that has nothing but it and its one dependency. */

const ROOT = join(import.meta.dirname, "..", "..");
const dir = scratch();
const home = join(dir.path, "home");
const packages = join(dir.path, "node_modules");
const COMMAND = join(packages, "orbweaver", "bin", "orbweaver.js");
/** Bytes that are unpacked, without the dependency. */
const MAX_PACKAGE_BYTES = 20 * 1024 * 1024;
let site: Site;

beforeAll(async () => {
  site = await startSite((_, response) => {
    response.setHeader("content-type", "text/html").end("<title>Loom</title><p>Words about looms.");
  });
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", dir.path], { cwd: ROOT });
  const archive = join(dir.path, String(packed).trim().split("\n").at(-1) ?? "");
  for (const folder of [home, packages]) mkdirSync(folder);
  execFileSync("tar", ["xzf", archive, "-C", packages, "--transform", "s/^package/orbweaver/"]);
  symlinkSync(join(ROOT, "node_modules", "miniflare"), join(packages, "miniflare"));
}, 180_000);
afterAll(async () => {
  await site.close();
  dir.remove();
});

function startCommand(...args: string[]) {
  // The Node of this test, without what npm and vitest say to their own.
  const env = { PATH: process.env.PATH, HOME: home };
  return spawn(process.execPath, [COMMAND, ...args], { cwd: home, env });
}

async function runCommand(...args: string[]) {
  const child = startCommand(...args);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (data: Buffer) => {
      output[name] += data;
    });
  const [code] = (await once(child, "close")) as [number];
  return { code, ...output };
}

test("has one dependency, is small, and holds no sources", () => {
  const folder = join(packages, "orbweaver");
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
  const child = startCommand("serve", "--port", "0", "--token", "t");
  const [first] = (await once(child.stdout, "data")) as [Buffer];
  const address = /listens on (\S+);/.exec(String(first))?.[1] ?? "";
  expect((await fetch(`${address}/console/console.css`)).status).toBe(200);
  expect((await fetch(`${address}/api/crawls`, { headers: { authorization: "Bearer t" } })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  await expect(fetch(address)).rejects.toThrow();
});

test("says what builds a hook where wrangler is not installed", async () => {
  const { code, stderr } = await runCommand("serve", "--port", "0", "--hook", COMMAND);
  expect([code, stderr]).toEqual([1, expect.stringContaining("npm install wrangler")]);
});
