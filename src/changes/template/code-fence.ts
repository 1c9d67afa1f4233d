/** Finds fenced code in Markdown. */

const FENCE = /^[ >]*(`{3,}|~{3,})/;

/** The line after the fenced code that begins at `start`; the number of lines if the fence is never closed. */
export function endOfFence(lines: readonly string[], start: number): number | null {
  const mark = FENCE.exec(lines[start] ?? "")?.[1];
  if (mark === undefined) return null;
  const closing = new RegExp(`^[ >]*${mark[0]}{${mark.length},}\\s*$`);
  for (let at = start + 1; at < lines.length; at++) if (closing.test(lines[at] ?? "")) return at + 1;
  return lines.length;
}

export function codeLines(markdown: string): string[] {
  const lines = markdown.split("\n");
  const found: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfFence(lines, at);
    if (end !== null) found.push(...lines.slice(at + 1, end - 1));
    at = end ?? at + 1;
  }
  return found;
}
