import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** The files that take all dependencies of the pipeline, and why. */
const WHOLE: Record<string, string> = {
  "api/crawls/each-request.ts": "gives every request what its route uses",
  "frontier/batch/batch.ts": "holds what all stages of a batch use",
  "frontier/batch/consumer.ts": "takes a batch through all stages",
  "frontier/batch/deliver.ts": "hands a batch to the consumer",
  "frontier/documents/deliver-documents.ts": "has documents read",
  "frontier/documents/read-document.ts": "opens the features for a document, and commits it",
  "frontier/documents/read-waiting.ts": "has the document read whose turn it is",
  "lifecycle/heartbeat.ts": "does all that the heartbeat does",
};

/** A parameter or property of this type, destructured or not. */
const TAKES_ALL = /[\w}]: Deps\b(?!\[)/;

test("only what runs the pipeline takes all of its dependencies", () => {
  const src = join(import.meta.dirname, "..", "..", "..", "src");
  const files = globSync("{frontier,notices,passes,lifecycle,reading,api,console}/**/*.{ts,tsx}", { cwd: src });
  expect(files.length).toBeGreaterThan(400);
  const isWhole = (text: string) => /\bDeps\b.*\/deps\.ts"/.test(text) && TAKES_ALL.test(text);
  const whole = files.filter((file) => isWhole(readFileSync(join(src, file), "utf8")));
  expect(whole.sort()).toEqual(Object.keys(WHOLE).sort());
});
