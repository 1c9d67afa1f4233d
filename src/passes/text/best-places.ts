/** The places with the highest scores, best first. Of equal ones, those that came first. */
export class BestPlaces {
  readonly #most: number;
  #best: { place: number; score: number }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  get places(): number[] {
    return this.#best.map(({ place }) => place);
  }

  /** Whether it is among the best so far. */
  add(place: number, score: number): boolean {
    const last = this.#best.at(-1);
    if (this.#best.length === this.#most && last !== undefined && score <= last.score) return false;
    const at = this.#best.findIndex((other) => other.score < score);
    this.#best.splice(at === -1 ? this.#best.length : at, 0, { place, score });
    this.#best.length = Math.min(this.#best.length, this.#most);
    return true;
  }
}
