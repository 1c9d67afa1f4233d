import type { Crawl } from "../../crawl/crawl.ts";
import type { PageFields } from "../../crawl/page/field-check.ts";
import type { FieldReading, FieldRule, FieldRules } from "../../media/html/fields/field-rule.ts";
import { readRenderedPage } from "../../store/mirror/read-mirror.ts";
import { CPU_MS_PER_MADE } from "../page-content.ts";
import type { PassDeps } from "../pass-run.ts";

/** Reads stored pages by rules. Each page costs a call of a page fetcher, of which a step has 32. */

/** Null for a page that is no HTML, is gone, or ends its reader. */
export async function readPageByRules(
  crawl: Crawl,
  url: string,
  rules: FieldRules,
  propose: boolean,
  deps: PassDeps,
): Promise<PageFields | null> {
  const stored = await readRenderedPage(crawl, url, deps);
  if (stored === null) return null;
  deps.meter.add({ cpuMs: CPU_MS_PER_MADE });
  try {
    return await deps.readFields(stored, { url, rules, propose });
  } catch {
    // A page that ends its reader is read by no rule; a model may read its text.
    return null;
  }
}

/** The fields of a page together have a limit, which many candidates for few values would pass. */
const RULES_AT_ONCE = 40;

/** What each rule reads of a page, in their order. */
export async function tryRules(
  crawl: Crawl,
  url: string,
  rules: readonly FieldRule[],
  deps: PassDeps,
): Promise<FieldReading[]> {
  const readings: FieldReading[] = [];
  for (let at = 0; at < rules.length; at += RULES_AT_ONCE) {
    const some = rules.slice(at, at + RULES_AT_ONCE);
    const named = Object.fromEntries(some.map((rule, i) => [`rule ${i}`, rule]));
    const page = await readPageByRules(crawl, url, named, false, deps);
    readings.push(...(page?.fields ?? some.map((_, i) => unread(`rule ${i}`))));
  }
  return readings;
}

function unread(name: string): FieldReading {
  return { name, value: null, from: null, by: null, written: null, note: null, problem: "it could not be read" };
}
