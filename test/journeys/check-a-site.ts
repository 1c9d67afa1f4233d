import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { findBrowser } from "../e2e/browser.ts";
import { startHandmadeSite } from "../sites/handmade-site.ts";
import { manualPages } from "../sites/manual-site.ts";
import { ROUTES, startScriptSite, wordsOf } from "../sites/script-site.ts";
import type { Journey } from "./journey.ts";

/** A web master finds what is broken, mends it, sees that it is mended, and looks at a site that is made of scripts. */

const FOUND = "error     1      Broken links";

export async function checkASite(journey: Journey): Promise<void> {
  const pages = manualPages();
  const site = await startHandmadeSite(pages);
  journey.sites.push(site);
  const { origin } = site;

  await journey.run(`crawl ${origin}/ --delay 0`, ({ stdout }) => assert.match(stdout, /Completed: 9 pages/));
  await journey.run(
    "report latest --fail-on broken",
    ({ stdout, stderr }) => {
      assert(stdout.includes(FOUND));
      assert(stdout.includes(`  ${origin}/lost\n    from ${origin}/safety "the old rules" (status 404)\n`));
      assert.match(stderr, /Found: broken \(1\)\./);
    },
    { code: 1 },
  );
  await journey.run(`inlinks ${origin}/lost`, ({ stdout }) => {
    assert(stdout.includes(`${origin}/safety  Safety\n  "the old rules"`));
  });
  await journey.run(`explain ${origin}/drafts/next`, ({ stdout }) => {
    assert(stdout.includes("robots.txt forbids it: Disallow: /drafts/ (for *)"));
  });
  await journey.run("report latest --format html --out report.html", () => {
    assert(journey.read("report.html").includes(`${origin}/lost`));
  });
  pages["/lost"] = "<!doctype html><title>The old rules</title><p>They were found again.";
  await journey.run(`crawl ${origin}/ --delay 0 --analyze`, ({ stdout }) =>
    assert.match(stdout, /Completed: 10 pages/),
  );
  // Found, new, mended: it is compared with the crawl before.
  await journey.run("report latest --fail-on broken", ({ stdout }) => assert.match(stdout, /0 +0 +1 +Broken links/));

  const browser = findBrowser("a site that is made of scripts");
  if (browser === undefined) return;
  const app = await startScriptSite();
  journey.sites.push(app);
  await journey.run(`crawl ${app.origin}/ --render auto --markdown --out app --delay 0`, ({ stdout }) => {
    assert.match(stdout, new RegExp(`Completed: ${ROUTES.length} pages`));
    const names = readdirSync(join(journey.home, "app", "pages"), { recursive: true, encoding: "utf8" });
    const texts = names.filter((name) => name.endsWith("~.md")).map((name) => journey.read("app", "pages", name));
    for (const route of ROUTES)
      assert(
        texts.some((text) => text.includes(wordsOf(route))),
        route,
      );
  });
}
