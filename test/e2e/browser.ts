import { existsSync } from "node:fs";

/** Finds Chromium for browser tests: CHROMIUM or the usual paths. Playwright's own browser is not downloaded. */

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Returns its path. Without a browser, warns that `subject` is not tested and returns undefined. */
export function findBrowser(subject: string): string | undefined {
  const browser = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
  if (browser === undefined) {
    console.warn(`\n*** NO BROWSER: ${subject} was NOT tested. Install Chromium, or name it in CHROMIUM. ***\n`);
  }
  return browser;
}
