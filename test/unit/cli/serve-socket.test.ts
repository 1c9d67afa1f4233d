import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeStateFolder } from "../../../src/cli/installation/state-folder.ts";
import { askAddress, tellAddress } from "../../../src/cli/machine/serve-socket.ts";

const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
const ADDRESS = { url: "http://127.0.0.1:8787", token: "t" };
let n = 0;
let state: string;

beforeEach(() => {
  state = join(root, String(n++));
  makeStateFolder(state);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(process.platform === "win32")("the socket of `serve`", () => {
  test("tells its address to each command until it is closed", async () => {
    expect(await askAddress(state)).toBeNull();
    const server = await tellAddress(state, ADDRESS);
    expect(await Promise.all([askAddress(state), askAddress(state)])).toEqual([ADDRESS, ADDRESS]);
    server?.close();
    if (server !== null) await once(server, "close");
    expect(await askAddress(state)).toBeNull();
    expect(existsSync(join(state, "run", "serve.sock"))).toBe(false);
  });

  test("that a killed `serve` left behind is nobody's, and the next one replaces it", async () => {
    writeFileSync(join(state, "run", "serve.sock"), "");
    expect(await askAddress(state)).toBeNull();
    const server = await tellAddress(state, ADDRESS);
    expect(await askAddress(state)).toEqual(ADDRESS);
    server?.close();
  });

  test("is left out where its path is too long", async () => {
    const deep = join(state, "x".repeat(120));
    mkdirSync(join(deep, "run"), { recursive: true });
    expect(await tellAddress(deep, ADDRESS)).toBeNull();
    expect(await askAddress(deep)).toBeNull();
  });
});
