import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startScript } from "../e2e/cli.ts";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { manualPages } from "../sites/manual-site.ts";
import type { Journey } from "./journey.ts";

/** A developer reads a manual in a script of their own, and stops early where that is enough. */

const PAGES = 9;

const SCRIPT = `import { crawl } from "orbweaver";
const run = crawl(process.argv[2], { politeness: { minDelayMs: process.argv[3] === "first" ? 500 : 0 } });
for await (const page of run) {
  console.log(JSON.stringify({ url: page.url, words: page.markdown.split(/\\s+/).length }));
  if (process.argv[3] === "first") break;
}
console.log(JSON.stringify(run.summary));
`;

export async function useTheLibrary(journey: Journey): Promise<void> {
  const site = await startHandmadeSite(manualPages());
  journey.sites.push(site);
  const file = join(journey.home, "read.mjs");
  writeFileSync(file, SCRIPT);
  const runScript = async (...args: string[]) => {
    const { ended } = startScript(file, [`${site.origin}/`, ...args], { cwd: journey.home, env: journey.env });
    const { code, stdout, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, ""], stdout);
    const lines = stdout.trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  await journey.step("node read.mjs SITE/: each page as it finishes", async () => {
    const lines = await runScript();
    const summary = lines.pop();
    assert.equal(new Set(lines.map(({ url }) => url)).size, PAGES);
    assert.equal(lines.length, PAGES);
    assert(lines.every(({ words }) => Number(words) > 3));
    assert.deepEqual([summary?.status, summary?.completed], ["completed", PAGES]);
  });
  await journey.step("node read.mjs SITE/ first: a break ends the crawl", async () => {
    const [, summary] = await runScript("first");
    assert.equal(summary?.status, "cancelled_by_user");
  });
  await journey.run("list", ({ stdout }) => assert.match(stdout, /^No crawls yet/));
}
