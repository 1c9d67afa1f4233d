import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const ENTRY = join(ROOT, "src", "cli", "main.js");

test("the entry of the command line imports no TypeScript before it enables the compile cache", () => {
  const text = readFileSync(ENTRY, "utf8");
  const imports = [...text.matchAll(/^import [^"]*"([^"]+)"/gm)].map(([, name]) => name);
  expect(imports.filter((name) => !name?.startsWith("node:"))).toEqual([]);
  expect(text.indexOf("enableCompileCache(")).toBeLessThan(text.indexOf("await import("));
});

test("the command of a package names its compile cache to the processes that it starts", () => {
  const folder = mkdtempSync(join(tmpdir(), "orbweaver-bin-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  cpSync(join(ROOT, "bin"), join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "dist", "cli"), { recursive: true });
  writeFileSync(join(folder, "dist", "cli", "start.js"), "console.log(process.env.NODE_COMPILE_CACHE);");
  const run = (env: Record<string, string>) =>
    spawnSync(process.execPath, [join(folder, "bin", "orbweaver.js")], { env, encoding: "utf8" }).stdout.trim();
  expect(run({ TMPDIR: folder })).toContain(folder);
  expect(run({ NODE_COMPILE_CACHE: join(folder, "named") })).toBe(join(folder, "named"));
});
