import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { readingState } from "../../../src/cli/installation/state-paths.ts";
import { guessState } from "../../../src/cli/machine/host-process.ts";

const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
const folder = process.cwd();
process.chdir(root);
vi.stubEnv("HOME", root);
afterAll(() => {
  process.chdir(folder);
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

test("a host that starts ahead has the state folder of its command", () => {
  expect(guessState(["crawl", "example.com"])).toBe(".orbweaver");
  expect(guessState(["list", "--state", "there"])).toBe("there");
  expect(guessState(["list", "--state=there", "--json"])).toBe("there");
  for (const command of ["read", "fields", "extract"]) {
    expect(guessState([command, "example.com"])).toBe(readingState());
    expect(guessState([command, "example.com", "--state", "there"])).toBe("there");
  }
  mkdirSync(".orbweaver");
  expect(guessState(["read", "example.com"])).toBe(".orbweaver");
});
