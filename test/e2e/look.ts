import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Checks a page of the console in both colour schemes, on a phone and on a desktop. */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Screenshots of every checked page, for people. */
const PICTURES = join(import.meta.dirname, "..", "..", "dist", "screenshots");
export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
/** Taller pages are cut in screenshots. */
const MAX_HEIGHT = 3_000;
const VARIANTS = [
  ["light", "desk"],
  ["light", "phone"],
  ["dark", "desk"],
  ["dark", "phone"],
] as const;

mkdirSync(PICTURES, { recursive: true });

/** Returns serious and critical axe violations, and pages wider than their window. `name` names the screenshots. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, size] of VARIANTS) {
    // Without motion, no screenshot shows a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(SIZES[size]);
    const height = Math.min(MAX_HEIGHT, await page.evaluate(() => document.documentElement.scrollHeight));
    const clip = { x: 0, y: 0, width: SIZES[size].width, height };
    await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`), fullPage: true, clip });
    // Folded details are checked too.
    const folded = await page.evaluateHandle(() => [...document.querySelectorAll("details:not([open])")]);
    await folded.evaluate((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
    const found = await page.evaluate(() =>
      document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["wider than its window"] : [],
    );
    // axe runs once per scheme: only colours depend on the scheme, and nothing it checks depends on the size.
    if (`${colorScheme} ${size}` !== "light phone" && `${colorScheme} ${size}` !== "dark desk")
      found.push(...(await axeFaults(page)));
    await folded.evaluate((all) => {
      for (const details of all) details.removeAttribute("open");
    });
    faults.push(...found.map((fault) => `${name}, ${colorScheme}, ${size}: ${fault}`));
  }
  return faults;
}

async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    type Violation = { help: string; impact: string; nodes: { html: string }[] };
    type Axe = { run(context: unknown, options: unknown): Promise<{ violations: Violation[] }> };
    const { axe } = globalThis as unknown as { axe: Axe };
    // Stored pages in frames are foreign.
    const { violations } = await axe.run(document, { iframes: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ help, nodes }) => `${help}: ${nodes[0]?.html}`);
  });
}
