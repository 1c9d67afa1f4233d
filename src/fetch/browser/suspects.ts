import { systemClock } from "../../core/clock.ts";
import type { Drawing } from "./drawing.ts";
import { Places } from "./places.ts";

/**
 * Finds the page that is to blame. A browser that dies takes all pages along that it draws, and one page can take the
 * processor and the memory from the others, so whatever failed beside others is drawn alone the next time. One that
 * ends its browser alone has done it, and is not drawn again.
 */

/** URLs that are remembered. The oldest is forgotten first: then it is drawn beside others once more. */
const MAX_SUSPECTS = 1_000;

export class Suspects {
  readonly #places: Pick<Places, "take" | "release">;
  readonly #total: number;
  /** Suspects take all places one after the other, so two of them would wait for each other. */
  readonly #turn = new Places(1);
  readonly #drawn = new Map<string, number>();
  readonly #suspects = new Set<string>();
  /** The suspect that is drawn now. */
  #alone: string | null = null;

  /** `total`: the number of places. */
  constructor(places: Pick<Places, "take" | "release">, total: number) {
    this.#places = places;
    this.#total = total;
  }

  /** Resolves with how to give the place back, or with null if there is none within `patienceMs`. */
  async takePlace(url: string, patienceMs: number): Promise<(() => void) | null> {
    const until = systemClock.now() + patienceMs;
    const isSuspect = this.#suspects.has(url);
    if (isSuspect && !(await this.#turn.take(patienceMs))) return null;
    let taken = 0;
    const release = () => {
      for (; taken > 0; taken--) this.#places.release();
      if (isSuspect) this.#turn.release();
    };
    for (const wanted = isSuspect ? this.#total : 1; taken < wanted; taken++) {
      if (await this.#places.take(Math.max(0, until - systemClock.now()))) continue;
      release();
      return null;
    }
    this.#drawn.set(url, (this.#drawn.get(url) ?? 0) + 1);
    if (isSuspect) this.#alone = url;
    return () => {
      if (isSuspect) this.#alone = null;
      const others = (this.#drawn.get(url) ?? 1) - 1;
      if (others === 0) this.#drawn.delete(url);
      else this.#drawn.set(url, others);
      release();
    };
  }

  /** Suspects all pages that are drawn now: their browser has died. */
  suspectAll(): void {
    for (const url of this.#drawn.keys()) this.#suspect(url);
  }

  #suspect(url: string): void {
    this.#suspects.add(url);
    for (const oldest of this.#suspects) {
      if (this.#suspects.size <= MAX_SUSPECTS) break;
      this.#suspects.delete(oldest);
    }
  }

  /** What becomes of a drawing in this browser. */
  judge(url: string, drawing: Drawing, browser: { readonly isOpen: boolean }): Drawing {
    if (browser.isOpen) {
      if (drawing.kind === "drawn") this.#suspects.delete(url);
      else if (drawing.retryable) this.#suspect(url);
      return drawing;
    }
    if (drawing.kind === "drawn" || this.#alone !== url) return drawing;
    const detail = "it ended the browser that drew it, the second time alone";
    return { ...drawing, reason: "too-complex", detail, retryable: false };
  }
}
