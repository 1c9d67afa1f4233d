import { decideKept } from "./kept-lines.ts";
import { SAYS, textKey } from "./line-keys.ts";

/** Leaves the template of a page's siblings out of its text. */

/** The keys of the lines that are left out (line-keys.ts). Make it once for many pages. */
export interface TemplateLines {
  text: ReadonlySet<string>;
  markdown: ReadonlySet<string>;
  /** Those of `text` that are headings. */
  headings: ReadonlySet<string>;
}

/** A text without the template, and how many lines were left out. */
export interface Cleaned {
  text: string;
  removed: number;
}

/**
 * All lines stay that are no template, those that are kept for the lines beside them (kept-lines.ts), and tables with a
 * row that stays. If no line with letters or digits would stay, all do: such a page says nothing else. `headings`:
 * those of the page; null if they are not known: then lines count that are headings on its siblings.
 */
export function cleanText(
  text: string,
  template: TemplateLines,
  headings: readonly { text: string }[] | null = null,
): Cleaned {
  const lines = text.split("\n");
  const keys = lines.map(textKey);
  const stays = keys.map((key) => key === null || !template.text.has(key));
  if (stays.every(Boolean)) return { text, removed: 0 };
  keepTables(lines, stays);
  const named = headings === null ? template.headings : new Set(headings.map((heading) => textKey(heading.text)));
  // A brace or an empty line belongs to the line above it.
  const said = lines.flatMap((line, at) => (SAYS.test(line) ? [at] : []));
  const kept = decideKept(
    said.map((at) => {
      const key = keys[at] ?? null;
      return { key, isTemplate: !stays[at], isHeading: key !== null && named.has(key) };
    }),
  );
  for (const [i, at] of said.entries()) stays[at] = kept[i] ?? true;
  if (!kept.some(Boolean)) return { text, removed: 0 };
  const left = lines.filter((_, at) => stays[at]);
  const removed = lines.length - left.length;
  return removed === 0 ? { text, removed } : { text: left.join("\n").replace(/^\n+|(?<!\n)\n+$/g, ""), removed };
}

/** The rows of a table have tabs between their cells. */
function keepTables(lines: readonly string[], stays: boolean[]): void {
  for (let from = 0; from < lines.length; ) {
    let end = from;
    while (lines[end]?.includes("\t")) end += 1;
    if (stays.slice(from, end).some(Boolean)) stays.fill(true, from, end);
    from = Math.max(end, from + 1);
  }
}
