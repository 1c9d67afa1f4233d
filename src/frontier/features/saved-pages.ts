import { LRUCache } from "lru-cache";
import type { Leave } from "../../crawl/page/outcome.ts";
import { compileUrlPattern } from "../../scope/url-pattern.ts";
import type { Feature } from "./feature.ts";

/** Which pages are stored, by their URLs. The others are fetched and read for their links alone. */
export const savedPages: Feature<"linksOnly"> = {
  wants({ row, context }) {
    return { linksOnly: whyUnsaved(row.url, context.crawl.options.savePatterns) };
  },
  explain({ crawl, url, isAsset }) {
    const { savePatterns } = crawl.options;
    if (savePatterns.length === 0 || isAsset) return null;
    const saving = savingPattern(url, savePatterns);
    const detail =
      saving === null ? "it matches no pattern of pages to save, so only its links are read" : `${saving} saves it`;
    return { step: { step: "save", ok: saving !== null, rule: saving ?? "not-saved", detail }, refuses: false };
  },
};

function whyUnsaved(url: string, patterns: readonly string[]): Leave | null {
  if (patterns.length === 0 || savingPattern(url, patterns) !== null) return null;
  return { reason: "not-saved", detail: patterns.join(", ") };
}

/** The first pattern that the URL matches; null if there is none. */
function savingPattern(url: string, patterns: readonly string[]): string | null {
  return patterns.find((pattern) => matcherOf(pattern)(url)) ?? null;
}

/** A crawl has at most 100 patterns. */
const matchers = new LRUCache<string, (url: string) => boolean>({ max: 1_000 });

function matcherOf(pattern: string): (url: string) => boolean {
  const known = matchers.get(pattern) ?? compileUrlPattern(pattern);
  matchers.set(pattern, known);
  return known;
}
