/** Chooses the pages from which the repeated text of each origin is learned: evenly, and the same in each run. */

export interface SampledPage {
  origin: string;
  url: string;
}

/** With fewer pages, no line is on enough of them. */
const LEAST_PAGES = 5;
/** The origins with the most pages. Pages of others keep their text as it is. */
const MAX_ORIGINS = 400;
/** Pages of one origin: of 192, a line on 30% of the pages is on 18% in one sample of ten thousand. */
export const MOST_PAGES = 192;
/** With so many origins, each has twelve pages. */
const MAX_PAGES = 4_800;

/** Takes URLs in their order, so that those of an origin follow each other. */
export class OriginSamples {
  #origins: { origin: string; sample: EvenSample }[] = [];
  #last: { origin: string; sample: EvenSample } | null = null;

  add(origin: string, url: string): void {
    if (this.#last?.origin !== origin) {
      this.#settle();
      this.#last = { origin, sample: new EvenSample(MOST_PAGES) };
    }
    this.#last?.sample.add(url);
  }

  /** In the order of their URLs. */
  take(): SampledPage[] {
    this.#settle();
    this.#bound(MAX_ORIGINS);
    const most = Math.min(MOST_PAGES, Math.floor(MAX_PAGES / Math.max(1, this.#origins.length)));
    return this.#origins
      .sort((a, b) => (a.origin < b.origin ? -1 : 1))
      .flatMap(({ origin, sample }) => sample.take(most).map((url) => ({ origin, url })));
  }

  #settle(): void {
    if (this.#last !== null && this.#last.sample.seen >= LEAST_PAGES) this.#origins.push(this.#last);
    this.#last = null;
    if (this.#origins.length >= 2 * MAX_ORIGINS) this.#bound(MAX_ORIGINS);
  }

  #bound(most: number): void {
    this.#origins.sort((a, b) => b.sample.seen - a.sample.seen || (a.origin < b.origin ? -1 : 1));
    this.#origins.length = Math.min(this.#origins.length, most);
  }
}

/** Keeps evenly chosen ones of any number of URLs: at least `least` if there are so many, and at most twice as many. */
class EvenSample {
  seen = 0;
  readonly #least: number;
  #every = 1;
  #kept: string[] = [];

  constructor(least: number) {
    this.#least = least;
  }

  add(url: string): void {
    if (this.seen % this.#every === 0) this.#kept.push(url);
    this.seen += 1;
    if (this.#kept.length <= 2 * this.#least) return;
    this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
    this.#every *= 2;
  }

  take(most: number): string[] {
    const count = Math.min(most, this.#kept.length);
    return Array.from({ length: count }, (_, at) => this.#kept[Math.floor((at * this.#kept.length) / count)] as string);
  }
}
