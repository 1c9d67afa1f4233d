/** Tidies texts in linear time. A pattern like `\n+$` takes quadratic time for a run of line ends within a text. */

/** Collapses white space, and cuts without splitting a character in two. */
export function tidy(written: string, maxLength: number): string {
  const collapsed = written
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, " ")
    .trim();
  return collapsed.length <= maxLength ? collapsed : collapsed.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}

/** Removes line ends from both ends. */
export function trimNewlines(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === "\n") start += 1;
  while (end > start && text[end - 1] === "\n") end -= 1;
  return text.slice(start, end);
}

/** Joins the lines by a space, without their backslashes, which break lines in Markdown. */
export function joinLines(markdown: string): string {
  return markdown
    .split("\n")
    .map((line, at, { length }) => (at < length - 1 && line.endsWith("\\") ? line.slice(0, -1) : line).trim())
    .filter((line) => line !== "")
    .join(" ");
}
