import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "..", "..", "..", "src");

/** A constant at the top of a file, whose value is a number or made of numbers and other constants. */
const CONSTANT = /^(export )?const ([A-Z][A-Z0-9_]+)(?:: number)? = ([-\w.*/+ ()]*\d[-\w.*/+ ()]*|[A-Z0-9_*/+ -]+);/gm;
/** A file-local limit (`MAX_TEXT`) belongs to its file; a duration is spoken of everywhere. */
const DURATION = /_(?:MS|S)$/;

test("two durations, and two numbers of which one is exported, have one value if they have one name", () => {
  const values = new Map<string, { isShared: boolean; values: Set<string>; files: string[] }>();
  for (const file of globSync("**/*.{ts,tsx}", { cwd: src }))
    for (const [, isExported, name = "", value = ""] of readFileSync(join(src, file), "utf8").matchAll(CONSTANT)) {
      const known = values.get(name) ?? { isShared: DURATION.test(name), values: new Set(), files: [] };
      known.isShared ||= isExported !== undefined;
      known.values.add(value.replace(/_/g, ""));
      known.files.push(file);
      values.set(name, known);
    }
  expect(values.size).toBeGreaterThan(900);
  const differing = [...values].filter(([, { isShared, values }]) => isShared && values.size > 1);
  expect(differing.map(([name, { files }]) => `${name}: ${files.sort().join(", ")}`)).toEqual([]);
});
