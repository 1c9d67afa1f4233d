import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findBrowser } from "../../../src/cli/machine/find-browser.ts";

const home = mkdtempSync(join(tmpdir(), "orbweaver-browsers-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function program(...path: string[]): string {
  const file = join(home, ...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  chmodSync(file, 0o755);
  return file;
}

const chromium = program("bin", "chromium");
const chrome = program("other", "google-chrome");
const older = program(".cache", "ms-playwright", "chromium-999", "chrome-linux", "chrome");
const newest = program(".cache", "ms-playwright", "chromium-1181", "chrome-linux", "chrome");
const app = program("Applications", "Chromium.app", "Contents", "MacOS", "Chromium");
const PATHS = `${join(home, "nothing")}:${join(home, "other")}:${join(home, "bin")}`;

test.each([
  ["CHROME_PATH comes first", { CHROME_PATH: older, PATH: PATHS }, "linux", older],
  ["a wrong CHROME_PATH means no other one", { CHROME_PATH: join(home, "none"), PATH: PATHS }, "linux", null],
  ["a command is found on the path", { PATH: PATHS }, "linux", chrome],
  ["of one folder the first name counts", { PATH: join(home, "bin") }, "linux", chromium],
  ["Playwright's newest is found", { PATH: "" }, "linux", newest],
  ["an app of the user is found", { PATH: "" }, "darwin", app],
  ["where there is none, none is found", { PATH: "", PLAYWRIGHT_BROWSERS_PATH: join(home, "none") }, "linux", null],
  ["Windows has none that a script can start", { CHROME_PATH: chromium }, "win32", null],
] as const)("%s", (_, env, platform, expected) => {
  expect(findBrowser({ HOME: home, ...env }, platform)).toBe(expected);
});
