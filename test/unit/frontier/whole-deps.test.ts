import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Outside of the pipeline, the files that take all of its dependencies, and why. */
const WHOLE: Record<string, string> = {
  "api/crawls/each-request.ts": "gives every request what its route uses",
  "lifecycle/heartbeat.ts": "does all that the heartbeat does",
  "lifecycle/look-again-at.ts": "commits looks at pages",
  "lifecycle/start.ts": "settles withheld URLs before it sends a crawl again",
};

/** A parameter or property of this type, destructured or not. */
const TAKES_ALL = /[\w}]: Deps\b(?!\[)/;

test("outside of the pipeline, only what runs it takes all of its dependencies", () => {
  const src = join(import.meta.dirname, "..", "..", "..", "src");
  const files = globSync("{notices,passes,lifecycle,reading,api,console}/**/*.{ts,tsx}", { cwd: src });
  expect(files.length).toBeGreaterThan(300);
  const isWhole = (text: string) => /\bDeps\b.*frontier\/deps\.ts"/.test(text) && TAKES_ALL.test(text);
  const whole = files.filter((file) => isWhole(readFileSync(join(src, file), "utf8")));
  expect(whole.sort()).toEqual(Object.keys(WHOLE).sort());
});
