import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ENTRY = join(import.meta.dirname, "..", "..", "..", "src", "cli", "main.js");

test("the entry of the command line imports no TypeScript before it enables the compile cache", () => {
  const text = readFileSync(ENTRY, "utf8");
  const imports = [...text.matchAll(/^import [^"]*"([^"]+)"/gm)].map(([, name]) => name);
  expect(imports.filter((name) => !name?.startsWith("node:"))).toEqual([]);
  expect(text.indexOf("enableCompileCache(")).toBeLessThan(text.indexOf("await import("));
});
