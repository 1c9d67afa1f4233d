import { hostOf, pathAndQueryOf } from "../url/host-key.ts";
import { canonicalLanguage } from "./language-range.ts";

/** Reads the language that a URL names, as sites with several languages write it. */

/** A language, and a region or a script: `de`, `pt-br`, `zh_Hant`. */
const TAG = "[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}))?";
/** One of the first two segments of the path. A deeper one is often a word. */
const SEGMENT = new RegExp(`^/(?:[^/?]*/)?(${TAG})(?=[/?]|$)`, "i");
/** Before the extension, as servers that negotiate name their files: `install.de.html`. */
const SUFFIX = new RegExp(`\\.(${TAG})\\.x?html?(?=[?]|$)`, "i");
const PARAMETER = new RegExp(`[?&](?:lang|language|locale|hl)=(${TAG})(?=&|$)`, "i");
const LABEL = new RegExp(`^(${TAG})\\.[^.]+\\.`, "i");

let names: Intl.DisplayNames | undefined;

/** The canonical tag; null if the URL names no language. `url`: canonical. */
export function languageOfUrl(url: string): string | null {
  const rest = pathAndQueryOf(url);
  const written = PARAMETER.exec(rest) ?? SEGMENT.exec(rest) ?? SUFFIX.exec(rest) ?? LABEL.exec(hostOf(url));
  const tag = canonicalLanguage(written?.[1] ?? "");
  return tag !== null && isLanguage(tag) ? tag : null;
}

/** Whether there is such a language: `us` is a country alone. */
function isLanguage(tag: string): boolean {
  names ??= new Intl.DisplayNames("en", { type: "language", fallback: "none" });
  return names.of(tag.slice(0, 2)) !== undefined;
}
