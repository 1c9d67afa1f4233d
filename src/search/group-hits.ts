/** A hit as far as its twins matter: pages with the same text, or almost the same. */
export interface Twinned {
  crawl: string;
  url: string;
  /** The page that stands for this one; null if it has no twin, and before an analysis. */
  twinOf: string | null;
}

/** Keeps the best hit of each group of twins. `twins`: the number of hits that it stands for. */
export function groupHits<Hit extends Twinned>(hits: readonly Hit[]): (Hit & { twins: number })[] {
  const groups = new Map<string, Hit & { twins: number }>();
  for (const hit of hits) {
    const name = `${hit.crawl} ${hit.twinOf ?? hit.url}`;
    const best = groups.get(name);
    if (best === undefined) groups.set(name, { ...hit, twins: 0 });
    else best.twins += 1;
  }
  return [...groups.values()];
}
