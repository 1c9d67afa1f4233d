import { existsSync } from "node:fs";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Where Chromium is; undefined where there is none, and then it says what was not tested. */
export function findBrowser(untested: string): string | undefined {
  const browser = [process.env.CHROMIUM ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
  if (browser === undefined)
    console.warn(`\n*** NO BROWSER: ${untested} was NOT tested. Install Chromium, or name it in CHROMIUM. ***\n`);
  return browser;
}
