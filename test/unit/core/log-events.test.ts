import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** The events that the sources log, by level. */
function eventsOf(level: string): string[] {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const found = files
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(ROOT, "src", file), "utf8").matchAll(new RegExp(`\\blog${level}\\(\\s*"([^"]+)"`, "g")),
    ]);
  return [...new Set(found.map(([, event = ""]) => event))].sort();
}

const guide = readFileSync(join(ROOT, "docs", "operating.md"), "utf8");
const LEVELS = [
  ["Info", "Information"],
  ["Warning", "Warnings"],
  ["Error", "Errors"],
] as const;

test.each(LEVELS)("docs/operating.md explains each event of %s", (level, title) => {
  const section = guide.split(`### ${title}\n`)[1]?.split(/\n##+ /)[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.map((row) => row.split(" | ")[0] ?? "");
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, event = ""]) => event));
  const events = eventsOf(level);
  expect(events.length).toBeGreaterThan(3);
  expect(named.sort()).toEqual(events);
});
