import { NO_CLICKS, UrlState } from "./problems/site-facts.ts";

/**
 * The number of clicks from the nearest seed to each node: breadth-first search by passes over the edges. It differs
 * from the depth at which a crawl found a URL, which depends on the order of fetching. A redirect is no click.
 *
 *     const depths = new ClickDepths(states, seeds);
 *     do {
 *       // for all edges, in the order of their sources: depths.addLinks(source, targets)
 *     } while (depths.finishPass());
 */
export class ClickDepths {
  /** By node; NO_CLICKS (65,535) for one that links do not reach. A step can keep it and give it to the next one. */
  readonly clicks: Uint16Array<ArrayBuffer>;
  readonly #states: Uint8Array;
  #hasChanged = false;

  /** `clicks`: of an earlier pass, to go on with. */
  constructor(states: Uint8Array, seeds: Iterable<number>, clicks = new Uint16Array(states.length).fill(NO_CLICKS)) {
    this.#states = states;
    this.clicks = clicks;
    for (const seed of seeds) clicks[seed] = 0;
  }

  /** Takes all links of a node, once in each pass. Its shape is `VisitEdges`. */
  readonly addLinks = (source: number, targets: Uint32Array): void => {
    const clicks = this.clicks;
    const own = clicks[source] as number;
    if (own >= NO_CLICKS - 1) return;
    const next = this.#states[source] === UrlState.redirect ? own : own + 1;
    for (const target of targets) {
      if ((clicks[target] as number) <= next) continue;
      clicks[target] = next;
      this.#hasChanged = true;
    }
  };

  /**
   * Ends a pass. Returns whether another one is needed. The number of passes is at most the number of clicks plus two.
   */
  finishPass(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }
}
