/** Collapses white space, and cuts without splitting a character in two. */
export function tidy(written: string, maxLength: number): string {
  const collapsed = written
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, " ")
    .trim();
  return collapsed.length <= maxLength ? collapsed : collapsed.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, "");
}
