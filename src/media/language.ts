// franc: 187 languages in 240 KB of plain JavaScript, 3 MB of memory. franc-min has no Catalan and no Norwegian; eld is
// right more often, and takes 30 MB of an isolate's 128.
import { francAll } from "franc";
import { countWords } from "./text/word-count.ts";

/** A shorter text is too often taken for a related language. In Chinese and Japanese each character is a word. */
const MIN_WORDS = 100;
/** In UTF-16 code units. More costs time and changes few results. */
const MAX_LENGTH = 1_000;
/** Addresses, and words with digits or signs in them, such as code: they are in no language. */
const NO_WORDS = /\S*[\d_/\\@=<>{}[\]()|~$#]\S*/gu;

/**
 * Recognises the language of a text whose page names none. Returns an ISO 639-1 code, such as `pt`; null if the text is
 * too short or in no language that has one. Languages that are close to each other are sometimes confused: Norwegian
 * and Danish, Indonesian and Malay.
 */
export function recognizeLanguage(text: string): string | null {
  const words = text
    .slice(0, 10 * MAX_LENGTH)
    .replace(NO_WORDS, " ")
    .replace(/\s+/gu, " ")
    .slice(0, MAX_LENGTH);
  if (countWords(words) < MIN_WORDS) return null;
  // Languages that have only a code of three letters are rare, and short texts are often taken for one of them.
  for (const [code] of francAll(words)) {
    const language = toTwoLetters(code);
    if (language !== null) return language;
  }
  return null;
}

/** From ISO 639-3: the canonical tag of `deu` is `de`, of `cmn` it is `zh`, of `prs` `fa-AF`. */
function toTwoLetters(code: string): string | null {
  if (code === "und") return null;
  // Malay, which BCP 47 knows as `ms` alone.
  const tag = code === "zlm" ? "ms" : (Intl.getCanonicalLocales(code)[0] ?? "");
  return /^[a-z]{2}(?=-|$)/.exec(tag)?.[0] ?? null;
}
