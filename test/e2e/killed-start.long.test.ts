import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startLocal } from "../../src/cli/machine/workerd.ts";
import { type Running, run, scratch, serve, startWith } from "./cli.ts";

/** No process outlives the command that started it, however it ends and whatever workerd does. */

const dir = scratch();
const workerd = join(dir.path, "workerd");
let n = 0;
const fresh = () => join(dir.path, String(n++));

beforeAll(() => {
  // Without `exec`, so that the shell has a child that does not end with it.
  writeFileSync(workerd, "#!/bin/sh\nsleep 600\n");
  chmodSync(workerd, 0o755);
});

afterAll(() => dir.remove());

/** The host process that has the lock of the state folder. */
async function hostOf(state: string): Promise<number> {
  const file = join(state, "lock");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(10);
  return Number(readFileSync(file, "utf8"));
}

/** The commands of the processes in a group, without those that have ended and are not yet reaped. */
function groupOf(leader: number): string[] {
  return execFileSync("ps", ["-A", "-o", "pgid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [])
    .filter(([, group, status]) => Number(group) === leader && !status?.startsWith("Z"))
    .map(([, , , command = ""]) => command);
}

async function untilGroupHas(leader: number, text: string): Promise<void> {
  while (!groupOf(leader).some((command) => command.includes(text))) await sleep(50);
}

/** Waits until the group is empty; a test's time limit is the bound. */
async function untilEmpty(leader: number): Promise<void> {
  while (groupOf(leader).length > 0) await sleep(50);
}

async function startHanging(): Promise<{ command: Running; state: string; host: number }> {
  const state = fresh();
  const command = startWith({ MINIFLARE_WORKERD_PATH: workerd }, ["list", "--state", state]);
  const host = await hostOf(state);
  await untilGroupHas(host, "sleep 600");
  return { command, state, host };
}

test.concurrent.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "%s of the command while workerd hangs at its start",
  async (signal) => {
    const { command, state, host } = await startHanging();
    command.child.kill(signal);
    await command.ended;
    await untilEmpty(host);
    expect((await run("list", "--state", state)).code).toBe(0);
  },
);

test.concurrent("SIGKILL of the host process while workerd hangs: the command says where the logs are", async () => {
  const { command, state, host } = await startHanging();
  process.kill(host, "SIGKILL");
  const { code, stderr } = await command.ended;
  expect([code, stderr]).toEqual([1, `workerd did not start. The logs in ${join(state, "logs")} may tell why.\n`]);
  await untilEmpty(host);
});

test.concurrent("SIGKILL of the host process while workerd runs: workerd ends too", async () => {
  const state = fresh();
  const server = await serve(state);
  const host = await hostOf(state);
  expect(groupOf(host).some((command) => command.includes("workerd"))).toBe(true);
  process.kill(host, "SIGKILL");
  await untilEmpty(host);
  await server.close();
});

test("a start that takes too long ends with all its processes, and says where the logs are", async () => {
  const state = fresh();
  mkdirSync(state);
  process.env.MINIFLARE_WORKERD_PATH = workerd;
  const started = startLocal(state, {}, 30_000);
  delete process.env.MINIFLARE_WORKERD_PATH;
  const message = `workerd did not start within 30 s. The logs in ${join(state, "logs")} may tell why.`;
  const [host] = await Promise.all([hostOf(state), expect(started).rejects.toThrow(message)]);
  await untilEmpty(host);
});
