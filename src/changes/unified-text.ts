import type { DiffLine, PageDiff } from "./diff-versions.ts";

const SIGNS = { same: " ", added: "+", removed: "-" };

/**
 * Writes a difference in the form of `diff -u`: a line per block, with `-`, `+` or a space before it, and `@@` with the
 * headings before each hunk. A modified block is written twice. `names`: of the two versions, for the first two lines.
 */
export function toUnifiedText(diff: PageDiff, names: { before: string; after: string }): string {
  const lines = [`--- ${names.before}`, `+++ ${names.after}`];
  for (const [name, change] of Object.entries({ Title: diff.title, Canonical: diff.canonical }))
    if (change !== null) lines.push(`@@ ${name} @@`, `-${change.before ?? ""}`, `+${change.after ?? ""}`);
  for (const { under, lines: changed } of diff.hunks) {
    lines.push(under.length === 0 ? "@@" : `@@ ${under.join(" > ")} @@`);
    for (const line of changed) lines.push(...toLines(line));
  }
  if (diff.hunksLeftOut > 0) lines.push(`@@ ${diff.hunksLeftOut} more changes are not shown @@`);
  if (diff.rest !== null)
    lines.push(`@@ The text after the first megabyte changed: ${diff.rest.before} → ${diff.rest.after} characters @@`);
  return `${lines.join("\n")}\n`;
}

function toLines(line: DiffLine): string[] {
  if (!("parts" in line)) return [`${SIGNS[line.kind]}${line.text}`];
  const side = (left: "added" | "removed") => line.parts.map(({ kind, text }) => (kind === left ? "" : text)).join("");
  return [`-${side("added")}`, `+${side("removed")}`];
}
