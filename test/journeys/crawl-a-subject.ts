import assert from "node:assert/strict";
import { startOtterWeb } from "../sites/otter-web.ts";
import type { Journey } from "./journey.ts";

/** Somebody collects what there is on a subject over several hosts, and leaves the rest. */

const OTTERS = 40;
const INVOICES = 320;

export async function crawlASubject(journey: Journey): Promise<void> {
  const { start, otters, invoices } = await startOtterWeb({ otters: OTTERS, invoices: INVOICES });
  journey.sites.push(start, otters, invoices);

  const subject = '--topic "otters in rivers" --limit 1000 --until 0.25';
  await journey.run(`crawl ${start.origin}/ ${subject} --delay 0 --concurrency 4`, ({ stdout }) => {
    assert.match(stdout, /fewer than 25% of the last 200 pages were relevant/);
    assert.equal(asked(otters.counts()), OTTERS);
    assert(asked(invoices.counts()) < INVOICES, "all of the other host was fetched");
  });
  await journey.run("focus latest", ({ stdout }) => {
    assert.match(stdout, new RegExp(`^Subject: otters in rivers\\.\n${OTTERS} of \\d+ pages relevant`));
  });
  await journey.run(`explain ${otters.origin}/p5`, ({ stdout }) => {
    assert.match(stdout, /its link has a score of 0\.\d+: the page that links to it, http:\S+\/p2, has 0\.\d+/);
  });
  await journey.run("export latest --format markdown --min-relevance 0.5 --out otters.md", () => {
    const text = journey.read("otters.md");
    assert.equal(text.match(/^# Otters in rivers \d+$/gm)?.length, OTTERS);
    assert.doesNotMatch(text, /invoice/i);
  });
}

const asked = (counts: Map<string, number>) => [...counts.keys()].filter((path) => path.startsWith("/p")).length;
