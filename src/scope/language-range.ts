import { LRUCache } from "lru-cache";

/**
 * Compares languages of pages with those that a crawl asks for: language ranges of RFC 4647. Part by part, a range
 * matches a tag that says the same, or less: a page that says `pt` may be in `pt-BR`.
 */

interface Language {
  language: string;
  /** As written, or as the region implies it: `zh-TW` is in `Hant`. */
  script: string | null;
  region: string | null;
}

/** Tags that name no language: for several, for none, and what pages write for readers of any. */
const NO_LANGUAGES = new Set(["und", "mul", "zxx", "mis", "x", "default"]);
/** Norwegian has one tag for both of its written forms. */
const WIDER: Record<string, string> = { nb: "no", nn: "no" };
const MAX_TAG = 100;

/**
 * The canonical form of a tag as pages write it, such as `pt_br`: null for text that names no language, such as
 * `x-default`, or a list of several.
 */
export function canonicalLanguage(written: string): string | null {
  const tag = written.trim().replaceAll("_", "-");
  if (tag.length > MAX_TAG || !/^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(tag)) return null;
  try {
    const [canonical = null] = Intl.getCanonicalLocales(tag);
    return canonical === null || NO_LANGUAGES.has(canonical.split("-")[0] ?? "") ? null : canonical;
  } catch {
    // Not well-formed, such as `de-1`.
    return null;
  }
}

/** Whether a tag is in one of the ranges; null if it names no language. Ranges are canonical. */
export function matchesLanguage(tag: string, ranges: readonly string[]): boolean | null {
  const canonical = canonicalLanguage(tag);
  if (canonical === null) return null;
  const page = readLanguage(canonical);
  return ranges.some((range) => includes(readLanguage(range), page));
}

function includes(range: Language, page: Language): boolean {
  const isSame =
    range.language === page.language ||
    range.language === WIDER[page.language] ||
    page.language === WIDER[range.language];
  return isSame && isOpenOrSame(range.script, page.script) && isOpenOrSame(range.region, page.region);
}

function isOpenOrSame(wanted: string | null, found: string | null): boolean {
  return wanted === null || found === null || wanted === found;
}

/** Intl takes 50 µs for a tag, and a crawl sees few. */
const known = new LRUCache<string, Language>({ max: 500 });

function readLanguage(tag: string): Language {
  const before = known.get(tag);
  if (before !== undefined) return before;
  const language = parseLanguage(tag);
  known.set(tag, language);
  return language;
}

function parseLanguage(tag: string): Language {
  const locale = new Intl.Locale(tag);
  const { language, script, region } = locale;
  const implied = script === undefined && region === undefined ? undefined : locale.maximize().script;
  return { language, script: script ?? implied ?? null, region: region ?? null };
}
