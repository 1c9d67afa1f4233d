import type { PageHeaders } from "../../crawl/page/outcome.ts";
import type { Document } from "../../media/document.ts";
import { canonicalLanguage, matchesLanguage } from "../../scope/language-range.ts";

/** The language of a page, as far as the crawl asks for it. */

export interface LanguageRequest {
  /** Canonical ranges: pages in other languages are not stored. Empty for any language. */
  languages: readonly string[];
  /** Whether the crawl prefers links by language: those that the page names in others are told. */
  byLanguage: boolean;
}

/** Whether the language of a page that says none must be recognised by its text. */
export function needsLanguage({ languages, byLanguage }: LanguageRequest): boolean {
  return languages.length > 0 || byLanguage;
}

/**
 * The language that a document says: its own attribute, then its header, then its metadata, which have the language of
 * the text if that was recognised. A canonical tag; null if none of them names one language.
 */
export function languageOf({ language, content }: Document, headers: PageHeaders): string | null {
  const header = headers.find(([name]) => name.toLowerCase() === "content-language")?.[1];
  const said = [language, header, content?.metadata.language].map((tag) => canonicalLanguage(tag ?? ""));
  return said.find((tag) => tag !== null) ?? null;
}

/** The language for which a page is not stored; null if it is stored, as one whose language is not known. */
export function refusedLanguage(
  language: string | null,
  { languages }: Pick<LanguageRequest, "languages">,
): string | null {
  if (language === null || languages.length === 0) return null;
  return matchesLanguage(language, languages) === false ? language : null;
}
