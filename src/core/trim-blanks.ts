/**
 * Trims spaces and tabs in linear time. A regular expression such as /[\t ]+$/ takes quadratic time for a long run of
 * blanks that is not at the end, and a server can send one.
 */

export function trimBlanks(text: string): string {
  let start = 0;
  while (isBlank(text, start)) start++;
  return trimBlanksAtEnd(text.slice(start));
}

export function trimBlanksAtEnd(text: string): string {
  let end = text.length;
  while (isBlank(text, end - 1)) end--;
  return text.slice(0, end);
}

function isBlank(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\t";
}
