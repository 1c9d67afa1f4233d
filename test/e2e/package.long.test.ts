import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Site, startSite } from "../sites/site.ts";
import { scratch, startScript } from "./cli.ts";
import { unpackPackage } from "./unpacked.ts";

/** The package that `npm pack` makes, in a folder that has nothing but it and its dependencies. */

const dir = scratch();
const home = join(dir.path, "home");
/** Bytes that are unpacked, without the dependencies. */
const MAX_PACKAGE_BYTES = 20 * 1024 * 1024;
let site: Site;
let command = "";

beforeAll(async () => {
  site = await startSite((_, response) => {
    response.setHeader("content-type", "text/html").end("<title>Loom</title><p>Words about looms.");
  });
  mkdirSync(home);
  command = unpackPackage(dir.path);
}, 300_000);
afterAll(async () => {
  await site.close();
  dir.remove();
});

/** The Node of this test, without what npm and vitest say to their own. */
const startCommand = (...args: string[]) =>
  startScript(command, args, { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
const runCommand = (...args: string[]) => startCommand(...args).ended;

test("has two dependencies, is small, and holds no sources", () => {
  const folder = dirname(dirname(command));
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { dependencies: object };
  expect(Object.keys(dependencies)).toEqual(["fs-native-extensions", "miniflare"]);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes).toBeLessThan(MAX_PACKAGE_BYTES);
  // Help and errors name them.
  expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["extract.md", "hook.md", "commands.md"]));
  const sources = files.map(({ name }) => name).filter((name) => /\.(?:ts|tsx|map)$/.test(name));
  // The example of a hook is there to be copied.
  expect(sources.sort()).toEqual(["hook.ts", "library.d.ts"]);
});

/** The folders of a package and of all that it needs, by their real paths. */
function foldersOf(name: string, from: string, found: Set<string>): Set<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, "node_modules", name);
    if (existsSync(at)) {
      if (found.has(at)) return found;
      found.add(at);
      const needs = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<string, object | undefined>;
      for (const needed of Object.keys({ ...needs.dependencies, ...needs.optionalDependencies }))
        foldersOf(needed, at, found);
      return found;
    }
    // An optional one of another system.
    if (folder === dirname(folder)) return found;
  }
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && !join(entry.parentPath, entry.name).slice(folder.length).includes("node_modules"),
    )
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

test("takes at most 60 MB with all that it needs, beside workerd's binary", () => {
  const root = join(import.meta.dirname, "..", "..");
  const found = new Set<string>();
  for (const name of ["fs-native-extensions", "miniflare"]) foldersOf(name, root, found);
  const folders = [...found].filter((folder) => !/workerd/.test(folder.slice(root.length)));
  expect(folders.length).toBeGreaterThan(5);
  const bytes = [dirname(dirname(command)), ...folders].reduce((sum, folder) => sum + sizeOf(folder), 0);
  expect(bytes).toBeLessThan(60_000_000);
  console.log(`The package with ${folders.length} others: ${(bytes / 1e6).toFixed(1)} MB`);
});

test("reads a page and leaves nothing in the folder", async () => {
  expect(await runCommand("read", `${site.origin}/`)).toMatchObject({ code: 0, stderr: "" });
  expect(readdirSync(home).filter((name) => name !== ".cache")).toEqual([]);
});

test("crawls in an empty folder, and its hints name its own command", async () => {
  const none = await runCommand("list");
  expect(none).toEqual({
    code: 0,
    stdout: "No crawls yet. Start one: orbweaver crawl https://example.com/\n",
    stderr: "",
  });
  const lost = await runCommand("status", "latest");
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining("There is no .orbweaver here: crawls lie in")]);
  expect(readdirSync(home).filter((name) => name !== ".cache")).toEqual([]);
  const { code, stdout } = await runCommand("crawl", `${site.origin}/`, "--delay", "0", "--out", "site", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: "completed", completed: 1 }]);
  expect(readFileSync(join(home, "site", "records.jsonl"), "utf8")).toContain('"title":"Loom"');
  expect(readdirSync(home).sort()).toEqual([".cache", ".orbweaver", "site"]);
});

const SAMPLE = `import { crawl, OrbweaverError, read, type CrawlHook, type CrawlOptions, type FoundUrl, type Page } from "orbweaver";
const options: CrawlOptions = { limit: 5, formats: ["markdown", "links"], options: { excludePatterns: ["/x/**"] }, render: "auto" };
const run = crawl("https://example.com/", options);
for await (const page of run) {
  const title: string | null = page.title;
  const links: { url: string }[] | undefined = page.links;
  if (page.status === "errored") throw new OrbweaverError("failed", page.reason ?? title ?? String(links));
}
const pages: number = run.summary?.completed ?? 0;
const text: string | undefined = (await read("https://example.com/", { formats: ["text"] })).text;
export const hook: CrawlHook = {
  urlsFound: (urls: readonly FoundUrl[]) => urls.map(({ url }) => (url.includes("/print/") ? { refuse: "print" } : null)),
  pagesRead: async (pages) => pages.map(({ text }) => ({ fields: { words: text.length, of: ["a"] } })),
};
export const all: [Page[], number, string | undefined] = [[], pages, text];
// @ts-expect-error There is no such format.
crawl("https://example.com/", { formats: ["word"] });
// @ts-expect-error A typo.
crawl("https://example.com/", { limt: 5 });
`;

test("is a library with types, for modules and for CommonJS", async () => {
  writeFileSync(join(home, "sample.mts"), SAMPLE);
  const tsc = join(import.meta.dirname, "..", "..", "node_modules", ".bin", "tsc");
  const how = "--noEmit --strict --exactOptionalPropertyTypes --module nodenext --target es2022 --lib es2023,dom";
  const checked = spawnSync(tsc, [...how.split(" "), "--types", "", "sample.mts"], { cwd: home, encoding: "utf8" });
  expect([checked.stdout, checked.status]).toEqual(["", 0]);
  const body = `let n = 0;
    for await (const page of crawl(${JSON.stringify(site.origin)}, { limit: 3 })) console.log(++n, page.title, page.markdown);`;
  writeFileSync(join(home, "own.mjs"), `import { crawl } from "orbweaver";\n${body}`);
  writeFileSync(join(home, "own.cjs"), `(async () => { const { crawl } = await import("orbweaver");\n${body} })();`);
  for (const file of ["own.mjs", "own.cjs"]) {
    const { ended } = startScript(join(home, file), [], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
    expect(await ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 Loom .*Words about looms\.\n$/s),
      stderr: "",
    });
    rmSync(join(home, file));
  }
  rmSync(join(home, "sample.mts"));
});

test("serves the console with its style, and SIGTERM ends all of it", async () => {
  const { child, printed } = startCommand("serve", "--port", "0", "--token", "t");
  const address = /listens on (\S+);/.exec(await printed("listens on"))?.[1] ?? "";
  expect((await fetch(`${address}/console/console.css`)).status).toBe(200);
  expect((await fetch(`${address}/api/crawls`, { headers: { authorization: "Bearer t" } })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([0, null]);
  await expect(fetch(address)).rejects.toThrow();
});

test("says what builds a hook where wrangler is not installed", async () => {
  const { code, stderr } = await runCommand("serve", "--port", "0", "--hook", command);
  expect([code, stderr]).toEqual([1, expect.stringContaining("npm install wrangler")]);
});
