import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { arch } from "node:os";
import { dirname, join } from "node:path";
import { quote, writeScript } from "./shell-script.ts";
import { notesFolder } from "./watch-browser.ts";

/**
 * Has miniflare start the browser of this machine. miniflare starts a Chrome of a certain version, which it would
 * download, and takes what stands in its place: a script that starts the browser with flags of our own.
 */

/** The version that the installed miniflare asks for; a test compares the two. */
export const CHROME_VERSION = "126.0.6478.182";
/** miniflare leaves a folder with this file as it is when the browser does not start. */
const COMPLETE = ".miniflare-install-complete";
/** A browser that starts needs a second; a busy machine takes longer. */
const PROBE_MS = 30_000;
/**
 * The niceness of the browser, as for `nice`: it gets a third of the machine's time where the crawler and its API want
 * all of it, too.
 */
const NICENESS = 5;

/**
 * The browser reaches no host by itself: each request of a page is intercepted and fetched by the crawler. These flags
 * hold the door where interception has a hole, such as web sockets, WebRTC and connections that a page asks for ahead.
 */
export const FLAGS = [
  "--host-resolver-rules=MAP * ~NOTFOUND",
  // A connection to an address needs no name, so all go to a proxy, which nobody can find.
  "--proxy-server=http://no-network.invalid:9",
  "--proxy-bypass-list=<-loopback>",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--disable-gpu",
  "--dns-prefetch-disable",
  "--no-pings",
  "--no-default-browser-check",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--deny-permission-prompts",
  "--disable-notifications",
  // One process draws one page with all its frames: what the page takes is its own, and ends with it. Pages of
  // different contexts never share a process.
  "--disable-site-isolation-trials",
];

/**
 * Flags of miniflare that the browser does not get. It adds the first where CI is set, but whether the sandbox is on is
 * decided here. The others switch off what bounds a page: windows that nobody asked for, and floods of messages.
 */
const LEFT_OUT = ["--no-sandbox", "--disable-popup-blocking", "--disable-ipc-flooding-protection"];

/** Prepares the browser, and has this process find it. Returns warnings for people. `cache`: a folder for it. */
export function useBrowser(browser: string, cache: string, env: NodeJS.ProcessEnv = process.env): string[] {
  const install = join(cache, installFolder());
  const place = join(install, program());
  mkdirSync(dirname(place), { recursive: true });
  const isSandboxed = canSandbox(browser, cache);
  writeFileSync(join(install, COMPLETE), "");
  const flags = isSandboxed ? FLAGS : [...FLAGS, "--no-sandbox"];
  writeScript(place, linesFor(browser, flags, notesFolder(cache)));
  env.XDG_CACHE_HOME = cache;
  return isSandboxed
    ? []
    : ["The browser runs without its sandbox, because it cannot start with it here (as root, or in a container)."];
}

/** Where miniflare looks for its Chrome, below the cache folder of the user: the layout of @puppeteer/browsers. */
function installFolder(): string {
  const system = process.platform === "darwin" ? "mac" : "linux";
  return join(".wrangler", "chrome", `${system}${arch() === "arm64" ? "_arm" : ""}-${CHROME_VERSION}`);
}

function program(): string {
  if (process.platform !== "darwin") return join("chrome-linux64", "chrome");
  const app = "Google Chrome for Testing";
  return join(`chrome-mac-${arch() === "arm64" ? "arm64" : "x64"}`, `${app}.app`, "Contents", "MacOS", app);
}

/**
 * The browser leads a process group, and its input is a pipe that only the host process has. A shell of the group waits
 * for the end of that pipe, and ends the group: the kernel closes it however the host process ends. A file in `notes`
 * named HOST.GROUP tells the host process of the group: the browser has no environment, and a script for all hosts.
 *
 * Busy pages leave time to the crawler. Linux shares a machine's time among sessions first (sched(7), "The autogroup
 * feature"), and the browser has its own, so its priority within the session is not enough.
 */
export function linesFor(browser: string, flags: readonly string[], notes: string): string[] {
  return [
    "exec 3<&0",
    '(read -r _ <&3; kill -s KILL -- "-$$") > /dev/null 2>&1 &',
    `: > ${quote(notes)}/"$PPID.$$"`,
    `for flag; do shift; case "$flag" in ${LEFT_OUT.join("|")}) ;; *) set -- "$@" "$flag" ;; esac; done`,
    `{ echo ${NICENESS} > /proc/self/autogroup; } 2> /dev/null`,
    `exec nice -n ${NICENESS} ${quote(browser)} "$@" ${flags.map(quote).join(" ")} < /dev/null 3<&-`,
  ];
}

/**
 * Whether the browser starts with its sandbox: never for root. It is tried once for each program, and its version by
 * its time.
 */
function canSandbox(browser: string, cache: string): boolean {
  if (process.getuid?.() === 0) return false;
  if (process.platform !== "linux") return true;
  const note = join(cache, "sandbox.json");
  const asked = `${browser} ${statSync(browser).mtimeMs}`;
  const known = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as { asked: string; works: boolean }) : null;
  if (known?.asked === asked) return known.works;
  const args = ["--headless=new", ...FLAGS, `--user-data-dir=${join(cache, "probe")}`, "--dump-dom", "about:blank"];
  const works = spawnSync(browser, args, { timeout: PROBE_MS, stdio: "ignore" }).status === 0;
  rmSync(join(cache, "probe"), { recursive: true, force: true });
  writeFileSync(note, JSON.stringify({ asked, works }));
  return works;
}
