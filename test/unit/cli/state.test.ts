import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeStateFolder } from "../../../src/cli/installation/state-folder.ts";
import { lockState } from "../../../src/cli/installation/state-lock.ts";

/**
 * The lock of the state folder, and who may read the folder. state.long.test.ts has the lock between real processes.
 */

const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
let n = 0;
let folder: string;

beforeEach(() => {
  folder = join(root, String(n++));
  mkdirSync(folder);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("the lock", () => {
  test.each([
    ["a living stranger", String(process.pid)],
    ["process 1", "1"],
    ["no process", "999999999"],
    ["nobody", "junk"],
  ])("is free where the file names %s", async (_, text) => {
    writeFileSync(join(folder, "lock"), text);
    const state = await lockState(folder);
    expect(readFileSync(join(folder, "lock"), "utf8")).toBe(String(process.pid));
    state.release();
  });

  test("names its holder to others, and is free when it is released", async () => {
    const state = await lockState(folder);
    await expect(lockState(folder)).rejects.toThrow(`Process ${process.pid} is working in ${folder}.`);
    state.release();
    state.release();
    (await lockState(folder)).release();
  });

  test("says to others whether its holder still starts, so that they wait to join it", async () => {
    const state = await lockState(folder, { starts: true });
    await expect(lockState(folder)).rejects.toMatchObject({
      message: expect.stringContaining(`Process ${process.pid} is working in`),
      isStarting: true,
    });
    state.noteStarted();
    await expect(lockState(folder)).rejects.toMatchObject({ isStarting: false });
    state.release();
  });
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a new state folder is no change of a repository, and a folder that exists gets no such file", () => {
  const state = join(folder, "new");
  makeStateFolder(state);
  makeStateFolder(folder);
  expect(readFileSync(join(state, ".gitignore"), "utf8")).toBe("*\n");
  expect(existsSync(join(folder, ".gitignore"))).toBe(false);
});

describe.skipIf(process.platform === "win32")("nobody else may read", () => {
  test("a new state folder", () => {
    const state = join(folder, "a", "b");
    makeStateFolder(state);
    expect(["", "logs", "v3"].map((name) => modeOf(join(state, name)))).toEqual(["700", "700", "700"]);
  });

  test("what is in an existing folder, which keeps its mode", () => {
    mkdirSync(join(folder, "v3"));
    for (const path of [folder, join(folder, "v3")]) chmodSync(path, 0o755);
    makeStateFolder(folder);
    expect(["", "logs", "v3"].map((name) => modeOf(join(folder, name)))).toEqual(["755", "700", "700"]);
  });
});
