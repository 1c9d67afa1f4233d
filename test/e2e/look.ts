import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

/**
 * Checks a page of the console in both colour schemes, on a phone and on a desktop. `SCREENSHOTS=1` also writes
 * screenshots of every checked page to dist/screenshots, for people: they take longer than all checks.
 */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = join(import.meta.dirname, "..", "..", "dist", "screenshots");
export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
/** Taller pages are cut in screenshots. */
const MAX_HEIGHT = 3_000;
/** Only colours depend on the scheme, and the width on the size. So two of the four combinations find every fault. */
const VARIANTS = [
  ["light", "desk"],
  ["dark", "phone"],
] as const;

/** Returns serious and critical axe violations, and pages wider than their window. `name` names the page. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, size] of VARIANTS) {
    // Without motion, no check meets a transition.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(SIZES[size]);
    if (process.env.SCREENSHOTS) await takeScreenshot(page, size, `${name}-${size}-${colorScheme}.png`);
    // Folded details are checked too.
    const folded = await page.evaluateHandle(() => [...document.querySelectorAll("details:not([open])")]);
    await folded.evaluate((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
    const found = await page.evaluate(() =>
      document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["wider than its window"] : [],
    );
    found.push(...(await overlaps(page)), ...(await axeFaults(page)));
    await folded.evaluate((all) => {
      for (const details of all) details.removeAttribute("open");
    });
    faults.push(...found.map((fault) => `${name}, ${colorScheme}, ${size}: ${fault}`));
  }
  return faults;
}

async function takeScreenshot(page: Page, size: keyof typeof SIZES, name: string): Promise<void> {
  const height = Math.min(MAX_HEIGHT, await page.evaluate(() => document.documentElement.scrollHeight));
  const clip = { x: 0, y: 0, width: SIZES[size].width, height };
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, name), fullPage: true, clip });
}

/** Parts of the page that lie over the one before. */
async function overlaps(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const parts = [...document.querySelectorAll("main > *")].filter((part) => part.getBoundingClientRect().height > 0);
    return parts.slice(1).flatMap((part, i) => {
      const above = (parts[i] as Element).getBoundingClientRect();
      const { top, left, right } = part.getBoundingClientRect();
      const isOver = top < above.bottom - 1 && left < above.right - 1 && right > above.left + 1;
      return isOver ? [`${part.outerHTML.slice(0, 80)} lies over what is above it`] : [];
    });
  });
}

async function axeFaults(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    type Violation = { help: string; impact: string; nodes: { html: string }[] };
    type Axe = { run(context: unknown, options: unknown): Promise<{ violations: Violation[] }> };
    const { axe } = globalThis as unknown as { axe: Axe };
    // Stored pages in frames are foreign. Axe need not describe what has no fault, which takes a tenth of its time.
    const { violations } = await axe.run(document, { iframes: false, resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ help, nodes }) => `${help}: ${nodes[0]?.html}`);
  });
}
