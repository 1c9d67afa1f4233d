import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { findBrowser } from "./browser.ts";
import { crawl, start } from "./cli.ts";
import { descendantsOf, killIfThere } from "./kill-all.ts";
import { shareServer } from "./served-sites.ts";

/** How the browser that draws pages ends: by itself, with its command, and with its host process. */

const browser = findBrowser("the end of the browser");
const shared = shareServer();
const ARGS = ["--render", "always", "--delay", "0"];

async function added(site: Promise<Site>): Promise<Site> {
  shared.sites.push(await site);
  return site;
}

describe.skipIf(browser === undefined)("the browser", () => {
  test("that dies costs the page that it draws, and is started again for the next one", async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const site = await added(
      startSite(async (request, response) => {
        if (request.url === "/held.js") await held;
        const isPage = request.url === "/" || request.url === "/second";
        response.writeHead(isPage ? 200 : 404, { "content-type": "text/html" });
        response.end(request.url === "/" ? HELD : isPage ? SECOND : "");
      }),
    );
    const folder = join(shared.dir.path, "died");
    const args = [...ARGS, "--max-attempts", "1", "--source", "links"];
    const crawling = crawl(folder, `${site.origin}/`, `${site.origin}/second`, ...args);
    await expect.poll(() => site.log.some(({ path }) => path === "/held.js"), { timeout: 60_000 }).toBe(true);
    for (const { pid } of below(process.pid).filter(({ args }) => args.includes(join(folder, "state"))))
      for (const { pid: one, args } of below(pid)) if (isBrowser(args)) killIfThere(one);
    release();
    const { byUrl } = await crawling;
    expect(byUrl.get(`${site.origin}/`)).toMatchObject({ status: "errored", reason: "render" });
    expect(byUrl.get(`${site.origin}/second`)).toMatchObject({ status: "completed", title: "drawn" });
  });

  const ENDS = [
    ["SIGTERM", (command: number) => process.kill(command, "SIGTERM")],
    ["SIGKILL", (command: number) => process.kill(command, "SIGKILL")],
    // The host process leads the group of workerd, and no longer that of the browser.
    ["SIGKILL of its host process", (_: number, host: number) => process.kill(host, "SIGKILL")],
  ] as const;

  test.each(ENDS)("ends with the command after %s", async (_name, end) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const site = await added(
      startSite(async (request, response) => {
        if (request.url === "/") return void response.setHeader("content-type", "text/html").end(HELD);
        // Without an answer to this, the page is not drawn.
        if (request.url === "/held.js") await held;
        response.writeHead(404).end();
      }),
    );
    const state = join(shared.dir.path, `ended-${site.port}`);
    const command = start("crawl", `${site.origin}/`, ...ARGS, "--state", state);
    await expect.poll(() => site.log.some(({ path }) => path === "/held.js"), { timeout: 60_000 }).toBe(true);
    const pid = command.child.pid ?? 0;
    const browsers = below(pid).filter(({ args }) => args.includes("--user-data-dir="));
    const host = below(pid).find(({ args }) => args.includes("workerd-host"));
    expect(browsers.length).toBeGreaterThan(0);
    end(pid, host?.pid ?? 0);
    release();
    await command.ended;
    const isAlive = ({ pid }: Process) => processes().some((other) => other.pid === pid && !other.isDefunct);
    await expect.poll(() => browsers.filter(isAlive), { timeout: 30_000 }).toEqual([]);
  });
});

const HELD = "<script src=/held.js></script>";
const SECOND = "<title>plain</title><script>document.title = 'drawn'</script><p>The words of the second page.</p>";

/** The first process of a browser, which the others end with. */
function isBrowser(args: string): boolean {
  return args.includes("--user-data-dir=") && !args.includes("--type=");
}

interface Process {
  pid: number;
  args: string;
  /** Whether it has ended, and nobody has asked for its exit code. */
  isDefunct: boolean;
}

function processes(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8", maxBuffer: 2 ** 26 }).split("\n");
  return lines.flatMap((line) => {
    const [, pid, args = ""] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), args, isDefunct: args.includes("<defunct>") }];
  });
}

function below(pid: number): Process[] {
  const ids = new Set(descendantsOf(pid));
  return processes().filter((one) => ids.has(one.pid));
}
