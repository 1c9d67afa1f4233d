import { matchesLanguage } from "../../scope/language-range.ts";
import type { PageVersion } from "../page-version.ts";

/**
 * The language of the later version, if the earlier one is in another. Null if it is in the same, in whatever country
 * and script, or if one of the two is not known.
 */
export function findOtherLanguage(
  { language: before }: Pick<PageVersion, "language">,
  { language: after }: Pick<PageVersion, "language">,
): string | null {
  if (before === undefined || after === undefined) return null;
  return matchesLanguage(after, [new Intl.Locale(before).language]) === false ? after : null;
}
