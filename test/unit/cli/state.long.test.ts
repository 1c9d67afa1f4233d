import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { lockState } from "../../../src/cli/installation/state-lock.ts";

/** The lock of the state folder, between real processes. */

const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
const CONTENDER = join(import.meta.dirname, "lock-contender.ts");
let n = 0;
let folder: string;

beforeEach(() => {
  folder = join(root, String(n++));
  mkdirSync(folder);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function contend(log: string, rounds: number, isKilled: boolean): ChildProcess {
  return spawn(process.execPath, [CONTENDER, folder, log, String(rounds), isKilled ? "killed" : ""], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** The lines `leave` that another process's line stands before. */
function violationsIn(lines: string[]): string[] {
  return lines.filter((line, at) => line.startsWith("leave") && lines[at - 1] !== line.replace("leave", "enter"));
}

describe("the lock", () => {
  test("has one holder among eight processes, half of which are killed with it, in four rounds", async () => {
    const log = join(folder, "log");
    for (let round = 0; round < 4; round++) {
      const contenders = Array.from({ length: 8 }, (_, i) => contend(log, 3, i % 2 === 0));
      await Promise.all(contenders.map((each) => once(each, "exit")));
    }
    const lines = readFileSync(log, "utf8").trim().split("\n");
    expect(lines.filter((line) => line.startsWith("enter"))).toHaveLength(4 * 8 * 3);
    expect(lines.filter((line) => line.startsWith("leave"))).toHaveLength(4 * 8 * 3 - 4 * 4);
    expect(violationsIn(lines)).toEqual([]);
  }, 120_000);

  test("and an exclusive transaction, which versions up to 0.2.0 took, keep each other out", async () => {
    const script = `const file = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
      try { file.exec("BEGIN EXCLUSIVE"); console.log("held"); process.stdin.resume() } catch (error) { console.log(error.message) }`;
    const args = ["--no-warnings", "-e", script, join(folder, "lock.sqlite")];
    const earlier = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    expect(String(await once(earlier.stdout, "data"))).toBe("held\n");
    await expect(lockState(folder)).rejects.toThrow(`Another process is working in ${folder}.`);
    earlier.kill("SIGKILL");
    const state = await lockState(folder);
    expect(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout).toBe("database is locked\n");
    state.release();
  });
});
