/** The pages of generated sites, with endless parts or without. */

export interface Site {
  name: string;
  /** Whether its pages, beside the honest ones, never end. */
  isTrap: boolean;
  /** The pages that a crawl must have, by path. Traps have honest pages beside them. */
  honest: readonly string[];
  /** The HTML of a path; null if there is none. */
  page(path: string): string | null;
}

export class Draw {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  /** The mulberry32 generator. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }
  below(n: number): number {
    return Math.floor(this.next() * n);
  }
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }
  oneOf<T>(all: readonly T[]): T {
    return all[this.below(all.length)] as T;
  }
  /** A word that no language has, the same for the same number. */
  word(): string {
    const syllables = this.between(2, 3);
    return Array.from({ length: syllables }, () => this.oneOf(CONSONANTS) + this.oneOf(VOWELS)).join("");
  }
  words(vocabulary: readonly string[], count: number): string {
    return Array.from({ length: count }, () => this.oneOf(vocabulary)).join(" ");
  }
}

const CONSONANTS = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "br", "st", "tr", "sh"];
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ou"];

/** The same numbers for the same text. */
export function drawOf(seed: number, text: string): Draw {
  let hash = seed ^ 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return new Draw(hash);
}

export const link = (to: string, text: string): string => `<a href="${to.replaceAll("&", "&amp;")}">${text}</a>`;

/** A page in the frame of its site. */
export function framed(title: string, main: string, nav: readonly string[]): string {
  return `<!doctype html><html lang="en"><head><title>${title} | The shop</title></head><body>
<header><nav><ul>${["/", "/about", "/contact", "/terms", ...nav].map((to) => `<li>${link(to, `Go ${to}`)}</li>`).join("")}</ul></nav></header>
<main><h1>${title}</h1>
${main}
</main><footer><p>We sell what we make. All prices include tax. Call us on weekdays between nine and five.</p></footer></body></html>`;
}
