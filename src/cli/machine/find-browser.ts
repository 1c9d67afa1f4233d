import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** Finds the browser of this machine for crawls that render pages. */

const COMMANDS = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "microsoft-edge-stable",
  "msedge",
  "brave-browser",
];

const MAC_APPS = [
  "Google Chrome.app/Contents/MacOS/Google Chrome",
  "Chromium.app/Contents/MacOS/Chromium",
  "Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "Brave Browser.app/Contents/MacOS/Brave Browser",
];

/** Where Playwright puts its Chromium, below its cache. */
const PLAYWRIGHT = [
  "chrome-linux/chrome",
  "chrome-linux64/chrome",
  "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
  "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
];

export const HOW_TO_GET =
  "Install Chromium or Chrome (Debian: `apt install chromium`; macOS: `brew install --cask chromium`; anywhere: `npx playwright install chromium`), or name its program in CHROME_PATH.";

/**
 * The path of a program; null if there is none. Only CHROME_PATH counts if it is set, so that it can be switched off.
 */
export function findBrowser(env: NodeJS.Dict<string> = process.env, platform = process.platform): string | null {
  // miniflare starts a program of this name, which on Windows cannot be a script.
  if (platform === "win32") return null;
  const { CHROME_PATH, PATH = "" } = env;
  if (CHROME_PATH !== undefined) return isProgram(CHROME_PATH) ? CHROME_PATH : null;
  const home = env.HOME ?? homedir();
  const apps = platform === "darwin" ? ["/Applications", join(home, "Applications")] : [];
  const places = [
    ...PATH.split(delimiter).flatMap((folder) => (folder === "" ? [] : COMMANDS.map((name) => join(folder, name)))),
    ...apps.flatMap((folder) => MAC_APPS.map((app) => join(folder, app))),
    ...playwrightBrowsers(env.PLAYWRIGHT_BROWSERS_PATH ?? cacheOf(home, platform)),
  ];
  return places.find(isProgram) ?? null;
}

/** For commands whose crawls may render pages. Nothing is started before a page needs it. */
export function browserOfMachine(): { browser?: string } {
  const browser = findBrowser();
  return browser === null ? {} : { browser };
}

function cacheOf(home: string, platform: string): string {
  return platform === "darwin"
    ? join(home, "Library", "Caches", "ms-playwright")
    : join(home, ".cache", "ms-playwright");
}

/** The newest first. */
function playwrightBrowsers(cache: string): string[] {
  if (!existsSync(cache)) return [];
  const versions = readdirSync(cache).filter((name) => name.startsWith("chromium-"));
  versions.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  return versions.flatMap((version) => PLAYWRIGHT.map((program) => join(cache, version, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
