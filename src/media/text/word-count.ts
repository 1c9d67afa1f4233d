/**
 * Counts the words of a text. Chinese and Japanese have no spaces between words, so each of their characters counts.
 */
export function countWords(text: string): number {
  let count = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128) {
      const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
      // "it's" and "well-known" are one word each.
      if (!isLetter && isInWord && (code === 39 || code === 45)) continue;
      if (isLetter && !isInWord) count += 1;
      isInWord = isLetter;
    } else if (isIdeographic(code)) {
      count += 1;
      isInWord = false;
    } else {
      const isLetter = !isPunctuation(code);
      if (isLetter && !isInWord) count += 1;
      if (code !== 0x2019) isInWord = isLetter;
    }
  }
  return count;
}

/** Kana, Chinese characters, and high surrogates of rarer ones. */
function isIdeographic(code: number): boolean {
  return (
    (code >= 0x3041 && code <= 0x30fa) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xd840 && code <= 0xd888)
  );
}

/**
 * Blocks without letters: in Latin-1, general punctuation to symbols, CJK punctuation, half and full width; and low
 * surrogates.
 */
function isPunctuation(code: number): boolean {
  return (
    (code <= 0xbf && code !== 0xaa && code !== 0xb5 && code !== 0xba) ||
    (code >= 0x2000 && code <= 0x2bff) ||
    (code >= 0x3000 && code <= 0x303f) ||
    code === 0x060c ||
    code === 0x061b ||
    code === 0x061f ||
    (code >= 0xd83c && code <= 0xd83e) ||
    (code >= 0xdc00 && code <= 0xdfff) ||
    (code >= 0xfe00 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xff20)
  );
}
