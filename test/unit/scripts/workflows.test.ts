import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { hasTool } from "../../e2e/required-tools.ts";

/** What the documents promise about CI is what its files run. */

const ROOT = join(import.meta.dirname, "..", "..", "..");
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), "utf8");
const scriptsIn = (text: string) => Array.from(text.matchAll(/npm run ([\w:-]+)/g), ([, name = ""]) => name);
const scripts: Record<string, string> = JSON.parse(read("package.json")).scripts;

test.each([
  [
    [".ci", "run"],
    ["check", "test:long", "journeys", "test:chaos", "deploy"],
  ],
  [
    [".github", "workflows", "nightly.yml"],
    ["test:chaos", "test:kill", "test:mutants"],
  ],
])("%j runs %j", (path, names) => {
  expect(scriptsIn(read(...path))).toEqual(names);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
});

test("GitHub runs .ci/run for pushes and pull requests", () => {
  expect(read(".github", "workflows", "ci.yml")).toMatch(
    /^on:\n {2}push:[\s\S]*^ {2}pull_request:[\s\S]*run: \.ci\/run$/m,
  );
});

test("a tool that is required fails its tests, any other one skips them", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  expect(hasTool("browser", true, "a page", { REQUIRE: "browser" })).toBe(true);
  expect(hasTool("browser", false, "a page", { REQUIRE: "mounts" })).toBe(false);
  expect(warn.mock.calls).toEqual([[expect.stringContaining("a page was NOT tested")]]);
  warn.mockRestore();
  expect(() => hasTool("browser", false, "a page", { REQUIRE: "mounts,browser" })).toThrow("NO BROWSER: a page");
  expect(() => hasTool("browser", true, "a page", { REQUIRE: "brwoser" })).toThrow("no brwoser");
});

/** Tests of what another system cannot have, and of manuals, whose packages are large. */
const MAY_SKIP = ["unit/cli/state-socket.test.ts", "unit/cli/state.test.ts", "unit/media/html/manuals.test.ts"];

test("each test that may be skipped asks for its tool", () => {
  const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  const silent = files.filter((file) => {
    const text = file.endsWith(".test.ts") ? read("test", file) : "";
    return /\b(skipIf|runIf)\(/.test(text) && !/from "[^"]*\/(browser|hosts-file|required-tools)\.ts"/.test(text);
  });
  expect(silent.sort()).toEqual(MAY_SKIP);
});
