import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stateSocketOf } from "../../src/cli/installation/state-paths.ts";
import { type Site, startSite } from "../sites/site.ts";
import { type Running, scratch, startScript } from "./cli.ts";
import { hasTool } from "./required-tools.ts";
import { unpackPackage } from "./unpacked.ts";

/**
 * The package with other versions of Node than that of the tests, each alone and beside another one on the same state
 * folder. NODES has the paths of their programs, separated by colons. `npm run bench:start` measures starts on a quiet
 * machine; here they are printed.
 */

const NODES = (process.env.NODES ?? "").split(":").filter((path) => path !== "");
/** The first minor version by major version. Later ones have all that is needed. */
const OLDEST: Record<number, number> = { 20: 18, 22: 3, 23: 0 };

hasTool("nodes", NODES.length > 0, "the package with other versions of Node");

interface Node {
  path: string;
  version: string;
  isNewEnough: boolean;
}

const nodes = [process.execPath, ...NODES].map((path): Node => {
  const version = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" }).trim();
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return { path, version, isNewEnough: major > 23 || minor >= (OLDEST[major] ?? Number.POSITIVE_INFINITY) };
});
const supported = nodes.filter(({ isNewEnough }) => isNewEnough);
/** Each with the next one, in a circle: each starts the process that works, and each meets another's. */
const pairs = supported.map((node, i) => [node, supported[(i + 1) % supported.length] ?? node] as const);

const dir = scratch();
let site: Site;
let command = "";

beforeAll(async () => {
  site = await startSite((_, response) => {
    response.setHeader("content-type", "text/html").end("<title>Loom</title><p>Words about looms.");
  });
  command = unpackPackage(dir.path);
});
afterAll(async () => {
  await site.close();
  dir.remove();
});

/** Runs the command as a user of this Node, in this folder. */
function start({ path }: Node, home: string, ...args: string[]): Running {
  return startScript(command, args, { node: path, cwd: home, env: { PATH: process.env.PATH, HOME: home } });
}
const run = (node: Node, home: string, ...args: string[]) => start(node, home, ...args).ended;

/** Milliseconds from the start of a crawl to its first request for a page, and what it printed. */
async function crawlOnce(node: Node, home: string) {
  const seen = site.log.length;
  const startedAt = performance.timeOrigin + performance.now();
  const ended = await run(node, home, "crawl", `${site.origin}/`, "--delay", "0", "--json");
  const page = site.log.slice(seen).find(({ path }) => path === "/");
  return { ...ended, firstPageMs: (page?.startedAt ?? Number.POSITIVE_INFINITY) - startedAt };
}

async function serve(node: Node, home: string) {
  const running = start(node, home, "serve", "--port", "0", "--token", "t");
  return { ...running, address: /listens on (\S+);/.exec(await running.printed("listens on"))?.[1] ?? "" };
}

/** What Node's own modules must give to the built command: the names by the modules. */
function importedNames(): [module: string, names: string[]][] {
  const folder = join(dirname(dirname(command)), "dist", "cli");
  const sources = readdirSync(folder).filter((file) => file.endsWith(".js"));
  return sources.flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/import\s*\{([^}]*)\}\s*from\s*"(node:[^"]+)"/g)].map(
      ([, names = "", module = ""]): [string, string[]] => [
        module,
        names.split(",").map((name) => name.trim().split(" as ")[0] ?? ""),
      ],
    ),
  );
}

describe.each(supported)("Node $version", (node) => {
  const home = join(dir.path, `node-${node.version}`);
  beforeAll(() => void mkdirSync(home));

  test("crawls in an empty folder, and says how soon the first page comes", async () => {
    const first = await crawlOnce(node, home);
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('"completed":1')]);
    const second = await crawlOnce(node, home);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('"completed":1')]);
    console.log(`Node ${node.version}: ${first.firstPageMs.toFixed(0)} ms, then ${second.firstPageMs.toFixed(0)} ms`);
  });

  test("lists, exports, reads and watches", async () => {
    const listed = await run(node, home, "list");
    expect([listed.code, listed.stderr, listed.stdout.match(/completed/g)]).toEqual([
      0,
      "",
      Array(2).fill("completed"),
    ]);
    expect(await run(node, home, "export", "latest", "--out", "pages.csv")).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, "pages.csv"), "utf8")).toContain(",Loom,");
    const read = await run(node, home, "read", `${site.origin}/`);
    expect(read).toEqual({ code: 0, stdout: "Words about looms.\n", stderr: "" });
    const watch = start(node, home, "watch", `${site.origin}/`, "--delay", "0");
    await watch.printed("Its pages are visited again");
    watch.child.kill("SIGINT");
    expect(await watch.ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Stopped; nothing is lost.") });
  });

  test("has all that the command imports of it", () => {
    const wanted = importedNames();
    expect(wanted.length).toBeGreaterThan(20);
    const script = `for (const [module, names] of ${JSON.stringify(wanted)}) {
      const has = await import(module);
      for (const name of names) if (!(name in has)) console.log(module, name);
    }`;
    expect(execFileSync(node.path, ["--input-type=module", "-e", script], { encoding: "utf8" })).toBe("");
  });
});

describe.each(pairs)("Node $version and another", (one, other) => {
  const home = join(dir.path, `shared-${one.version}`);
  beforeAll(() => void mkdirSync(home));

  test(`with ${other.version}: a command joins a serve, and Ctrl-C ends all of it`, async () => {
    const served = await serve(one, home);
    expect(await crawlOnce(other, home)).toMatchObject({ code: 0, stdout: expect.stringContaining('"completed":1') });
    expect((await fetch(`${served.address}/health`)).status).toBe(200);
    served.child.kill("SIGINT");
    expect((await served.ended).code).toBe(0);
    await expect(fetch(served.address)).rejects.toThrow();
    expect((await run(other, home, "list")).stdout).toContain("completed");
  });

  test(`with ${other.version}: a command that cannot join is kept out, until the other one is killed`, async () => {
    const served = await serve(one, home);
    const state = join(home, ".orbweaver");
    rmSync(stateSocketOf(state));
    const holder = Number(readFileSync(join(state, "lock"), "utf8"));
    const refused = await run(other, home, "list");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`Process ${holder} is working in`) });
    process.kill(holder, "SIGKILL");
    served.child.kill("SIGKILL");
    await served.ended;
    expect((await run(other, home, "list")).stdout).toContain("completed");
  });
});

describe.each(nodes.filter(({ isNewEnough }) => !isNewEnough))("Node $version", (node) => {
  test("is too old, and the command says which Node it needs", async () => {
    const { code, stdout, stderr } = await run(node, dir.path, "crawl", `${site.origin}/`);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^Orbweaver needs Node 20\.18, 22\.3 or later; this is v\d+\.\d+\.\d+\. See .*\n$/);
  });
});
