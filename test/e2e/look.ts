import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Looks at a page of the console as people have it before them: in both schemes, on a phone and on a desk. */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Pictures of all that was looked at, for people. */
export const PICTURES = join(import.meta.dirname, "..", "..", "dist", "screenshots");
export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1280, height: 800 } };
/** Of a long list its beginning shows how it looks. */
const MOST_HEIGHT = 3_000;
const LOOKS = [
  ["light", "desk"],
  ["light", "phone"],
  ["dark", "desk"],
  ["dark", "phone"],
] as const;

mkdirSync(PICTURES, { recursive: true });

/** What axe finds serious or critical, in either scheme, and what is wider than its window. `name` is that of the pictures. */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, size] of LOOKS) {
    // Without motion: a picture is not to be taken between two colours.
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(SIZES[size]);
    const height = Math.min(MOST_HEIGHT, await page.evaluate(() => document.documentElement.scrollHeight));
    const clip = { x: 0, y: 0, width: SIZES[size].width, height };
    await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`), fullPage: true, clip });
    // What is folded away is looked at too, and is not to be wider either.
    const folded = await page.evaluateHandle(() => [...document.querySelectorAll("details:not([open])")]);
    await folded.evaluate((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
    const found = await page.evaluate(() =>
      document.documentElement.scrollWidth > document.documentElement.clientWidth ? ["wider than its window"] : [],
    );
    // Colours are those of the scheme; what else there is to find does not depend on it.
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
    type Axe = { run(what: unknown, options: unknown): Promise<{ violations: Violation[] }> };
    const { axe } = globalThis as unknown as { axe: Axe };
    // A page that was mirrored is somebody else's.
    const { violations } = await axe.run(document, { iframes: false });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ help, nodes }) => `${help}: ${nodes[0]?.html}`);
  });
}
