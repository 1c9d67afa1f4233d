import type { Cleaned, TemplateLines } from "./clean-text.ts";
import { endOfFence } from "./code-fence.ts";
import { decideKept } from "./kept-lines.ts";
import { isHeading, markdownKey, SAYS } from "./line-keys.ts";

/**
 * Leaves the template of a page's siblings out of its Markdown, by the rules of its text. Code, images and HTML stay in
 * any case.
 */
export function cleanMarkdown(markdown: string, template: Pick<TemplateLines, "markdown">): Cleaned {
  const lines = markdown.split("\n");
  const indents = lines.map(indentOf);
  const goes = lines.map(() => false);
  const keys: (string | null)[] = lines.map(() => null);
  /** Lines of code, of HTML and of tables that stay. */
  const isOther = lines.map(() => false);
  const keyAt = (at: number) => (keys[at] = markdownKey(lines[at] ?? ""));
  const isTemplate = (key: string | null) => key !== null && template.markdown.has(key);
  for (let at = 0; at < lines.length; ) {
    const end = endOfFence(lines, at) ?? endOfHtml(lines, at);
    if (end !== null) {
      indents.fill(indents[at] ?? 0, at, end);
      isOther.fill(true, at, end);
      at = end;
      continue;
    }
    const rows = countRows(lines, at);
    if (rows === 0) goes[at] = isTemplate(keyAt(at));
    else {
      // The second row of a table is its ruler.
      const hasOwn = lines.slice(at, at + rows).some((_, i) => i !== 1 && !isTemplate(keyAt(at + i)));
      (hasOwn ? isOther : goes).fill(true, at, at + rows);
    }
    at += Math.max(1, rows);
  }
  if (!goes.some(Boolean)) return { text: markdown, removed: 0 };
  keepBeside(lines, keys, goes);
  keepParents(lines, indents, goes);
  const removed = goes.filter(Boolean).length;
  const hasText = lines.some((line, at) => !goes[at] && (keys[at] !== null || (isOther[at] && SAYS.test(line))));
  return removed === 0 || !hasText ? { text: markdown, removed: 0 } : { text: joinKept(lines, goes), removed };
}

function keepBeside(lines: readonly string[], keys: readonly (string | null)[], goes: boolean[]): void {
  const said = lines.flatMap((line, at) => (SAYS.test(line) ? [at] : []));
  const kept = decideKept(
    said.map((at) => {
      return { key: keys[at] ?? null, isTemplate: goes[at] === true, isHeading: isHeading(lines[at] ?? "") };
    }),
  );
  for (const [i, at] of said.entries()) if (goes[at] && kept[i]) goes[at] = false;
}

/** An item stays if something below it does: without its mark, that would be code. */
function keepParents(lines: readonly string[], indents: readonly number[], goes: boolean[]): void {
  /** The indents of the lines that stay since the last line that is indented less: each is larger than those before. */
  const kept: number[] = [];
  for (let at = lines.length - 1; at >= 0; at--) {
    if (isEmpty(lines[at] ?? "")) continue;
    const indent = indents[at] ?? 0;
    if ((kept.at(-1) ?? 0) > indent) goes[at] = false;
    while ((kept.at(-1) ?? -1) >= indent) kept.pop();
    if (!goes[at]) kept.push(indent);
  }
}

function joinKept(lines: readonly string[], goes: readonly boolean[]): string {
  const kept: string[] = [];
  let hasLeft = false;
  for (const [at, line] of lines.entries()) {
    if (goes[at]) {
      // A break at the end of a paragraph is none.
      if (!goes[at - 1] && kept.length > 0) kept.push((kept.pop() ?? "").replace(/(?<!\\)((?:\\\\)*)\\$/, "$1"));
      hasLeft = true;
      continue;
    }
    // Where lines went, two empty lines meet.
    if (hasLeft && isEmpty(line) && isEmpty(kept.at(-1) ?? "")) continue;
    kept.push(line);
    if (!isEmpty(line)) hasLeft = false;
  }
  let [from, end] = [0, kept.length];
  while (from < end && isEmpty(kept[from] ?? "")) from += 1;
  while (end > from && isEmpty(kept[end - 1] ?? "")) end -= 1;
  return kept.slice(from, end).join("\n");
}

function isEmpty(line: string): boolean {
  return /^[ >]*$/.test(line);
}

function indentOf(line: string): number {
  return /^[ >]*/.exec(line)?.[0].length ?? 0;
}

/** Tables that Markdown cannot write are HTML. */
function endOfHtml(lines: readonly string[], start: number): number | null {
  if (!/^[ >]*<table\b/i.test(lines[start] ?? "")) return null;
  for (let at = start; at < lines.length; at++) if (/<\/table>\s*$/i.test(lines[at] ?? "")) return at + 1;
  return lines.length;
}

function countRows(lines: readonly string[], start: number): number {
  let end = start;
  while (/^[ >]*\|/.test(lines[end] ?? "")) end += 1;
  return end - start;
}
