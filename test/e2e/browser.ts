import { existsSync } from "node:fs";

/** A browser for the tests that need one: CHROMIUM, or where distributions put it. Playwright's own is not downloaded. */

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Its path; undefined where there is none, which is said loudly, with what goes untested. */
export function findBrowser(untested: string): string | undefined {
  const browser = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
  if (browser === undefined) {
    console.warn(`\n*** NO BROWSER: ${untested} was NOT tested. Install Chromium, or name it in CHROMIUM. ***\n`);
  }
  return browser;
}
