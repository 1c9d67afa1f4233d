/**
 * PageRank: the share of time that a reader spends on each page who follows a random link, and with probability 0.15
 * goes to a random page instead. Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998.
 * From a page without links the reader goes to a random page too, so the rank of such "dangling" pages is spread
 * evenly: Langville and Meyer, "Deeper Inside PageRank", 2004, section 3.
 *
 * The ranks of all nodes are a vector whose sum is 1. One iteration is one pass over the edges, and the vector is all
 * that the next one needs. So iterations can be divided among steps that keep the vector between them:
 *
 *     let rank = startRank(nodes);
 *     for (let isDone = false; !isDone; ) {
 *       const iteration = new PageRankIteration(rank);
 *       // for all edges: iteration.addLinks(source, targets)
 *       ({ rank, isDone } = iteration.finish());
 *     }
 */

const DAMPING = 0.85;
/** Limit of the L1 distance to the exact ranks. */
const MAX_ERROR = 1e-6;

/** Every node has the same rank. */
export function startRank(nodes: number): Float64Array<ArrayBuffer> {
  return new Float64Array(nodes).fill(1 / nodes);
}

/** Memory: 8 bytes for each node beside the vector that is given, which is read only. */
export class PageRankIteration {
  readonly #rank: Float64Array;
  readonly #next: Float64Array<ArrayBuffer>;
  /** The rank of the nodes with links. */
  #linked = 0;

  constructor(rank: Float64Array) {
    this.#rank = rank;
    this.#next = new Float64Array(rank.length);
  }

  /** Takes all links of a node, once for each iteration. `targets`: distinct. Its shape is `VisitEdges`. */
  readonly addLinks = (source: number, targets: Uint32Array): void => {
    const next = this.#next;
    const rank = this.#rank[source] as number;
    this.#linked += rank;
    const share = (DAMPING * rank) / targets.length;
    for (let i = 0; i < targets.length; i++) {
      const target = targets[i] as number;
      next[target] = (next[target] as number) + share;
    }
  };

  /**
   * Returns the next vector, and whether its L1 distance to the exact ranks is below 1e-6. With damping d, each
   * iteration leaves at most d of the error, so the error is at most d / (1 - d) of the last change.
   */
  finish(): { rank: Float64Array<ArrayBuffer>; isDone: boolean } {
    const next = this.#next;
    const nodes = next.length;
    const base = (1 - DAMPING * this.#linked) / nodes;
    let sum = 0;
    for (let i = 0; i < nodes; i++) sum += next[i] = (next[i] as number) + base;
    // The sum is 1 but for rounding, which adds up over many iterations.
    let change = 0;
    for (let i = 0; i < nodes; i++) {
      const value = (next[i] as number) / sum;
      change += Math.abs(value - (this.#rank[i] as number));
      next[i] = value;
    }
    return { rank: next, isDone: (change * DAMPING) / (1 - DAMPING) < MAX_ERROR };
  }
}

const STEPS_PER_DOUBLING = 8;
const AVERAGE_STEP = 96;

/**
 * Turns the rank of a node among `nodes` into a logarithmic step, 0 to 255. A node with the average rank has 96. Eight
 * steps are a factor of two, so 255 is a million times the average. The ranks of a larger site are not smaller.
 */
export function rankStep(rank: number, nodes: number): number {
  const step = Math.round(AVERAGE_STEP + STEPS_PER_DOUBLING * Math.log2(rank * nodes));
  return Math.min(255, Math.max(0, step));
}
