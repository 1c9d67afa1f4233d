import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiReference } from "../../../scripts/api-reference.ts";

const FILE = join(import.meta.dirname, "..", "..", "..", "docs", "api.md");

test("docs/api.md is what the schemas say", () => {
  const isCurrent = readFileSync(FILE, "utf8") === apiReference();
  expect(isCurrent, "docs/api.md is behind src/api: npm run docs:api writes it anew").toBe(true);
});

test("its links lead somewhere", () => {
  const text = apiReference();
  const places = new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
  for (const [, target = ""] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(places).toContain(target);
});
