import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeStateFolder } from "../../../src/cli/installation/state-folder.ts";
import { joinState, StateSocket } from "../../../src/cli/machine/state-socket.ts";

const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
const ADDRESS = { url: "http://127.0.0.1:8787", token: "t", stays: false, hasBrowser: true };
let n = 0;
let state: string;

beforeEach(() => {
  state = join(root, String(n++));
  makeStateFolder(state);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(process.platform === "win32")("the socket of a state folder", () => {
  test("tells the address to each command until it is closed", async () => {
    expect(await joinState(state)).toBeNull();
    const socket = await StateSocket.open(state, ADDRESS);
    const both = await Promise.all([joinState(state), joinState(state)]);
    expect(both).toMatchObject([ADDRESS, ADDRESS]);
    socket?.close();
    await expect.poll(() => existsSync(join(state, "run", "serve.sock"))).toBe(false);
    expect(await joinState(state)).toBeNull();
  });

  test("knows who uses the process, and when the last has left", async () => {
    let hasOwner = true;
    const socket = await StateSocket.open(state, ADDRESS, () => hasOwner);
    const first = await joinState(state);
    expect(first?.users).toBe(2);
    hasOwner = false;
    const second = await joinState(state);
    expect(second?.users).toBe(2);
    let isOver = false;
    const left = socket?.left().then(() => {
      isOver = true;
    });
    first?.leave();
    const countUsers = async () => {
      const asked = await joinState(state);
      asked?.leave();
      return asked?.users;
    };
    await expect.poll(countUsers).toBe(2);
    expect(isOver).toBe(false);
    second?.leave();
    await left;
    await socket?.left();
    socket?.close();
  });

  test("that a killed process left behind is nobody's, and the next one replaces it", async () => {
    writeFileSync(join(state, "run", "serve.sock"), "");
    expect(await joinState(state)).toBeNull();
    const socket = await StateSocket.open(state, ADDRESS);
    expect(await joinState(state)).toMatchObject(ADDRESS);
    socket?.close();
  });

  test("is left out where its path is too long", async () => {
    const deep = join(state, "x".repeat(120));
    mkdirSync(join(deep, "run"), { recursive: true });
    expect(await StateSocket.open(deep, ADDRESS)).toBeNull();
    expect(await joinState(deep)).toBeNull();
  });
});
