/**
 * HITS: good hubs link to good authorities, and good authorities have links from good hubs. Kleinberg, "Authoritative
 * Sources in a Hyperlinked Environment", 1999. It is made for the small graph around the results of one search.
 */

interface HitsScores {
  /** How many good hubs link to each node. The squares of all scores add up to 1, or all are 0 without links. */
  authorities: Float64Array;
  /** How many good authorities each node links to, likewise. */
  hubs: Float64Array;
}

const MAX_CHANGE = 1e-9;
/** Kleinberg found 20 enough for the order of the best. Where the two largest eigenvalues are equal, it never ends. */
const MAX_ITERATIONS = 200;

/**
 * Scores the nodes 0 to `nodes` - 1 of a graph. `edges`: distinct, source and target in turn. Ends when no score
 * changes by more than 1e-9, or after 200 iterations.
 */
export function scoreHits(nodes: number, edges: Uint32Array): HitsScores {
  let authorities = new Float64Array(nodes);
  let hubs = new Float64Array(nodes).fill(1);
  for (let i = 0; i < MAX_ITERATIONS; i++) {
    const before = authorities;
    authorities = new Float64Array(nodes);
    for (let e = 0; e < edges.length; e += 2) {
      const target = edges[e + 1] as number;
      authorities[target] = at(authorities, target) + at(hubs, edges[e] as number);
    }
    normalize(authorities);
    hubs = new Float64Array(nodes);
    for (let e = 0; e < edges.length; e += 2) {
      const source = edges[e] as number;
      hubs[source] = at(hubs, source) + at(authorities, edges[e + 1] as number);
    }
    normalize(hubs);
    if (authorities.every((value, node) => Math.abs(value - at(before, node)) <= MAX_CHANGE)) break;
  }
  return { authorities, hubs };
}

function at(scores: Float64Array, node: number): number {
  return scores[node] as number;
}

function normalize(scores: Float64Array): void {
  const length = Math.sqrt(scores.reduce((sum, score) => sum + score * score, 0));
  if (length > 0) for (let i = 0; i < scores.length; i++) scores[i] = at(scores, i) / length;
}
