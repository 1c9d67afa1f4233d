import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CHROME_VERSION, linesFor, useBrowser } from "../../../src/cli/machine/browser-script.ts";
import { writeScript } from "../../../src/cli/machine/shell-script.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-script-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

function startScript(name: string, browser: string, flags: readonly string[]): string {
  const file = join(folder, name);
  writeScript(file, linesFor(browser, flags, folder));
  return file;
}

test("the version is the one that the installed miniflare asks for", () => {
  const miniflare = readFileSync(createRequire(import.meta.url).resolve("miniflare"), "utf8");
  expect(miniflare).toContain(`BROWSER_VERSION = "${CHROME_VERSION}"`);
});

test("the browser gets our flags and miniflare's but those that switch bounds off, and the host learns of it", async () => {
  const browser = script("it's a browser", '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  const flags = ["--host-resolver-rules=MAP * ~NOTFOUND", "--quote='"];
  const start = startScript("start", browser, flags);
  const floods = ["--disable-popup-blocking", "--disable-ipc-flooding-protection"];
  const args = ["--a b", "--no-sandbox", ...floods, "--c"];
  const child = spawn(start, args, { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  await once(child, "close");
  expect(output).toBe(["--a b", "--c", ...flags, ""].join("\n"));
  expect(existsSync(join(folder, `${process.pid}.${child.pid}`))).toBe(true);
});

test("the browser yields to the crawler, within its session and as a session", async () => {
  const group = "/proc/self/autogroup";
  const browser = script("polite", `#!/bin/sh\nnice\nif [ -e ${group} ]; then cat ${group}; fi\n`);
  const start = startScript("start-polite", browser, []);
  const child = spawn(start, [], { detached: true, stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  await once(child, "close");
  const yields = existsSync(group) ? /^5\n\S+ nice 5\n$/ : /^5\n$/;
  expect(output).toMatch(yields);
});

test("the browser and its children end when nobody holds their input any more", async () => {
  const browser = script("lasting", "#!/bin/sh\nsleep 1000 &\necho $!\nwait\n");
  const start = startScript("start-lasting", browser, []);
  const child = spawn(start, [], { detached: true, stdio: ["pipe", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const sleeper = Number(line.toString());
  child.stdin.destroy();
  await once(child, "exit");
  await expect.poll(() => isRunning(sleeper)).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("the script stands where miniflare looks, in a folder that it leaves as it is", () => {
  const env: NodeJS.ProcessEnv = {};
  const browser = script("quiet", "#!/bin/sh\nexit 0\n");
  useBrowser(browser, join(folder, "cache"), env);
  expect(env.XDG_CACHE_HOME).toBe(join(folder, "cache"));
  if (process.platform !== "linux" || process.arch !== "x64") return;
  const install = join(folder, "cache", ".wrangler", "chrome", `linux-${CHROME_VERSION}`);
  expect(existsSync(join(install, ".miniflare-install-complete"))).toBe(true);
  expect(readFileSync(join(install, "chrome-linux64", "chrome"), "utf8")).toContain(browser);
});
