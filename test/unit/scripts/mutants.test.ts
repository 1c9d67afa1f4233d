import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findMutants } from "../../../scripts/mutants/find-mutants.ts";
import { readTestsOf } from "../../../scripts/mutants/import-graph.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

describe("findMutants", () => {
  test.each([
    ["if (a < b) c();", ["if (true) c();", "if (false) c();", "if (a <= b) c();", "if (a < b) ;"]],
    ["x = y ?? z.filter(f);", [";", "x = z.filter(f);", "x = y ?? z;"]],
    ["const big = !isSmall && of(9);", ["= isSmall && of(9);", "= !isSmall || of(9);", "of(10);", "of(8);"]],
    ['const one: 1 = Math.max("queued", DUE);', ['= Math.min("queued", DUE);', '= Math.max("pending", DUE);']],
    ["const most = 1_000;", ["const most = 2000;", "const most = 500;"]],
    ["type A = 1 | 2;", []],
    ['logInfo("done", 1);', []],
    ["const text = `%{a} is at least 1`;", []],
    ["const ids = `UPDATE t SET a = ?1, b = a + 2`;", ["b = a - 2`;", "b = a + 3`;", "b = a + 1`;"]],
    [
      "const ids = `SELECT 1 FROM t WHERE b >= ?1 AND c = 'page' %{d} ORDER BY e LIMIT 9`;",
      ["b > ?1 ", " OR c ", "c <> 'page'", "c = 'asset'", "%{d} LIMIT 9", "LIMIT 10", "LIMIT 8"],
    ],
  ])("%s", (source, expected) => {
    const mutants = findMutants(source.replace("%{", "${"));
    const found = mutants.map(({ after }) => after.replace("${", "%{"));
    expect(found.toSorted()).toEqual(expected.map((part) => found.find((after) => after.includes(part))).toSorted());
  });

  test("says where a mutant is", () => {
    const [mutant] = findMutants("const a = 1;\n  f(\n    true);\n").filter(({ after }) => after.includes("false"));
    expect(mutant).toEqual({
      line: 3,
      before: "true);",
      after: "false);",
      source: "const a = 1;\n  f(\n    false);\n",
    });
  });
});

test("the tests of a source are those that import it, the nearest first", () => {
  const tests = readTestsOf(ROOT)("src/changes/template/mask-text.ts");
  expect(tests[0]).toBe("test/unit/changes/mask-text.test.ts");
  expect(tests).toContain("test/workerd/watch.test.ts");
  expect(tests).not.toContain("test/unit/robots/parse.test.ts");
});

test("each equivalent mutant is one, and says why", () => {
  const known = JSON.parse(readFileSync(join(ROOT, "scripts", "mutants", "equivalent.json"), "utf8"));
  for (const { file, before, after, reason } of known) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    const found = findMutants(readFileSync(join(ROOT, file), "utf8"));
    const { length } = found.filter((mutant) => mutant.before === before && mutant.after === after);
    expect([file, before, after, length > 0, reason.length > 20]).toEqual([file, before, after, true, true]);
  }
});
