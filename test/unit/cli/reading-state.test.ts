import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { whereToRead, writableOr } from "../../../src/cli/installation/reading-state.ts";

const STATE = ".orbweaver";
const root = mkdtempSync(join(tmpdir(), "orbweaver-test-"));
const home = join(root, "home");
const cache = join(root, "cache");
const there = join(root, "there");
mkdirSync(there);
writeFileSync(join(root, "file"), "");
// Where there is no state.
const folder = process.cwd();
process.chdir(root);
afterAll(() => {
  process.chdir(folder);
  rmSync(root, { recursive: true });
});

test.each<[given: { state: string; remote?: string }, platform: string, env: Record<string, string>, state: string]>([
  [{ state: STATE }, "linux", { HOME: home }, join(home, ".cache", "orbweaver")],
  [{ state: STATE }, "linux", { HOME: home, XDG_CACHE_HOME: cache }, join(cache, "orbweaver")],
  [{ state: STATE }, "linux", { HOME: home, XDG_CACHE_HOME: "not/absolute" }, join(home, ".cache", "orbweaver")],
  [{ state: STATE }, "darwin", { HOME: home }, join(home, "Library", "Caches", "orbweaver")],
  [{ state: STATE }, "linux", { HOME: join(root, "file") }, STATE],
  [{ state: "elsewhere" }, "linux", { HOME: home }, "elsewhere"],
  [{ state: there }, "linux", { HOME: home }, there],
  [{ state: STATE, remote: "https://crawler.example" }, "linux", { HOME: home }, STATE],
])("%j on %s with %j works in %s", (given, platform, env, state) => {
  expect(whereToRead(given, platform, env)).toEqual({ ...given, state });
});

test("a folder that cannot be made gives way to another", () => {
  expect(writableOr(join(cache, "messages"), there)).toBe(join(cache, "messages"));
  expect(writableOr(join(root, "file", "messages"), there)).toBe(there);
});
