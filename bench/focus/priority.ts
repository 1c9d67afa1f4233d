/** The priority that the ledger stores for a link's score: steps of ten, below preferred pages. */
export function priorityOf(score: number): number {
  return Math.floor((score * 880) / 10) * 10;
}
