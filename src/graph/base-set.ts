import { PairSink } from "./pairs.ts";

/**
 * The small graph around the results of a search: the roots, pages that they link to, pages that link to them, and all
 * links among these. Kleinberg, "Authoritative Sources in a Hyperlinked Environment", 1999, section 2. It takes two
 * readings of all edges:
 *
 *     const set = new BaseSet(nodes, roots);
 *     // for all edges: set.addNeighbours(source, targets)
 *     // for all edges: set.addLinks(source, targets)
 *     scoreHits(set.size, set.links())
 */

/** Neighbours of a root in either direction. Kleinberg takes as many that link to it. 200 roots have 20,200 nodes. */
const MAX_NEIGHBOURS = 50;

export class BaseSet {
  /** For each node its number in the set, plus one; 0 outside. */
  readonly #numbers: Uint32Array;
  readonly #roots: number;
  /** In-neighbours of each root. */
  readonly #found: Uint8Array;
  readonly #links = new PairSink();
  size = 0;

  /** `nodes`: of the whole graph. `roots`: distinct. The number of a root in the set is its place among them. */
  constructor(nodes: number, roots: readonly number[]) {
    this.#numbers = new Uint32Array(nodes);
    for (const root of roots) this.#add(root);
    this.#roots = roots.length;
    this.#found = new Uint8Array(roots.length);
  }

  /** Takes the links of a node at the first reading. Of too many neighbours, the first ones count. */
  readonly addNeighbours = (source: number, targets: Uint32Array): void => {
    const numbers = this.#numbers;
    if (this.#isRoot(source))
      for (let i = 0; i < targets.length && i < MAX_NEIGHBOURS; i++) this.#add(targets[i] as number);
    for (let i = 0; i < targets.length; i++) {
      const number = numbers[targets[i] as number] as number;
      if (number === 0 || number > this.#roots) continue;
      const found = this.#found[number - 1] as number;
      if (found === MAX_NEIGHBOURS) continue;
      this.#found[number - 1] = found + 1;
      this.#add(source);
    }
  };

  /** Takes the links of a node at the second reading. */
  readonly addLinks = (source: number, targets: Uint32Array): void => {
    const from = this.#numbers[source] as number;
    if (from === 0) return;
    for (let i = 0; i < targets.length; i++) {
      const to = this.#numbers[targets[i] as number] as number;
      if (to > 0) this.#links.add(from - 1, to - 1);
    }
  };

  /** The links among the nodes of the set, by their numbers there: source and target in turn. */
  links(): Uint32Array {
    return this.#links.toPairs();
  }

  #isRoot(node: number): boolean {
    const number = this.#numbers[node] as number;
    return number > 0 && number <= this.#roots;
  }

  #add(node: number): void {
    if (this.#numbers[node] === 0) this.#numbers[node] = ++this.size;
  }
}
