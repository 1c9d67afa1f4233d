import { expect, test } from "vitest";
import { hashOf, type PageVersion } from "../../src/changes/page-version.ts";
import { EMPTY_TEMPLATE } from "../../src/changes/template/host-template.ts";
import { learnVersions } from "../../src/changes/template/learn-versions.ts";
import type { Watch } from "../../src/crawl/watch/watch.ts";
import { diffPage } from "../../src/frontier/visits/diff-page.ts";
import { useModelLedger } from "./platform/model-ledger.ts";
import { DAY_MS, HOUR_MS, SEED, WatchedWorld, watchOf } from "./watched-world.ts";

/** A difference leaves out what does not count for changes today, or shows the full text. */

const MENU = "Home Products Contact";
const HIDDEN = ".sidebar";

useModelLedger();

/** The blocks of a page are divided by `|`. Those that begin with the selector are left out by it. */
function versionOf(text: string, ignored: readonly string[]): PageVersion {
  const blocks = text.split("|").filter((block) => !ignored.some((selector) => block.startsWith(selector)));
  return { title: null, canonical: null, looksMissing: false, blocks, headings: [], rest: null };
}

/** A watch of one page that says this before and after, and the blocks that differ: those that count, and all. */
async function diffsOf(before: string, after: string, ignore: Partial<Watch["ignore"]>) {
  let text = before;
  const world = new WatchedWorld(() => ({ text }));
  world.deps.readVersion = async ({ body }, { ignoredElements }) =>
    versionOf(new TextDecoder().decode(body).trim(), ignoredElements);
  const watch = watchOf(DAY_MS);
  const id = await world.watch(DAY_MS, { watch: { ...watch, ignore: { ...watch.ignore, ...ignore } } });
  text = after;
  await world.pass(1.5 * DAY_MS, 2 * HOUR_MS);
  const pages = [1, 2, 3, 4, 5].map((n) => versionOf(`${MENU}|Page ${"abcde"[n - 1]} says this.`, []));
  const template = learnVersions(
    EMPTY_TEMPLATE,
    pages.map((page) => ({ before: null, after: page })),
  );
  // The menu came to most pages at once.
  const came = {
    at: world.now,
    seen: world.now,
    pages: [],
    others: 0,
    had: null,
    share: 1,
    text: MENU,
    isShared: true,
  };
  const rounds = { [`+${hashOf(MENU)}`]: came };
  await world.deps.templates.write(id, "a.test", JSON.stringify({ ...template, rounds }));
  const crawl = await world.crawl(id);
  const blocksOf = async (isFull: boolean) => {
    const found = await diffPage(crawl, SEED, { from: null, to: null, isFull }, world.deps);
    if (found.kind !== "diff") throw new Error(found.kind);
    expect(found.isFull).toBe(isFull);
    const lines = found.diff.hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind !== "same"));
    return lines.map((line) => ("text" in line ? `${line.kind}: ${line.text}` : line.kind));
  };
  return { counted: await blocksOf(false), full: await blocksOf(true) };
}

test.each<[string, string, string, Partial<Watch["ignore"]>, string[], string[]]>([
  ["a template that came", "Old words", `${MENU}|New things`, {}, ["removed: Old words", "added: New things"], [MENU]],
  [
    "an ignored element",
    "Old words",
    `${HIDDEN} Buy shoes|New things`,
    { selectors: [HIDDEN] },
    ["added: New things"],
    ["Buy shoes"],
  ],
  [
    "an ignored text",
    "Posted 3 days ago|Old",
    "Posted 4 days ago|New",
    { patterns: ["Posted * ago"] },
    [],
    ["modified"],
  ],
])("%s", async (_, before, after, ignore, counted, onlyInFull) => {
  const shown = await diffsOf(before, after, ignore);
  expect(shown.counted).toEqual(expect.arrayContaining(counted));
  for (const text of onlyInFull) {
    expect(shown.counted.join()).not.toContain(text);
    expect(shown.full.join()).toContain(text);
  }
});
