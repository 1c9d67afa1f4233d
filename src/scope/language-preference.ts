import { matchesLanguage } from "./language-range.ts";
import { languageOfUrl } from "./url-language.ts";

/** Decides which links lead to pages in the languages that a crawl prefers. */

/** Languages as they are written; null where nothing is said. */
export interface LinkLanguage {
  /** That of the link's target, as `hreflang` says. */
  target: string | null;
  /** That of the page that holds the link. */
  page: string | null;
}

export const NOTHING_SAID: LinkLanguage = { target: null, page: null };

/**
 * The first that names a language decides: `hreflang`, the URL itself, the page that holds the link. `ranges`:
 * canonical; with none, no link is preferred.
 */
export function compileLanguagePreference(ranges: readonly string[]): (url: string, said: LinkLanguage) => boolean {
  if (ranges.length === 0) return () => false;
  const matches = (tag: string | null) => (tag === null ? null : matchesLanguage(tag, ranges));
  return (url, { target, page }) => matches(target) ?? matches(languageOfUrl(url)) ?? matches(page) ?? false;
}
