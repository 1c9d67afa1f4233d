/**
 * `node scripts/check-prose.ts [--write] [FILE...]`: no line of a comment or of Markdown is longer than 120 characters.
 * Prints those that are and exits 1. `--write` wraps what it can first: paragraphs, and in Markdown list items too.
 *
 * Tables, code and lines of a single link may be longer. docs/api.md is generated.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { findLongLines, MAX_WIDTH, wrapProse } from "./prose.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["src", "test", "bench", "scripts", "public", "docs", ".github"];
const PROSE = /\.(md|[cm]?[jt]s|tsx|css|py|toml)$/;
const NOT_OURS = new Set(["docs/api.md", "worker-configuration.d.ts"]);

const { values, positionals } = parseArgs({
  options: { write: { type: "boolean", default: false } },
  allowPositionals: true,
});
const files = positionals.length > 0 ? positionals : listFiles();
let tooLong = 0;
for (const file of files) {
  const path = join(ROOT, file);
  const before = readFileSync(path, "utf8");
  const source = values.write ? wrapProse(file, before) : before;
  if (source !== before) writeFileSync(path, source);
  for (const line of findLongLines(file, source)) {
    console.log(`${file}:${line}`);
    tooLong += 1;
  }
}
if (tooLong > 0) {
  console.log(`${tooLong} lines of prose are longer than ${MAX_WIDTH} characters`);
  process.exitCode = 1;
}

/** Relative to the root; links are left out, for they lead into packages. */
function listFiles(): string[] {
  const below = readdirSync(ROOT, { withFileTypes: true }).flatMap((entry) =>
    SOURCES.includes(entry.name)
      ? readdirSync(join(ROOT, entry.name), { recursive: true, withFileTypes: true })
      : [entry],
  );
  return below
    .filter((entry) => entry.isFile() && PROSE.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => !NOT_OURS.has(file));
}
