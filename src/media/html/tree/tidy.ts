/** Tidies texts in linear time. A pattern like `\n+$` takes quadratic time for a run of line ends within a text. */

/** Collapses white space, and cuts without splitting a character in two. */
export function tidy(written: string, maxLength: number): string {
  if (written.length <= maxLength && isTidy(written)) return written;
  const collapsed = written
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, " ")
    .trim();
  return collapsed.length <= maxLength ? collapsed : collapsed.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}

/** Whether there are single spaces between words of ASCII, and nothing else to tidy. Most anchor texts are so. */
function isTidy(text: string): boolean {
  let before = 32;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 126 || unit < 32 || (unit === 32 && before === 32)) return false;
    before = unit;
  }
  return before !== 32 || text === "";
}

/** Removes line ends from both ends. */
export function trimNewlines(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "\n") start += 1;
  while (end > start && text[end - 1] === "\n") end -= 1;
  return text.slice(start, end);
}
