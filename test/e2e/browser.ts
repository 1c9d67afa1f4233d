import { existsSync } from "node:fs";
import { hasTool } from "./required-tools.ts";

/** Finds Chromium for browser tests: CHROMIUM or the usual paths. Playwright's own browser is not downloaded. */

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Returns its path. Without a browser, warns that `subject` is not tested and returns undefined, or throws in CI. */
export function findBrowser(subject: string): string | undefined {
  const browser = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
  return hasTool("browser", browser !== undefined, subject) ? browser : undefined;
}
