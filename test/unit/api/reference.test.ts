import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiReference } from "../../../scripts/api-reference.ts";
import { anchorOf } from "../../../src/api/docs/describe-route.ts";

const FILE = join(import.meta.dirname, "..", "..", "..", "docs", "api.md");

test("docs/api.md is up to date", () => {
  const isCurrent = readFileSync(FILE, "utf8") === apiReference();
  expect(isCurrent, "docs/api.md is out of date: run npm run docs:api").toBe(true);
});

test("has no broken link, and no place with two headings", () => {
  const text = apiReference();
  const places = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  expect(places.filter((place, i) => places.indexOf(place) !== i)).toEqual([]);
  for (const [, target = ""] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(places).toContain(target);
});
