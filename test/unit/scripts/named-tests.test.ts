import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");
const FILES = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });

/** The tests that a document names, with or without the folders that they are in. */
function namedIn(document: string): string[] {
  const text = readFileSync(join(ROOT, document), "utf8");
  return [...text.matchAll(/`(?:test\/)?([\w/.-]+\.test\.ts)`/g)].flatMap(([, name]) => name ?? []);
}

test.each(["SECURITY.md", "docs/architecture.md"])("%s names tests that there are", (document) => {
  const named = namedIn(document);
  expect(named.length).toBeGreaterThan(20);
  const isThere = (name: string) =>
    existsSync(join(ROOT, "test", name)) || FILES.some((file) => file.endsWith(`/${name}`));
  expect(named.filter((name) => !isThere(name))).toEqual([]);
});
