import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startGeneratedSite } from "../sites/generated-site.ts";
import type { Site } from "../sites/site.ts";
import { run, type Served, scratch, serve, start } from "./cli.ts";

/** Commands with the state folder of a running `serve` talk to it by themselves. */

const dir = scratch();
const state = join(dir.path, "state");
const HERE = ["--state", state];
let served: Served;
let site: Site;

beforeAll(async () => {
  served = await serve(state);
  site = await startGeneratedSite({ pages: 5_000, links: 5, bytes: 500, delayMs: 30 });
});

afterAll(async () => {
  await served.close();
  await site.close();
  dir.remove();
});

test("a crawl is started, listed, paused by the beginning of its id, resumed and cancelled beside serve", async () => {
  const crawl = start("crawl", `${site.origin}/`, "--delay", "0", ...HERE);
  const id = /Crawl (\S+) started/.exec(await crawl.printed("started"))?.[1] ?? "";
  const list = JSON.parse((await run("list", "--json", ...HERE)).stdout) as { id: string; status: string }[];
  expect(list).toMatchObject([{ id, status: "running" }]);

  const paused = await run("pause", id.slice(0, 8), ...HERE);
  expect([paused.code, paused.stdout]).toEqual([0, expect.stringContaining(`Crawl ${id} is paused`)]);
  // The command that followed the crawl ends with it.
  const ended = await crawl.ended;
  expect([ended.code, ended.stdout]).toEqual([1, expect.stringContaining(`resume ${id} --state ${state}`)]);

  const resumed = start("resume", id.slice(0, 8), ...HERE);
  await resumed.printed("resumed");
  resumed.child.kill("SIGINT");
  expect((await resumed.ended).stdout).toContain("The crawl continues without this command.");
  expect((await run("cancel", id, ...HERE)).stdout).toContain("cancelled by user");
});

test("--remote needs no scheme", async () => {
  const address = new URL(served.address).host;
  const { code, stderr } = await run("list", "--remote", address, "--token", served.token);
  expect([code, stderr]).toEqual([0, ""]);
});

test("a token may begin as an option does", async () => {
  const { code, stdout, stderr } = await run("list", "--remote", served.address, "--token", "-Vx");
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("token")]);
});

test("a schedule's period is given as 7d", async () => {
  const added = await run("schedule", "add", "0 3 * * *", "https://example.com/", "--modified-since", "7d", ...HERE);
  const id = /Schedule (\S+):/.exec(added.stdout)?.[1] ?? "";
  const list = JSON.parse((await run("schedule", "list", "--json", ...HERE)).stdout) as unknown[];
  expect(list).toMatchObject([{ id, modifiedWithinS: 604_800 }]);
  const removed = await run("schedule", "remove", id.slice(0, 8), ...HERE);
  expect([removed.code, removed.stdout]).toEqual([0, `Schedule ${id} is removed.\n`]);
});

test("--version is that of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8")) as {
    version: string;
  };
  expect(await run("--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  expect(await run("crawl", "--version")).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});
