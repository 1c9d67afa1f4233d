import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Compared, compareRules } from "../../../bench/freshness/compare.ts";
import { generateHistory } from "../../../bench/freshness/generated-history.ts";
import { readGitHistory } from "../../../bench/freshness/git-history.ts";
import { learnedRule, uniformRule } from "../../../bench/freshness/rules.ts";
import { simulate } from "../../../bench/freshness/simulate.ts";
import { generateTextSite, readTextSite } from "../../../bench/freshness/text-site.ts";

const SITE = { pages: 300, days: 3 * 365, medianDays: 60, seed: 41 };
const heavyTail = generateHistory("heavy tail", { ...SITE, sigma: 1.8 });
const even = generateHistory("even", { ...SITE, sigma: 0 });

function freshnessOf(rows: readonly Compared[], rule: string) {
  const row = rows.find((candidate) => candidate.rule === rule);
  if (row === undefined) throw new Error(`no row is called ${rule}`);
  return row.freshness;
}

// A small site and a short time: docs/freshness.md has the numbers of larger ones.
describe.each([
  { history: heavyTail, everyDays: 7, most: 0.58, mostHonest: 0.35 },
  { history: heavyTail, everyDays: 30, most: 0.65, mostHonest: 0.35 },
  { history: even, everyDays: 7, most: 1.05, mostHonest: 0.42 },
  { history: even, everyDays: 30, most: 1.05, mostHonest: 0.42 },
])("$history.name, a visit every $everyDays days", ({ history, everyDays, most, mostHonest }) => {
  const rows = compareRules(history, everyDays, 1);
  const uniform = freshnessOf(rows, "uniform").delayDays;
  const learned = freshnessOf(rows, "orbweaver");

  test(`finds changes within ${most} of the delay of uniform visits`, () => {
    expect(learned.delayDays / uniform).toBeLessThan(most);
  });

  test("is no later than the multiply rule", () => {
    expect(learned.delayDays).toBeLessThan(1.01 * freshnessOf(rows, "multiply").delayDays);
  });

  test(`finds them within ${mostHonest} with an honest lastmod`, () => {
    expect(freshnessOf(rows, "orbweaver, lastmod honest").delayDays / uniform).toBeLessThan(mostHonest);
  });

  test.each(["always now", "at random"])("a lastmod that lies (%s) costs less than a twentieth", (lie) => {
    expect(freshnessOf(rows, `orbweaver, lastmod ${lie}`).delayDays / learned.delayDays).toBeLessThan(1.05);
  });

  test("keeps the budget within 5%; each page is visited within 1.5 intervals, or 4 where an honest lastmod says that it is as it was", () => {
    for (const { rule, freshness } of rows) {
      if (!rule.startsWith("orbweaver")) continue;
      expect(freshness.budgetShare).toBeGreaterThan(0.95);
      expect(freshness.budgetShare).toBeLessThan(1.05);
      expect(freshness.longestIntervals).toBeLessThan(rule.endsWith("honest") ? 4 : 1.51);
    }
  });
});

test("--fixed visits like the uniform rule", () => {
  const run = { everyDays: 7, lastmod: "none", seed: 1 } as const;
  const fixed = simulate(even, learnedRule(7, { isFixed: true }), run);
  expect(fixed.delayDays / simulate(even, uniformRule(7), run).delayDays).toBeCloseTo(1, 1);
  expect(fixed.longestIntervals).toBeLessThan(1.1);
});

test("a git repository gives the days on which its pages came, changed and went", () => {
  const dir = mkdtempSync(join(tmpdir(), "orbweaver-history-"));
  const git = (...args: string[]) => execFileSync("git", ["-C", dir, ...args], { env: environmentAt(0) });
  const commitOn = (day: number) => {
    git("add", "-A");
    execFileSync("git", ["-C", dir, "commit", "-qm", "change"], { env: environmentAt(day) });
  };
  try {
    git("init", "-q");
    writeFileSync(join(dir, "a.md"), "1");
    writeFileSync(join(dir, "b.html"), "1");
    writeFileSync(join(dir, "code.c"), "1");
    commitOn(0);
    writeFileSync(join(dir, "a.md"), "2");
    commitOn(3);
    rmSync(join(dir, "b.html"));
    writeFileSync(join(dir, "a.md"), "3");
    writeFileSync(join(dir, "ü c.txt"), "1");
    commitOn(10);
    const { days, pages } = readGitHistory(dir);
    expect(days).toBe(10);
    expect(pages.map(({ name, bornDay, goneDay, changeDays }) => [name, bornDay, goneDay, [...changeDays]])).toEqual([
      ["a.md", 0, Number.POSITIVE_INFINITY, [3, 10]],
      ["b.html", 0, 10, []],
      ["ü c.txt", 10, Number.POSITIVE_INFINITY, []],
    ]);
    const { beginMs, pages: texts } = readTextSite(dir, ".", 6, 9);
    expect(beginMs).toBe(Date.UTC(2026, 0, 1));
    const versions = texts.map(({ name, changeDays, textAt }) => [
      name,
      ...[0, ...changeDays].map((_, i) => textAt(i)),
    ]);
    expect(versions.sort()).toEqual([
      ["a.md", "1", "2", "3"],
      ["ü c.txt", "1"],
    ]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("each change of a generated page writes another text", () => {
  const site = { pages: 5, days: 400, medianDays: 20, sigma: 1, seed: 1 };
  for (const { changeDays, textAt } of generateTextSite("test", site).pages) {
    const texts = Array.from({ length: changeDays.length + 1 }, (_, version) => textAt(version));
    expect(new Set(texts).size).toBe(texts.length);
  }
});

function environmentAt(day: number) {
  const date = `${Date.UTC(2026, 0, 1) / 1000 + day * 86_400} +0000`;
  const who = {
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@b.c",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@b.c",
  };
  return { ...process.env, ...who, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}
