import { hashTerm } from "../terms.ts";
import type { LinkScore } from "./score-link.ts";

/**
 * The turns of a crawl's seeds. What each seed leads to is worth a look before the crawl goes where it has found most:
 * so a share of the pages is divided among the seeds, and the best links that each leads to go first until it has its
 * part. Afterwards scores decide alone, by what hosts have given.
 */

/** Seeds by their hashes, each with the links that were lifted. */
export type SeedTurns = readonly (readonly [seed: number, lifted: number])[];

/** The share of the page limit that is divided among the seeds, and the most that one seed gets. */
const [SHARED, MOST_TURNS] = [0.2, 20];
/** More seeds have no turns. */
const MOST_SEEDS = 50;
/** The score of a link that is lifted. Only links about which everything speaks have more. */
const LIFTED_SCORE = 0.9;

/** How many links of each seed are lifted; 0 where there are no others to wait for. */
export function turnsOfEach(seeds: number, limit: number): number {
  if (seeds < 2 || seeds > MOST_SEEDS) return 0;
  return Math.min(MOST_TURNS, Math.floor((SHARED * limit) / seeds));
}

export class SeedCourse {
  readonly #turns: number;
  readonly #lifted: Map<number, number>;

  constructor(turns: number, lifted: SeedTurns) {
    this.#turns = turns;
    this.#lifted = new Map(lifted);
  }

  get lifted(): SeedTurns {
    return [...this.#lifted];
  }

  /**
   * Lifts scores of links of one page. `url` and `found`: of that page, null for a seed. `texts`: what the words of all
   * its links say.
   */
  ofPage(url: string, found: LinkScore | null, texts: readonly number[]): (score: LinkScore) => LinkScore {
    const seed = found === null ? hashTerm(url) : found.seed;
    if (this.#turns === 0 || seed === undefined) return (score) => score;
    const least = texts.toSorted((a, b) => b - a)[this.#turns - 1] ?? 0;
    return (score) => {
      const lifted = this.#lifted.get(seed) ?? 0;
      if (lifted >= this.#turns || score.text < least) return { ...score, seed };
      this.#lifted.set(seed, lifted + 1);
      return { ...score, score: Math.max(score.score, LIFTED_SCORE), seed, isTurn: true };
    };
  }
}
