/** The order of texts by their UTF-16 units, for `sort`: that of SQLite for canonical URLs and ids, which are ASCII. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
